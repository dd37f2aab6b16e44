import type { FetchErrorKind, FetchOutcome } from '../fetch/fetcher.ts';
import { DAY, HOUR, MINUTE } from '../time/duration.ts';
import { type BackoffPolicy, backoff, jitteredBackoff } from '../time/retry.ts';
import type { PublishingHints, SourceErrorKind, SourceReading } from './source.ts';

/** How often a source is read. */
export interface PollInterval {
  readonly ms: number;
  /** Configured for this source: not adapted to the feed. */
  readonly isFixed: boolean;
}

export interface PollingPolicy {
  /** Backoff after failures. */
  readonly failures: BackoffPolicy;
  /** Backoff while offline. */
  readonly offline: BackoffPolicy;
  /** Upper bound of a source's Retry-After. */
  readonly maxRetryAfterMs: number;
  /** Bounds of an adaptive interval; a configured interval may be outside of them. */
  readonly minIntervalMs: number;
  readonly maxIntervalMs: number;
  /** Upper bound of the effect of `ttl` and `max-age`. */
  readonly maxFreshForMs: number;
  /** Jitter as part of the interval, 0 to 1: spreads sources with the same interval. */
  readonly jitter: number;
  /** The same after a first or overdue reading: spreads sources that became due together at a start. */
  readonly startSpread: number;
}

export const POLLING_POLICY: PollingPolicy = {
  failures: { baseMs: 5 * MINUTE, capMs: DAY },
  offline: { baseMs: MINUTE, capMs: 5 * MINUTE },
  maxRetryAfterMs: 2 * DAY,
  minIntervalMs: 5 * MINUTE,
  maxIntervalMs: 4 * HOUR,
  maxFreshForMs: HOUR,
  jitter: 0.05,
  startSpread: 0.5,
};

/** Readings for each entry that a feed is expected to publish. */
const READINGS_PER_ENTRY = 4;

/**
 * The interval of a source, adapted to how often it publishes. Pure. A feed is read about four times for each entry
 * that it publishes, less often the longer it has been silent, not before its own answer is stale, and always so often that
 * nothing enters and leaves its list between two readings.
 */
export function pollInterval(
  interval: PollInterval,
  hints: PublishingHints | undefined,
  now: number,
  policy: PollingPolicy,
): number {
  if (interval.isFixed || hints === undefined) return interval.ms;
  const { gapMs, newestAt, oldestAt } = hints;
  const freshForMs = hints.freshForMs === null ? null : Math.min(hints.freshForMs, policy.maxFreshForMs);
  const byRhythm =
    gapMs === null || newestAt === null
      ? (freshForMs ?? interval.ms)
      : Math.max(gapMs, (now - newestAt) / 2) / READINGS_PER_ENTRY;
  const listedForMs = oldestAt === null ? Number.POSITIVE_INFINITY : now - oldestAt;
  const wanted = Math.min(Math.max(byRhythm, freshForMs ?? 0), listedForMs / 2);
  const min = Math.min(interval.ms, Math.max(policy.minIntervalMs, interval.ms / 3));
  const max = Math.max(interval.ms, policy.maxIntervalMs);
  return Math.min(Math.max(wanted, min), max);
}

/** Errors that seldom resolve by themselves: an early retry is useless. */
const LASTING_ERRORS: ReadonlySet<SourceErrorKind> = new Set([
  'not_found',
  'gone',
  'forbidden',
  'not_a_feed',
  'blocked_address',
  'too_large',
]);

export interface NextPollInput {
  readonly reading: SourceReading;
  /** Failed or offline readings in a row, this one included. */
  readonly failures: number;
  /** By `pollInterval`. */
  readonly intervalMs: number;
  /** Jitter as part of the interval. */
  readonly spread: number;
  readonly now: number;
  readonly policy: PollingPolicy;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * When to read a source next. Pure. A success waits the interval or for Retry-After, a failure ever longer with jitter, and
 * never less than the interval; being offline counts against no source.
 */
export function nextPollAt({
  reading,
  failures,
  intervalMs,
  spread,
  now,
  policy,
  random,
}: NextPollInput): number {
  const retryAfter = (at: number | undefined): number => Math.min(at ?? 0, now + policy.maxRetryAfterMs);
  switch (reading.outcome) {
    case 'read':
    case 'unchanged':
      return Math.max(now + intervalMs * (1 - spread * random), retryAfter(reading.notBefore));
    case 'offline':
      return now + backoff(failures, policy.offline);
    case 'failed': {
      const { baseMs } = policy.failures;
      const lasting = LASTING_ERRORS.has(reading.why) ? Math.max(baseMs, HOUR) : baseMs;
      const wait = jitteredBackoff(failures, { ...policy.failures, baseMs: lasting }, random);
      return Math.max(now + Math.max(wait, intervalMs), retryAfter(reading.retryAt));
    }
  }
}

type Failed = Extract<FetchOutcome, { outcome: 'failed' }>;
type Response = Extract<FetchOutcome, { outcome: 'response' }>;

const SOURCE_ERRORS: Readonly<Record<Exclude<FetchErrorKind, 'offline' | 'aborted'>, SourceErrorKind>> = {
  bad_address: 'blocked_address',
  blocked_address: 'blocked_address',
  dns: 'unreachable',
  refused: 'unreachable',
  reset: 'unreachable',
  tls: 'unreachable',
  timeout: 'timeout',
  too_large: 'too_large',
  too_many_redirects: 'bad_answer',
  bad_encoding: 'bad_answer',
  host_suspended: 'unreachable',
};

/** The reading for a request without a response. Throws the signal's reason when the reading was stopped. */
export function failedFetchReading(failed: Failed, signal: AbortSignal): SourceReading {
  if (failed.why === 'aborted') {
    signal.throwIfAborted();
    return { outcome: 'failed', why: 'timeout', detail: failed.detail };
  }
  if (failed.why === 'offline') return { outcome: 'offline', detail: failed.detail };
  return { outcome: 'failed', why: SOURCE_ERRORS[failed.why], detail: failed.detail };
}

/** The reading for an error response, described for people. */
export function errorResponseReading(answer: Response): SourceReading {
  return {
    outcome: 'failed',
    why: errorOfStatus(answer.status),
    detail: `status ${answer.status}`,
    ...(answer.retryAt === null ? {} : { retryAt: answer.retryAt }),
  };
}

function errorOfStatus(status: number): SourceErrorKind {
  if (status === 404) return 'not_found';
  if (status === 410) return 'gone';
  if (status === 401 || status === 402 || status === 403 || status === 451) return 'forbidden';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'server_error' : 'bad_answer';
}
