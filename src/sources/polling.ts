import { DAY, HOUR, MINUTE } from '../time/duration.ts';
import { type BackoffPolicy, jitteredBackoff } from '../time/retry.ts';
import type { SourceReading, SourceTrouble } from './source.ts';

export interface PollingPolicy {
  /** Waits after failures. */
  readonly failures: BackoffPolicy;
  /** How soon to look again when nothing at all could be reached. */
  readonly offlineMs: number;
  /** The longest that a source may ask us to stay away. */
  readonly longestWish: number;
  /** Part of the interval, 0 to 1, that is random: many sources with one interval do not come at once. */
  readonly spread: number;
}

export const POLLING_POLICY: PollingPolicy = {
  failures: { baseMs: 5 * MINUTE, capMs: DAY },
  offlineMs: MINUTE,
  longestWish: 2 * DAY,
  spread: 0.05,
};

/** Troubles that seldom pass by themselves: there is no use in asking again soon. */
const LASTING: ReadonlySet<SourceTrouble> = new Set([
  'not_found',
  'gone',
  'forbidden',
  'not_a_feed',
  'blocked_address',
  'too_large',
]);

/**
 * When to read a source next. Pure. A success waits the interval or what the source wishes, a failure ever longer with
 * jitter, and never less than the interval; being offline blames nobody.
 */
export function nextTime(
  reading: SourceReading,
  failuresInARow: number,
  every: number,
  now: number,
  policy: PollingPolicy,
  random: number,
): number {
  const wish = (at: number | undefined): number => Math.min(at ?? 0, now + policy.longestWish);
  switch (reading.outcome) {
    case 'read':
    case 'unchanged':
      return Math.max(now + every * (1 - policy.spread * random), wish(reading.notBefore));
    case 'offline':
      return now + policy.offlineMs;
    case 'failed': {
      const lasting = LASTING.has(reading.why)
        ? Math.max(policy.failures.baseMs, HOUR)
        : policy.failures.baseMs;
      const wait = jitteredBackoff(failuresInARow, { ...policy.failures, baseMs: lasting }, random);
      return Math.max(now + Math.max(wait, every), wish(reading.retryAt));
    }
  }
}

const WORDS: Readonly<Record<SourceTrouble, string>> = {
  not_found: 'There is no feed at this address any more.',
  gone: 'The publisher says that this feed is gone for good.',
  forbidden: 'The server refuses to let us read it.',
  rate_limited: 'The server asks us to come less often.',
  server_error: 'The server has a fault of its own.',
  timeout: 'The server took too long to answer.',
  unreachable: 'The server could not be reached.',
  not_a_feed: 'What is there is not a feed.',
  too_large: 'The feed is larger than we read.',
  blocked_address: 'The address is one that we never call.',
  bad_answer: 'The answer could not be understood.',
  quota: 'The daily quota is used up.',
};

/** Why a source fails, as a sentence for a person. */
export function inWords(why: SourceTrouble): string {
  return WORDS[why];
}
