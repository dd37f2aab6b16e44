import { errorMessage } from '../telemetry/errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type Clock, endsTooLate, type LeaseWatch } from '../time/clock.ts';
import { sleepFor, stopsProgram } from './loop.ts';

/** Time-limited exclusive rights, shared by all replicas. A lease expires when its holder stops renewing it. */
export interface LeaseStore extends AsyncDisposable {
  readonly timing: LeaseTiming;
  /** `null` while another owner holds it. */
  acquire(name: string, owner: string, leaseMs: number): Promise<Lease | null>;
  /** False if the lease expired or another owner has acquired it since. */
  renew(lease: Lease, leaseMs: number): Promise<boolean>;
  /** Releases it early, so that no replica has to wait for its end. A no-op if it was lost. */
  release(lease: Lease): Promise<void>;
  /** The current holder. */
  holder(name: string): Promise<LeaseHolder | null>;
}

/** Duration of a lease, and how often to call the store, in milliseconds. */
export interface LeaseTiming {
  readonly leaseMs: number;
  readonly renewIntervalMs: number;
  /** How often a standby polls: a dead leader is replaced within a lease plus one interval. */
  readonly pollIntervalMs: number;
}

export interface Lease {
  readonly name: string;
  readonly owner: string;
  /** Fencing token: grows with each acquisition; a store that has seen a later one refuses. */
  readonly token: number;
}

export interface LeaseHolder extends Lease {
  readonly until: number;
}

export interface LeaderDependencies {
  readonly leases: LeaseStore;
  readonly clock: Clock;
  /** Name of the lease. */
  readonly name: string;
  readonly owner: string;
  readonly log: Logger;
  /** Called at every iteration of the loop, for the watchdog. */
  readonly onIteration?: () => void;
}

/**
 * Runs `act` while this replica holds the lease, and is on standby while another does, until the signal. The signal
 * of `act` is aborted as soon as the lease is lost; the lease is requested again only after `act` has returned. A
 * clean stop releases it, so that a standby takes over at once.
 */
export async function runWhileLeader(
  deps: LeaderDependencies,
  signal: AbortSignal,
  act: (lease: Lease, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { leases, clock, name, owner, log, onIteration } = deps;
  const { leaseMs, renewIntervalMs, pollIntervalMs } = leases.timing;
  while (!signal.aborted) {
    onIteration?.();
    const lease = await tryAcquire(deps);
    if (lease === null) {
      await sleepFor(clock, pollIntervalMs, signal);
      continue;
    }
    log.info('Acquired the lease, this replica is the leader', { as: name, owner, token: lease.token });
    const over = new AbortController();
    const renewing = keepLeaseRenewed(() => leases.renew(lease, leaseMs), {
      clock,
      leaseMs,
      intervalMs: renewIntervalMs,
      signal: over.signal,
      ...(onIteration !== undefined && { onIteration }),
      onFailure: ({ error }) => log.warn('Failed to renew the lease, retrying', { as: name, error }),
    }).then((lost) => {
      if (lost !== null) over.abort(new Error(`the lease "${name}" was lost`, { cause: lost.why }));
      return lost;
    });
    try {
      await act(lease, AbortSignal.any([signal, over.signal]));
    } finally {
      over.abort(new Error('it is over'));
      if ((await renewing) === null) await releaseLease(lease, deps);
      else log.warn('Lost the lease, this replica is no longer the leader', { as: name, owner });
    }
    const why = (await renewing)?.why;
    if (stopsProgram(why)) throw why;
  }
}

async function tryAcquire({ leases, name, owner, log }: LeaderDependencies): Promise<Lease | null> {
  try {
    return await leases.acquire(name, owner, leases.timing.leaseMs);
  } catch (error) {
    if (stopsProgram(error)) throw error;
    log.warn('Failed to acquire the lease, retrying', { as: name, error });
    return null;
  }
}

/** If this fails, the lease expires. */
async function releaseLease(lease: Lease, { leases, log }: LeaderDependencies): Promise<void> {
  try {
    await leases.release(lease);
  } catch (error) {
    log.warn('Failed to release the lease, it will expire', { as: lease.name, error });
  }
}

export interface RenewalOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  /** Called after every attempt, successful or not. */
  readonly onIteration?: () => void;
  /** Called when a renewal failed and is retried. */
  readonly onFailure?: (failure: RenewalFailure) => void;
}

export interface RenewalFailure {
  /** Consecutive failures, including this one. */
  readonly failures: number;
  readonly waitMs: number;
  readonly detail: string;
  readonly error: unknown;
}

/** `why` is the error of the store; `null` if another owner has the lease. */
export interface LeaseLoss {
  readonly why: unknown;
}

/** Maximum number of unanswered renewals. */
const MAX_PENDING_RENEWALS = 3;

/**
 * Renews a lease until the signal (`null`) or until it is lost. A renewal that fails or hangs is retried at a quarter
 * of the interval: a store that retries internally may take longer than the lease lasts. The lease counts as lost
 * when renewals still fail after its end, since another owner may have it by then, and after an error that stops the
 * program (A16). Never rejects.
 */
export async function keepLeaseRenewed(
  renew: () => Promise<boolean>,
  { clock, leaseMs, intervalMs, signal, onIteration, onFailure }: RenewalOptions,
): Promise<LeaseLoss | null> {
  let renewedAt = clock.monotonic();
  let pending = 0;
  const renewOnce = async (): Promise<boolean> => {
    const requestedAt = clock.monotonic();
    pending += 1;
    try {
      const isHeld = await renew();
      // Late answers count too.
      if (isHeld) renewedAt = Math.max(renewedAt, requestedAt);
      return isHeld;
    } finally {
      pending -= 1;
    }
  };
  let waitMs = intervalMs;
  for (let failures = 0; await sleepFor(clock, waitMs, signal); onIteration?.()) {
    let failure: unknown;
    try {
      const isHeld =
        pending < MAX_PENDING_RENEWALS ? await withTimeout(intervalMs / 2, renewOnce(), clock, signal) : null;
      if (signal.aborted) return null;
      if (isHeld === false) return { why: null };
      failure = isHeld ? null : new Error('the store does not answer');
    } catch (error) {
      if (stopsProgram(error) || clock.monotonic() - renewedAt >= leaseMs) return { why: error };
      failure = error;
    }
    failures = failure === null ? 0 : failures + 1;
    waitMs = failure === null ? intervalMs : intervalMs / 4;
    if (failure === null) continue;
    const detail = errorMessage(failure);
    onFailure?.({ failures, waitMs, detail, error: failure });
  }
  return null;
}

/** `null` on timeout or if the signal came first; a later answer is ignored. */
async function withTimeout<T>(
  limitMs: number,
  answer: Promise<T>,
  clock: Clock,
  signal: AbortSignal,
): Promise<T | null> {
  const over = new AbortController();
  answer.catch(() => {});
  const limit = clock.sleep(limitMs, AbortSignal.any([signal, over.signal])).catch(() => {});
  try {
    return await Promise.race([answer, limit.then(() => null)]);
  } finally {
    over.abort();
  }
}

/**
 * Detects dead leases that end later than a lease can, because their holder's clock was ahead. A live holder renews
 * its lease; one that stays unchanged for the duration of a lease is dead.
 */
export class StalledLeaseDetector implements LeaseWatch {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { readonly until: number; readonly since: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isOver(name: string, until: number, leaseMs: number): boolean {
    const now = this.#clock.now();
    if (until <= now) return true;
    if (!endsTooLate(until, leaseMs, now)) return false;
    const seen = this.#seen.get(name);
    if (seen?.until === until) return this.#clock.monotonic() - seen.since >= leaseMs;
    this.#seen.set(name, { until, since: this.#clock.monotonic() });
    return false;
  }
}
