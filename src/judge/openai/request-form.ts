import type { Reasoning } from '../model.ts';
import type { FailedResponse } from '../remote/call-failure.ts';
import { pick } from '../remote/call-failure.ts';

/** How the answer's shape is asked for, best first. */
export const FORMATS = ['json_schema', 'json_object', 'plain'] as const;
export type Format = (typeof FORMATS)[number];

type LimitName = 'max_completion_tokens' | 'max_tokens';

/**
 * Names of the output limit, in the order in which they are tried. OpenAI's newer models refuse `max_tokens`. Other servers are given it
 * first: some refuse `max_completion_tokens`, and some (Ollama) ignore it, so that nothing would end an endless answer.
 */
export function limitNames(baseUrl: string): readonly LimitName[] {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  return /(?:^|\.)(?:openai|azure)\.com$/.test(host)
    ? ['max_completion_tokens', 'max_tokens']
    : ['max_tokens', 'max_completion_tokens'];
}

/** What a request says beside the question itself. A server that refuses a part of it is asked without that part. */
export interface RequestForm {
  readonly format: Format;
  /** Names of the output limit that are left to try; the first is sent. None left = no limit is sent. */
  readonly limits: readonly LimitName[];
  /** The largest output limit that the server takes, as far as it named one. */
  readonly maxOutputTokens: number;
  /** `null` = not sent. */
  readonly temperature: number | null;
  readonly reasoning: Reasoning | null;
}

/** No form has more parts to give up than this; a bound for the loop that gives them up. */
export const MAX_FORMS = 8;

/** What to change in a form, and whether for later questions too: what depends on the length of one text is not remembered. */
export interface FormChange {
  readonly change: Partial<RequestForm>;
  readonly lasting: boolean;
}

/**
 * What to change after a refusal before asking again; `null` where the refusal is about something else. Each form asks for less
 * than the one before, so this ends.
 */
export function simplerForm(failed: FailedResponse, form: RequestForm): FormChange | null {
  if (![400, 404, 415, 416, 422, 500, 501].includes(failed.status)) return null;
  const clientError = failed.status < 500 && failed.status !== 404;
  const { param, text } = wordsOf(failed.body);
  const names = (name: string, words: RegExp): boolean =>
    param === name || (param === null && words.test(text));
  const [limit] = form.limits;
  if (clientError && limit !== undefined) {
    const largest = largestOutput(text);
    if (largest !== null && largest < form.maxOutputTokens)
      return { change: { maxOutputTokens: largest }, lasting: true };
    // The limit and the text together are more than the model takes: let the server choose the limit this once.
    if (/in the completion|for the completion|plus \d+ '?max_|max_\w+' is too large/i.test(text))
      return { change: { limits: [] }, lasting: false };
    if (names(limit, new RegExp(`\\b${limit}\\b`)))
      return { change: { limits: form.limits.slice(1) }, lasting: true };
  }
  if (clientError && form.temperature !== null && names('temperature', /\btemperature\b/i))
    return { change: { temperature: null }, lasting: true };
  if (clientError && form.reasoning !== null && names('reasoning_effort', /reasoning|\bthink(?:ing)?\b/i))
    return { change: { reasoning: null }, lasting: true };
  if (
    form.format !== 'plain' &&
    /response_format|json_schema|json_object|structured.?output|grammar|guided/i.test(failed.body)
  )
    return { change: { format: after(FORMATS, form.format) }, lasting: true };
  return null;
}

function after<T>(all: readonly [...T[]], one: T): T {
  return all[Math.min(all.indexOf(one) + 1, all.length - 1)] ?? one;
}

/** “This model supports at most 4096 completion tokens”, “the valid range of max_tokens is [1, 8192]”, “expected a value <= 12288”. */
function largestOutput(text: string): number | null {
  if (!/max_(?:completion_)?tokens/i.test(text)) return null;
  const found = /at most (\d+)|\[\s*\d+\s*,\s*(\d+)\s*\]|<=\s*(\d+)/.exec(text);
  const largest = Number(found?.[1] ?? found?.[2] ?? found?.[3] ?? 0);
  return largest > 0 ? largest : null;
}

/** Which parameter the server names, where it does, and all that it wrote. */
function wordsOf(body: string): { readonly param: string | null; readonly text: string } {
  try {
    const param = pick(JSON.parse(body), 'error', 'param');
    return { param: typeof param === 'string' && param !== '' ? param : null, text: body };
  } catch {
    return { param: null, text: body };
  }
}
