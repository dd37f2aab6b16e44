import type { Clock } from './clock.ts';

export interface BackoffPolicy {
  /** The wait after the first failure. */
  readonly baseMs: number;
  readonly capMs: number;
  /** Multiplier of each further wait. Default 2. */
  readonly factor?: number;
}

/** Exponential backoff after this number of consecutive failures, without jitter. */
export function backoff(failures: number, { baseMs, capMs, factor = 2 }: BackoffPolicy): number {
  if (!(failures > 0)) return 0;
  return Math.min(capMs, baseMs * factor ** Math.min(failures - 1, 64));
}

/**
 * Exponential backoff of which half is random, so that clients that failed together do not retry together. `random` is in
 * [0, 1).
 */
export function jitteredBackoff(failures: number, policy: BackoffPolicy, random: number): number {
  const whole = backoff(failures, policy);
  return Math.round(whole / 2 + (whole / 2) * random);
}

export interface BreakerPolicy {
  /** Consecutive failures that open the breaker. */
  readonly breakerFailures: number;
  /** How long it stays open the first time; longer each time that the probe fails. */
  readonly breakerMs: number;
  readonly breakerMaxMs: number;
}

/** Whether a request may go out; `until` is a time of the monotonic clock. */
export type Admission = { readonly admitted: true } | { readonly admitted: false; readonly until: number };

/** Shortest wait of a rejected request: by then the probe has an outcome. */
const PROBE_MS = 5000;
const ADMITTED: Admission = { admitted: true };

/**
 * A circuit breaker. Closed: requests pass. Open until a time: none passes. After that, half open: one request passes as
 * the probe, and its outcome closes or reopens the breaker.
 */
export class CircuitBreaker {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #policy: BreakerPolicy;
  readonly #random: () => number;
  #failures = 0;
  /** Times it has opened since the last success. */
  #openings = 0;
  #openUntil = 0;
  #probing = false;

  constructor(clock: Pick<Clock, 'monotonic'>, policy: BreakerPolicy, random: () => number) {
    this.#clock = clock;
    this.#policy = policy;
    this.#random = random;
  }

  /** On the monotonic clock; in the past where the breaker is closed or half open. */
  get openUntil(): number {
    return this.#openUntil;
  }

  /** What `admit` would answer, without becoming the probe. */
  check(): Admission {
    const now = this.#clock.monotonic();
    if (this.#openings === 0 || !(this.#probing || now < this.#openUntil)) return ADMITTED;
    return { admitted: false, until: Math.max(this.#openUntil, now + PROBE_MS) };
  }

  /** Asks to send a request; its outcome is reported by `succeeded`, `failed` or `abandoned`. */
  admit(): Admission {
    const admission = this.check();
    if (admission.admitted && this.#openings > 0) this.#probing = true;
    return admission;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#openings = 0;
    this.#openUntil = 0;
    this.#probing = false;
  }

  failed(): void {
    this.#failures += 1;
    const opens = this.#probing || (this.#openings === 0 && this.#failures >= this.#policy.breakerFailures);
    if (!opens) return;
    this.#openings += 1;
    this.#probing = false;
    const { breakerMs: baseMs, breakerMaxMs: capMs } = this.#policy;
    this.#openUntil =
      this.#clock.monotonic() + jitteredBackoff(this.#openings, { baseMs, capMs }, this.#random());
  }

  /** Neither success nor failure: the caller gave up, or the local network is down. */
  abandoned(): void {
    this.#probing = false;
  }
}
