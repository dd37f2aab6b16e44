import { MINUTE, SECOND } from '../../time/duration.ts';

/** What the outside may cost us, and what we may cost the outside. */
export interface FetchLimits {
  /** Of a body, after decompression. */
  readonly maxBytes: number;
  /** Of all headers of one answer together. */
  readonly maxHeaderBytes: number;
  readonly maxRedirects: number;
  /** For an answer as a whole, redirects included; waiting for a turn is not counted. */
  readonly totalMs: number;
  /** Between two pieces of an answer, and before its first. */
  readonly idleMs: number;
  readonly connectMs: number;
  /** Requests at the same time, to all hosts together. */
  readonly concurrency: number;
  /** At the same time, to one host. */
  readonly perHost: number;
  /** Between the starts of two requests to one host. */
  readonly spacingMs: number;
  /** Failures in a row that open the breaker of a host. */
  readonly breakerFailures: number;
  /** How long a breaker stays open at first, and at most. */
  readonly breakerMs: number;
  readonly breakerMaxMs: number;
}

export const defaultLimits: FetchLimits = {
  maxBytes: 10 * 1024 * 1024,
  maxHeaderBytes: 32 * 1024,
  maxRedirects: 5,
  totalMs: 30 * SECOND,
  idleMs: 10 * SECOND,
  connectMs: 10 * SECOND,
  concurrency: 16,
  perHost: 2,
  spacingMs: 500,
  breakerFailures: 5,
  breakerMs: 30 * SECOND,
  breakerMaxMs: 60 * MINUTE,
};
