import { z } from 'zod';
import type { Evaluation, Interests, Screening, Summary, SummaryStyle } from './judge.ts';
import type { JsonSchema } from './model.ts';
import { countCharacters, firstCharacters, sentencesOf } from './text-length.ts';
import { sanitiseModelText } from './untrusted-text.ts';

/** Either the sanitised answer, or everything that is wrong with it, phrased for the model. */
export type CheckedAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly string[] };

/** One kind of answer: its schema and its validation. */
export interface AnswerForm<T> {
  readonly name: string;
  readonly schema: JsonSchema;
  check(answer: unknown): CheckedAnswer<T>;
}

const MAX_REASON = 300;
const MIN_SUMMARY = 50;
const MAX_SUMMARY = 200;

const EvaluationAnswer = z.object({
  score: z.number().int().min(0).max(100),
  topics: z.array(z.string()),
  summary: z.string(),
  reason: z.string(),
});

/** A3. Only topics of the interests are accepted. */
export function evaluationForm(interests: Interests, title: string): AnswerForm<Evaluation> {
  const known = new Map(interests.topics.map(({ topic }) => [normalised(topic), topic]));
  return {
    name: 'evaluation',
    schema: {
      type: 'object',
      properties: {
        score: { type: 'integer', minimum: 0, maximum: 100 },
        topics: {
          type: 'array',
          items: { type: 'string', enum: interests.topics.map(({ topic }) => topic) },
        },
        summary: { type: 'string' },
        reason: { type: 'string' },
      },
      required: ['score', 'topics', 'summary', 'reason'],
      additionalProperties: false,
    },
    check(answer) {
      const parsed = EvaluationAnswer.safeParse(answer);
      if (!parsed.success) return { ok: false, problems: schemaProblems(parsed.error) };
      const problems: string[] = [];
      const topics = new Set<string>();
      for (const topic of parsed.data.topics) {
        const mine = known.get(normalised(topic));
        if (mine === undefined) problems.push(`"topics" has one that is not in the list: ${quoted(topic)}`);
        else topics.add(mine);
      }
      const summary = sanitiseModelText(parsed.data.summary);
      problems.push(...lengthProblems(summary, MIN_SUMMARY, MAX_SUMMARY), ...titleProblems(summary, title));
      const reason = firstCharacters(sanitiseModelText(parsed.data.reason), MAX_REASON);
      if (reason === '') problems.push('"reason" is empty');
      if (problems.length > 0) return { ok: false, problems };
      return { ok: true, value: { score: parsed.data.score, topics: [...topics], summary, reason } };
    },
  };
}

const ScreeningAnswer = z.object({
  decision: z.enum(['worth_it', 'not_valuable', 'not_ready']),
  reason: z.string(),
});

export function screeningForm(): AnswerForm<Screening> {
  return {
    name: 'screening',
    schema: {
      type: 'object',
      properties: {
        decision: { type: 'string', enum: ['worth_it', 'not_valuable', 'not_ready'] },
        reason: { type: 'string' },
      },
      required: ['decision', 'reason'],
      additionalProperties: false,
    },
    check(answer) {
      const parsed = ScreeningAnswer.safeParse(answer);
      if (!parsed.success) return { ok: false, problems: schemaProblems(parsed.error) };
      const reason = firstCharacters(sanitiseModelText(parsed.data.reason), MAX_REASON);
      if (reason === '') return { ok: false, problems: ['"reason" is empty'] };
      return { ok: true, value: { decision: parsed.data.decision, reason } };
    },
  };
}

const SummaryAnswer = z.object({ summary: z.string() });
const SUMMARY_SCHEMA: JsonSchema = {
  type: 'object',
  properties: { summary: { type: 'string' } },
  required: ['summary'],
  additionalProperties: false,
};

/** B16: number of sentences, approximate length, and no repetition of the title. */
export function summaryForm(style: SummaryStyle, title: string): AnswerForm<Summary> {
  return {
    name: 'summary',
    schema: SUMMARY_SCHEMA,
    check(answer) {
      const parsed = SummaryAnswer.safeParse(answer);
      if (!parsed.success) return { ok: false, problems: schemaProblems(parsed.error) };
      const text = sanitiseModelText(parsed.data.summary);
      const problems = lengthProblems(
        text,
        Math.round(style.characters * 0.3),
        Math.round(style.characters * 1.6),
      );
      const sentences = sentencesOf(text).length;
      const [least, most] = style.sentences;
      if (sentences < least || sentences > most) {
        problems.push(`"summary" has ${sentences} sentences; it must have ${least} to ${most}`);
      }
      problems.push(...titleProblems(text, title));
      return problems.length > 0 ? { ok: false, problems } : { ok: true, value: { text } };
    },
  };
}

/** Notes on a part of a long text: only for the next question, never published. */
export function notesForm(characters: number): AnswerForm<Summary> {
  return {
    name: 'notes',
    schema: SUMMARY_SCHEMA,
    check(answer) {
      const parsed = SummaryAnswer.safeParse(answer);
      if (!parsed.success) return { ok: false, problems: schemaProblems(parsed.error) };
      const text = firstCharacters(sanitiseModelText(parsed.data.summary), characters * 2);
      return text === '' ? { ok: false, problems: ['"summary" is empty'] } : { ok: true, value: { text } };
    },
  };
}

function lengthProblems(summary: string, least: number, most: number): string[] {
  const length = countCharacters(summary);
  if (length >= least && length <= most) return [];
  return [`"summary" has ${length} characters without links and markup; it must have ${least} to ${most}`];
}

function titleProblems(summary: string, title: string): string[] {
  const bareTitle = normalised(title);
  if (bareTitle.length < 8 || !normalised(summary).includes(bareTitle)) return [];
  return ['"summary" repeats the title'];
}

function schemaProblems(error: z.ZodError): string[] {
  return error.issues.map((issue) => {
    const where = issue.path.length === 0 ? 'the answer' : `"${issue.path.join('.')}"`;
    return `${where}: ${issue.message}`;
  });
}

function quoted(text: string): string {
  return JSON.stringify(firstCharacters(sanitiseModelText(text), 50));
}

function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{P}\p{S}]+/gu, '');
}

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the JSON object out of what a model wrote. Servers without structured answers wrap it in fences or text, so the
 * first complete object counts. A truncated object is reported as such.
 */
export function parseJsonAnswer(text: string, cutOff: boolean): ParsedJson {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, problem: 'the answer was empty' };
  const whole = tryParse(trimmed);
  if (whole !== undefined) return { ok: true, value: whole };
  const object = firstObject(trimmed);
  const value = object === null ? undefined : tryParse(object);
  if (value !== undefined) return { ok: true, value };
  if (cutOff || (trimmed.includes('{') && object === null)) {
    return { ok: false, problem: 'the answer was cut off before its end: be shorter' };
  }
  return { ok: false, problem: 'the answer was not a JSON object' };
}

function tryParse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** From the first brace to its closing one; braces in strings do not count. */
function firstObject(text: string): string | null {
  const start = text.indexOf('{');
  if (start === -1) return null;
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i++) {
    const mark = text[i];
    if (inString) {
      if (mark === '\\') i++;
      else if (mark === '"') inString = false;
    } else if (mark === '"') inString = true;
    else if (mark === '{') depth++;
    else if (mark === '}' && --depth === 0) return text.slice(start, i + 1);
  }
  return null;
}
