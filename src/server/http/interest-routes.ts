import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { MAX_ALIASES, MAX_WORD_LENGTH } from '../../judge/interests.ts';
import type { AliasProblem, InterestWords } from '../../pipelines/live-interests.ts';
import { requireIdentity } from './auth.ts';
import type { ControlRoom } from './control-room.ts';
import { badRequest, notFound } from './problem.ts';
import type { FieldProblemCode } from './problem-codes.ts';
import { addRoute } from './route.ts';
import { timeSchema } from './schemas.ts';

const decidedWords = z.array(
  z.object({ word: z.string(), by: z.string().describe('Who decided it.'), at: timeSchema }),
);
const interestWords = z.object({
  topic: z.string(),
  aliases: z
    .array(z.string())
    .describe('Aliases in force: those of the configuration file and the added ones.'),
  priority: z.enum(['high', 'medium', 'low']),
  added: decidedWords.describe('Aliases that an owner added.'),
  refused: decidedWords.describe('Words that are not proposed any more.'),
});
const interestsSchema = z.object({
  items: z.number().describe('Newest items that were read.'),
  interests: z.array(
    interestWords.extend({
      known: z.boolean().describe('The built-in judge has words for it.'),
      items: z.number().describe('Items that name it.'),
      proposals: z
        .array(
          z.object({
            word: z.string(),
            together: z.number().describe('Items with the interest and this word.'),
            elsewhere: z.number().describe('Items with this word only.'),
          }),
        )
        .describe('Possible aliases. They do not count before an owner accepts them.'),
    }),
  ),
});
/** What a client gets about the interests of a pipeline. */
export type PipelineInterestsBody = z.output<typeof interestsSchema>;

const decidedSchema = z.object({ interests: z.array(interestWords) });
export type InterestWordsBody = z.output<typeof decidedSchema>;

const decisionSchema = z.strictObject({
  topic: z.string('must be the topic of an interest').max(200, 'is too long'),
  words: z
    .array(z.string('must be a word').max(1000, 'is too long'), 'must be a list of words')
    .min(1, 'is empty')
    .max(MAX_ALIASES, `has more than ${MAX_ALIASES} words`)
    .describe(`Words of 1 to ${MAX_WORD_LENGTH} characters.`),
  decision: z
    .enum(['accepted', 'refused', 'none'], 'must be accepted, refused or none')
    .describe(
      '`accepted`: an alias from the next run on. `refused`: not proposed any more. `none`: neither, as before a decision.',
    ),
});
export type AliasDecisionBody = z.output<typeof decisionSchema>;

const FIELD_CODES: Readonly<Record<AliasProblem['problem'], FieldProblemCode>> = {
  required: 'required',
  too_long: 'too_long',
  invalid: 'alias_invalid',
  in_file: 'alias_in_file',
  taken: 'alias_taken',
  too_many: 'too_many_aliases',
};

/** The interests of a pipeline, their aliases and proposals (Q18, Q25). */
export function interestRoutes(server: FastifyInstance, control: ControlRoom): void {
  const owners = {
    group: 'Control room',
    access: 'owner',
    url: '/pipelines/:id/interests',
    params: z.object({ id: z.string() }),
    problems: [404],
  } as const;
  const unknown = (id: string): Error => notFound(`interests of pipeline "${id.slice(0, 80)}"`);

  addRoute(
    server,
    {
      ...owners,
      method: 'GET',
      about: 'Interests of a pipeline, with proposals of aliases from its own items. Changes nothing.',
      answer: interestsSchema,
    },
    async ({ params }) => {
      const report = await control.interests(params.id);
      if (report === null) throw unknown(params.id);
      const interests = report.interests.map(({ known, items, proposals, ...words }) => ({
        ...show(words),
        known,
        items,
        proposals: [...proposals],
      }));
      return { items: report.items, interests };
    },
  );
  addRoute(
    server,
    {
      ...owners,
      method: 'PATCH',
      about:
        'Accepts words as aliases of an interest, refuses them as proposals, or takes either back. In force at the next run.',
      body: decisionSchema,
      answer: decidedSchema,
    },
    async ({ params, body, request }) => {
      const decided = await control.decideAliases(params.id, body, requireIdentity(request).name);
      if (decided === null) throw unknown(params.id);
      const { outcome, interests } = decided;
      if (outcome.outcome === 'unknown_topic')
        throw badRequest([
          { field: 'topic', code: 'invalid', detail: 'is not an interest of this pipeline' },
        ]);
      if (outcome.outcome === 'refused')
        throw badRequest(
          outcome.problems.map(({ index, word, problem, detail, parameters }) => ({
            field: `words.${index}`,
            code: FIELD_CODES[problem],
            detail: `"${word.slice(0, MAX_WORD_LENGTH)}" ${detail}`,
            parameters: { word: word.slice(0, MAX_WORD_LENGTH), ...parameters },
          })),
        );
      return { interests: interests.map(show) };
    },
  );
}

function show({ topic, aliases, priority, added, refused }: InterestWords): z.output<typeof interestWords> {
  return { topic, aliases: [...aliases], priority, added: [...added], refused: [...refused] };
}
