import { z } from 'zod';
import { LEARNED_FEATURES, type LearnedRule, learnedRuleText, type WhoReacted } from '../../item/learned.ts';
import { REASONS, STATES } from '../../item/lifecycle.ts';

/** Schemas of the API's responses. Times are milliseconds since the epoch. */
export const timeSchema = z.number().int();
export const cursorSchema = z.string().nullable().describe('Cursor of the next page; null at the end.');

export const userSchema = z.object({
  id: z.string(),
  name: z.string(),
  displayName: z.string(),
  kind: z.enum(['person', 'pipeline', 'source']),
  createdAt: timeSchema,
});

const namedSourceSchema = z.object({ id: z.string(), name: z.string() });

const entryStateSchema = z
  .object({ read: z.boolean(), starredAt: timeSchema.nullable(), laterAt: timeSchema.nullable() })
  .describe('Of the whole story: reading one of its entries reads all. For guests everything is unread.');

const entryFactsSchema = z.object({
  id: z.int(),
  title: z.string(),
  url: z.string(),
  publishedAt: timeSchema,
  sources: z.array(namedSourceSchema).readonly(),
});

const enclosureSchema = z.object({
  url: z.string(),
  type: z.string().nullable(),
  lengthBytes: z.number().nullable(),
  durationSeconds: z.number().nullable(),
});

const learnedRuleSchema = z.object({
  points: z.int(),
  feature: z
    .enum(LEARNED_FEATURES)
    .describe('What the article has in common with those that were reacted to.'),
  label: z.string(),
  labelJa: z.string().optional(),
  reactions: z.record(z.string(), z.int()).describe('How many reactions of each kind.'),
});
const learnedSchema = z.object({
  points: z.int(),
  rules: z
    .array(
      learnedRuleSchema.extend({ text: z.string(), textJa: z.string().describe('The same in Japanese.') }),
    )
    .readonly()
    .describe('The rules that moved it, the strongest first.'),
});
/** What reactions did to a verdict. */
const learnedVerdictSchema = learnedSchema.extend({
  base: z.number().describe('The score of the judge alone.'),
  examples: z
    .int()
    .optional()
    .describe('How many reactions a model got as examples; it is moved no further.'),
});

/** Rules with their texts in both languages. */
export function showRules<T extends { readonly rules: readonly LearnedRule[] }>(learned: T, who: WhoReacted) {
  return {
    ...learned,
    rules: learned.rules.map((rule) => ({
      ...rule,
      text: learnedRuleText(rule, 'en', who),
      textJa: learnedRuleText(rule, 'ja', who),
    })),
  };
}

export const entrySchema = entryFactsSchema.extend({
  storyId: z.int().describe('The first entry about the same event.'),
  author: z.string().nullable(),
  excerpt: z.string().nullable(),
  image: z.string().nullable().describe('Proxied URL of its picture.'),
  language: z.string().nullable(),
  arrivedAt: timeSchema,
  points: z.number().nullable(),
  enclosure: enclosureSchema.nullable().describe('The first of its enclosures.'),
  enclosures: z
    .array(enclosureSchema)
    .readonly()
    .describe('Its audio, video and other files; what can be played first.'),
  state: entryStateSchema,
  others: z.array(entryFactsSchema).readonly().describe('Other entries about the same event.'),
  learned: learnedSchema
    .optional()
    .describe('What the reactions of the caller did to its place in the order `for_you`.'),
});

const mentionsSchema = z
  .array(z.object({ topic: z.string(), times: z.number(), inTitle: z.boolean() }))
  .readonly()
  .describe('What the built-in judge counted, which the reason says in a sentence.');

export const whySchema = z.object({
  pipeline: z.string(),
  pipelineName: z.string(),
  state: z.enum(STATES),
  reason: z.enum(REASONS),
  score: z.number().nullable(),
  minScore: z.number().nullable().describe('The minimum score that decided.'),
  detail: z.string().nullable(),
  mentions: mentionsSchema.optional(),
  learned: learnedVerdictSchema.optional().describe('What reactions of people did to the score; for owners.'),
  text: z.string().describe('The rule that decided, with its threshold, in English.'),
});

const commonWords = z.array(z.string()).readonly();

export const storyReasonSchema = z
  .object({
    verdict: z.enum(['same', 'apart']),
    title: z.string().describe('Title of the other entry.'),
    by: z.enum(['rules', 'embedder', 'person']),
    common: z
      .object({ names: commonWords, figures: commonWords, words: commonWords })
      .describe('What both have in common.'),
    person: z.string().optional().describe('Who decided; owners see it.'),
    at: timeSchema.optional(),
    similarity: z.number().optional().describe('According to the embedding model.'),
    unasked: z
      .enum(['failed', 'budget'])
      .optional()
      .describe('Why the embedding model could not be asked about a pair in doubt.'),
    text: z.string().describe('The same in an English sentence.'),
  })
  .describe('Why it is in its story, or was kept out of one.');

export const savedSearchSchema = z.object({
  id: z.string(),
  name: z.string(),
  text: z.string(),
  folder: z.string().nullable().describe('Names of folders, joined by "/".'),
  sourceId: z.string().nullable(),
  unread: z.boolean(),
});

export const overviewSchema = z.object({
  newestId: z.int().describe('The newest entry; 0 if there is none.'),
  unread: z.object({ all: z.int(), home: z.int() }),
  starred: z.int(),
  later: z.int(),
  folders: z.array(z.object({ path: z.array(z.string()).readonly(), unread: z.int() })).readonly(),
  sources: z
    .array(
      namedSourceSchema.extend({
        kind: z.string().describe('feed, youtube, hackernews, or a kind of a plugin.'),
        folders: z.array(z.string()).readonly(),
        unread: z.int(),
        enabled: z.boolean(),
        health: z.enum(['ok', 'failing', 'never_checked', 'paused']),
        icon: z.string().nullable().describe('Proxied URL of its icon.'),
        userId: z.string().nullable().describe('The user to follow; null if it cannot be followed.'),
        followed: z.boolean(),
      }),
    )
    .readonly(),
  searches: z.array(savedSearchSchema).readonly(),
});

export const dropSchema = z.object({
  id: z.string(),
  visibility: z.enum(['public', 'unlisted', 'followers', 'private']),
  createdAt: timeSchema,
  text: z.string(),
  title: z.string().nullable(),
  url: z.string().nullable(),
  itemKey: z.string().nullable(),
  pipeline: z.string().nullable(),
  editedAt: timeSchema.nullable().describe('When its author last changed the text; null if never.'),
  author: userSchema.omit({ createdAt: true }),
  entry: entrySchema
    .pick({ id: true, storyId: true, state: true, sources: true })
    .nullable()
    .describe('The entry of its item in the reader; null if there is none.'),
});

export const timelinePageSchema = z.object({
  drops: z.array(dropSchema).readonly(),
  cursors: z.object({ older: z.string().nullable(), newer: z.string() }),
});

const verdictSchema = z.object({
  score: z.number().nullable(),
  topics: z.array(z.string()).readonly(),
  summary: z.string().nullable(),
  reason: z.string(),
  judge: z.string(),
  model: z.string(),
  promptVersion: z.string(),
  interestsVersion: z.string(),
  textHash: z.string(),
  madeAt: timeSchema,
  provisional: z.boolean(),
  mentions: mentionsSchema.optional(),
  minScore: z.number().optional().describe('The minimum score when it was decided.'),
  learned: z
    .object({
      base: z.number(),
      points: z.int(),
      rules: z.array(learnedRuleSchema).readonly(),
      version: z.string(),
      examples: z.int().optional(),
    })
    .optional()
    .describe('What reactions of people did to the score; for owners.'),
});

export const itemSchema = z.looseObject({
  key: z.string(),
  url: z.string(),
  title: z.string(),
  publishedAt: timeSchema,
  sourceId: z.string(),
  sourceName: z.string(),
  state: z.enum(STATES),
  reason: z.enum(REASONS),
  detail: z.string().nullable(),
  attempts: z.number(),
  dueAt: timeSchema.nullable(),
  createdAt: timeSchema,
  checkedAt: timeSchema,
  verdict: verdictSchema.nullable(),
  image: z
    .string()
    .nullable()
    .describe('Proxied URL of its picture; null if there is none or pictures are off.'),
});

const countsSchema = z.object({
  byState: z.record(z.string(), z.number()),
  byReason: z.record(z.string(), z.number()),
  leased: z.number(),
  oldestOpen: timeSchema.nullable(),
  tombstones: z.number(),
});

export const pipelineRunSchema = z.object({
  startedAt: timeSchema,
  endedAt: timeSchema.nullable(),
  outcome: z.enum(['running', 'done', 'partly', 'failed']),
  detail: z.string().nullable(),
  numbers: z.record(z.string(), z.number()),
});

export const pipelineStatusSchema = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['curate', 'summarise', 'process']),
  state: z.enum(['running', 'idle', 'paused', 'failing']),
  detail: z.string().nullable(),
  schedule: z.string(),
  everyMs: z.number().nullable().describe('Interval of its runs; null if a cron expression schedules them.'),
  minScore: z.number().nullable().describe('Minimum score in force; null if it does not score.'),
  lastRun: pipelineRunSchema.nullable(),
  nextRunAt: timeSchema.nullable(),
  counts: countsSchema,
  sources: z.array(z.string()).readonly(),
  destinations: z.array(z.string()).readonly(),
  userId: z.string().nullable(),
});

export const sourceStatusSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  kind: z.string().describe('feed, youtube, hackernews, or a kind of a plugin.'),
  enabled: z.boolean(),
  url: z.string().nullable(),
  origin: z
    .enum(['file', 'page', 'command', 'opml'])
    .describe('Where it was added; one of the configuration file can be removed only there.'),
  folders: z.array(z.string()).readonly().describe('Its folder, outermost name first.'),
  pipelines: z.array(z.string()).readonly().describe('IDs of the pipelines that use it.'),
  assignedPipelines: z
    .array(z.string())
    .readonly()
    .describe('Those that it was assigned to, besides those whose configuration names it or its folder.'),
  nextAt: timeSchema.nullable().describe('When it is polled next; null if it is paused, or was never read.'),
  identity: z.object({ by: z.string(), certain: z.boolean(), why: z.string() }).nullable(),
  quota: z.object({ used: z.number(), limit: z.number(), resetsAt: timeSchema }).nullable(),
  record: z.looseObject({ sourceId: z.string(), failuresInARow: z.number() }).nullable(),
  userId: z
    .string()
    .nullable()
    .describe('The user to follow for its new items; null if it cannot be followed.'),
});

export const judgeSpendSchema = z.object({
  judge: z.string(),
  lastMinute: z.object({ calls: z.number() }),
  today: z.object({ calls: z.number(), tokens: z.number(), microUsd: z.number() }),
  limits: z.object({
    callsPerMinute: z.number().optional(),
    callsPerDay: z.number().optional(),
    tokensPerDay: z.number().optional(),
    microUsdPerDay: z.number().optional(),
  }),
  trouble: z.object({ why: z.string(), detail: z.string(), at: timeSchema }).nullable(),
});

export const deliverySchema = z.object({
  destination: z.string(),
  state: z.string(),
  remoteUrl: z.string().nullable(),
  detail: z.string().nullable(),
  attempts: z.number(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const historyEntrySchema = z.looseObject({
  at: timeSchema,
  event: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  reason: z.string(),
  detail: z.string().nullable(),
  who: z.string().nullable(),
  notes: z.record(z.string(), z.unknown()),
});

export const explanationSchema = z.object({
  pipeline: z.string(),
  item: itemSchema,
  history: z.array(historyEntrySchema).readonly(),
  deliveries: z.array(deliverySchema).readonly(),
  alsoSeenIn: z.array(z.string()).readonly(),
  story: storyReasonSchema.omit({ text: true }).extend({ with: z.string() }).nullable(),
  told: z.array(z.object({ at: timeSchema.nullable(), text: z.string() })).readonly(),
});
