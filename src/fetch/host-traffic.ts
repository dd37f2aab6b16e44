import type { Clock } from '../time/clock.ts';
import { type BreakerPolicy, CircuitBreaker } from '../time/retry.ts';

interface Host {
  running: number;
  nextStart: number;
  suspendedUntil: number;
  readonly breaker: CircuitBreaker;
  readonly waiting: (() => void)[];
}

export interface TrafficPolicy extends BreakerPolicy {
  readonly perHost: number;
  readonly spacingMs: number;
}

export type Admission =
  | { readonly granted: true }
  /** `until` is a time of the monotonic clock. */
  | { readonly granted: false; readonly why: 'asked_to_wait' | 'keeps_failing'; readonly until: number };

/** How a request ended, as far as its host is concerned. */
export type HostResult = 'fine' | 'failed' | 'unknown';

const GRANTED: Admission = { granted: true };
const EVICT_ABOVE_HOSTS = 2000;

/**
 * Throttle per host (X5): limited concurrency, spacing between two requests, none while the host is rate limited, and
 * a circuit breaker while it fails. A failing host delays only its own feeds.
 */
export class HostThrottle {
  readonly #hosts = new Map<string, Host>();
  readonly #clock: Clock;
  readonly #policy: TrafficPolicy;
  readonly #random: () => number;
  #sweepAt = EVICT_ABOVE_HOSTS;

  constructor(clock: Clock, policy: TrafficPolicy, random: () => number) {
    this.#clock = clock;
    this.#policy = policy;
    this.#random = random;
  }

  /**
   * Waits until a request to this host may start. A granted slot is released with `leave`. `isRedirect` is for a redirect
   * within the host: it belongs to the request before it and does not wait for the spacing.
   */
  async enter(name: string, signal?: AbortSignal, isRedirect = false): Promise<Admission> {
    const host = this.#host(name);
    const early = this.#closedTo(host);
    if (early) return early;
    if (host.running < this.#policy.perHost) host.running++;
    else await queue(host.waiting, signal);
    const refused = await this.#space(host, signal, isRedirect);
    if (refused) this.#free(host);
    return refused ?? GRANTED;
  }

  leave(name: string, result: HostResult): void {
    const host = this.#host(name);
    if (result === 'fine') host.breaker.succeeded();
    else if (result === 'unknown') host.breaker.abandoned();
    else host.breaker.failed();
    this.#free(host);
  }

  /** The host has answered with a rate limit (429, or 503 with a time). */
  suspend(name: string, forMs: number): void {
    const host = this.#host(name);
    host.suspendedUntil = Math.max(host.suspendedUntil, this.#clock.monotonic() + forMs);
  }

  async #space(host: Host, signal: AbortSignal | undefined, isRedirect: boolean): Promise<Admission | null> {
    if (this.#policy.spacingMs > 0 && !isRedirect) {
      const now = this.#clock.monotonic();
      const start = Math.max(now, host.nextStart);
      host.nextStart = start + this.#policy.spacingMs;
      try {
        if (start > now) await this.#clock.sleep(start - now, signal);
      } catch (error) {
        this.#free(host);
        throw error;
      }
    }
    // The state may have changed during the wait.
    const closed = this.#closedTo(host);
    if (closed) return closed;
    const admission = host.breaker.admit();
    return admission.admitted ? null : { granted: false, why: 'keeps_failing', until: admission.until };
  }

  #closedTo(host: Host): Admission | null {
    const now = this.#clock.monotonic();
    if (now < host.suspendedUntil)
      return { granted: false, why: 'asked_to_wait', until: host.suspendedUntil };
    const admission = host.breaker.check();
    return admission.admitted ? null : { granted: false, why: 'keeps_failing', until: admission.until };
  }

  /** Passes the slot to the first waiting request, or releases it. */
  #free(host: Host): void {
    const next = host.waiting.shift();
    if (next) next();
    else host.running--;
  }

  #host(name: string): Host {
    let host = this.#hosts.get(name);
    if (!host) {
      if (this.#hosts.size >= this.#sweepAt) this.#evictIdleHosts();
      const breaker = new CircuitBreaker(this.#clock, this.#policy, this.#random);
      host = { running: 0, nextStart: 0, suspendedUntil: 0, breaker, waiting: [] };
      this.#hosts.set(name, host);
    }
    return host;
  }

  #evictIdleHosts(): void {
    const now = this.#clock.monotonic();
    for (const [name, host] of this.#hosts)
      if (
        host.running === 0 &&
        host.nextStart <= now &&
        host.suspendedUntil <= now &&
        host.breaker.openUntil <= now
      )
        this.#hosts.delete(name);
    this.#sweepAt = Math.max(EVICT_ABOVE_HOSTS, this.#hosts.size * 2);
  }
}

/** Waits in the queue; leaves it, and rejects, when the signal is aborted. */
function queue(waiting: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      const index = waiting.indexOf(next);
      if (index >= 0) waiting.splice(index, 1);
      reject(signal?.reason);
    };
    const next = (): void => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    waiting.push(next);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
