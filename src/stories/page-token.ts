import { type Rank, TIMESPANS, type Timespan } from './story.ts';
import type { FeedPlace } from './story-store.ts';

/**
 * Pins a list: which, as of which change, of which age, and where in it the page begins. It is all that is needed to tell the
 * next page of the same list, in every copy of the program and after a restart.
 */
export interface PageToken {
  readonly set: string;
  readonly timespan: Timespan;
  readonly since: number | null;
  readonly place: FeedPlace;
  /** `null` = from the beginning. */
  readonly after: Rank | null;
  /** How many stories of the list come before it. */
  readonly passed: number;
}

const FORM = 1;

export function encodePage({ set, timespan, since, place, after, passed }: PageToken): string {
  const rank = after === null ? [null, null] : [after.score, after.id];
  const facts = [FORM, set, TIMESPANS.indexOf(timespan), since, place, ...rank, passed];
  return Buffer.from(JSON.stringify(facts)).toString('base64url');
}

/** `null` for anything that is no token. */
export function decodePage(text: string): PageToken | null {
  let facts: unknown;
  try {
    facts = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return null;
  }
  if (!Array.isArray(facts) || facts.length !== 8 || facts[0] !== FORM) return null;
  const [, set, number, since, place, score, id, passed] = facts as unknown[];
  const timespan = typeof number === 'number' ? TIMESPANS[number] : undefined;
  if (typeof set !== 'string' || timespan === undefined || typeof place !== 'string') return null;
  if (since !== null && !Number.isSafeInteger(since)) return null;
  if (typeof passed !== 'number' || !Number.isSafeInteger(passed) || passed < 0) return null;
  const start = score === null && id === null;
  if (!start && (!Number.isSafeInteger(score) || !Number.isSafeInteger(id))) return null;
  const after = start ? null : { score: score as number, id: id as number };
  return { set, timespan, since: since as number | null, place, after, passed };
}
