import { backOff } from '../../time/back-off.ts';

/**
 * The breaker of one host. Closed: requests pass. Open until a time: none passes. After that, half open: one passes
 * and decides. Values in, values out; whoever owns the state keeps the clock.
 */
export interface Breaker {
  readonly failures: number;
  /** Times it has opened since the last success. */
  readonly openings: number;
  readonly openUntil: number;
  readonly probing: boolean;
}

export interface BreakerPolicy {
  readonly breakerFailures: number;
  readonly breakerMs: number;
  readonly breakerMaxMs: number;
}

/** While one request tries the host out, the others come back this much later. */
const PROBE_MS = 5000;

export const closedBreaker: Breaker = { failures: 0, openings: 0, openUntil: 0, probing: false };

/** The breaker after this request was let through, or the time until which it must wait. */
export function passBreaker(
  breaker: Breaker,
  now: number,
): { readonly pass: true; readonly breaker: Breaker } | { readonly pass: false; readonly until: number } {
  if (breaker.openings === 0) return { pass: true, breaker };
  if (breaker.probing || now < breaker.openUntil)
    return { pass: false, until: Math.max(breaker.openUntil, now + PROBE_MS) };
  return { pass: true, breaker: { ...breaker, probing: true } };
}

export function afterFailure(breaker: Breaker, now: number, policy: BreakerPolicy, random: number): Breaker {
  const failures = breaker.failures + 1;
  const opens = breaker.probing || (breaker.openings === 0 && failures >= policy.breakerFailures);
  if (!opens) return { ...breaker, failures };
  const openings = breaker.openings + 1;
  const wait = backOff(openings, { baseMs: policy.breakerMs, capMs: policy.breakerMaxMs }, random);
  return { failures, openings, openUntil: now + wait, probing: false };
}

/** Neither success nor failure: given up by us, or our own network is away. */
export function afterNothing(breaker: Breaker): Breaker {
  return breaker.probing ? { ...breaker, probing: false } : breaker;
}
