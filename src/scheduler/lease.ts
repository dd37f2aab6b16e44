import { errorMessage } from '../telemetry/errors.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type Clock, endsTooLate, type LeaseWatch } from '../time/clock.ts';
import { sleepFor, stopsProgram } from './loop.ts';

/**
 * The right to do something that only one copy of the program may do at a time. A lease ends by itself when its holder stops
 * renewing it, so a copy that died holds nothing for longer than that.
 */
export interface LeaseStore extends AsyncDisposable {
  readonly timing: LeaseTiming;
  /** Takes the right; `null` while another holds it. */
  acquire(name: string, owner: string, leaseMs: number): Promise<Lease | null>;
  /** False when the right was lost: it ran out, or another took it since. */
  renew(lease: Lease, leaseMs: number): Promise<boolean>;
  /** Releases it before its end, so that no replica has to wait for that. Changes nothing where it was lost. */
  release(lease: Lease): Promise<void>;
  /** Who holds it now. */
  holder(name: string): Promise<LeaseHolder | null>;
}

/** How long a lease lasts without being renewed, and how often the store may be asked, in milliseconds. */
export interface LeaseTiming {
  readonly leaseMs: number;
  readonly renewIntervalMs: number;
  /** How often those look who stand by: a copy that died is replaced within a lease and one look. */
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
  /** What only one copy may do. */
  readonly name: string;
  readonly owner: string;
  readonly log: Logger;
  /** Called at every iteration of the loop, for the watchdog. */
  readonly onTurn?: () => void;
}

/**
 * Acts while this replica holds the lease, and is on standby while another does, until the signal. `act` gets a signal that comes as
 * soon as the lease is lost; only when `act` has returned is the lease tried for again. A clean stop gives it back, so that
 * the next copy acts at once.
 */
export async function runWhileLeader(
  deps: LeaderDependencies,
  signal: AbortSignal,
  act: (lease: Lease, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { leases, clock, name, owner, log, onTurn } = deps;
  const { leaseMs, renewIntervalMs: renewEveryMs, pollIntervalMs: lookEveryMs } = leases.timing;
  while (!signal.aborted) {
    onTurn?.();
    const lease = await tryAcquire(deps);
    if (lease === null) {
      await sleepFor(clock, lookEveryMs, signal);
      continue;
    }
    log.info('This copy acts now', { as: name, owner, token: lease.token });
    const over = new AbortController();
    const keeping = keepLeaseRenewed(() => leases.renew(lease, leaseMs), {
      clock,
      leaseMs,
      intervalMs: renewEveryMs,
      signal: over.signal,
      ...(onTurn !== undefined && { onTurn }),
      onFailure: ({ error }) =>
        log.warn('The lease could not be renewed; it is tried again', { as: name, error }),
    }).then((lost) => {
      if (lost !== null) over.abort(new Error(`the lease "${name}" was lost`, { cause: lost.why }));
      return lost;
    });
    try {
      await act(lease, AbortSignal.any([signal, over.signal]));
    } finally {
      over.abort(new Error('it is over'));
      if ((await keeping) === null) await releaseLease(lease, deps);
      else log.warn('This copy acts no longer: its lease was lost', { as: name, owner });
    }
    const why = (await keeping)?.why;
    if (stopsProgram(why)) throw why;
  }
}

async function tryAcquire({ leases, name, owner, log }: LeaderDependencies): Promise<Lease | null> {
  try {
    return await leases.acquire(name, owner, leases.timing.leaseMs);
  } catch (error) {
    if (stopsProgram(error)) throw error;
    log.warn('The lease could not be asked for; it is tried again', { as: name, error });
    return null;
  }
}

/** Where that fails, the lease ends by itself. */
async function releaseLease(lease: Lease, { leases, log }: LeaderDependencies): Promise<void> {
  try {
    await leases.release(lease);
  } catch (error) {
    log.warn('The lease could not be given back; it ends by itself', { as: lease.name, error });
  }
}

export interface RenewalOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  /** Called at every turn, whether it went well or not. */
  readonly onTurn?: () => void;
  /** The store could not be asked, and is asked again. */
  readonly onFailure?: (trouble: RenewalFailure) => void;
}

export interface RenewalFailure {
  /** In a row, this one included. */
  readonly failures: number;
  readonly waitMs: number;
  readonly detail: string;
  readonly error: unknown;
}

/** `why` is the store's own error, where that was the reason; otherwise another has it. */
export interface LeaseLoss {
  readonly why: unknown;
}

/** So many renewals may be without an answer before the next one waits for them. */
const MAX_PENDING_RENEWALS = 3;

/**
 * Renews a lease until the signal (`null`) or until it is lost. While the store cannot be asked it tries on, sooner than
 * otherwise, and so it does while the store gives no answer: a store that retries by itself may wait longer than the lease
 * lasts. Where the store fails past the lease's end by its own measure, the lease counts as lost, since by then another may
 * have it, and so it does after an error that stops the program (A16). It never fails itself, so it may run beside what it
 * serves.
 */
export async function keepLeaseRenewed(
  renew: () => Promise<boolean>,
  { clock, leaseMs, intervalMs: everyMs, signal, onTurn, onFailure: onTrouble }: RenewalOptions,
): Promise<LeaseLoss | null> {
  let renewedAt = clock.monotonic();
  let pending = 0;
  const renewOnce = async (): Promise<boolean> => {
    const asked = clock.monotonic();
    pending += 1;
    try {
      const isOurs = await renew();
      // Also where the answer came late.
      if (isOurs) renewedAt = Math.max(renewedAt, asked);
      return isOurs;
    } finally {
      pending -= 1;
    }
  };
  let waitMs = everyMs;
  for (let failures = 0; await sleepFor(clock, waitMs, signal); onTurn?.()) {
    let trouble: unknown;
    try {
      const isOurs =
        pending < MAX_PENDING_RENEWALS ? await withTimeout(everyMs / 2, renewOnce(), clock, signal) : null;
      if (signal.aborted) return null;
      if (isOurs === false) return { why: null };
      trouble = isOurs ? null : new Error('the store gives no answer');
    } catch (error) {
      if (stopsProgram(error) || clock.monotonic() - renewedAt >= leaseMs) return { why: error };
      trouble = error;
    }
    failures = trouble === null ? 0 : failures + 1;
    waitMs = trouble === null ? everyMs : everyMs / 4;
    if (trouble === null) continue;
    const detail = errorMessage(trouble);
    onTrouble?.({ failures, waitMs, detail, error: trouble });
  }
  return null;
}

/** `null` where there is no answer in time, or the signal came first; what the answer is afterwards does not matter. */
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
 * Leases that end later than any lease can: their holder's clock was ahead. A holder that lives renews its lease; one that was
 * seen unchanged for the time of a lease is over, whatever its end.
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
