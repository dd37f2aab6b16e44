import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { stopsProgram } from './ending-errors.ts';
import { keepRenewed } from './keep-renewed.ts';
import type { Lease, LeaseStore } from './lease-store.ts';
import { slept } from './slept.ts';

export interface LeasedParts {
  readonly leases: LeaseStore;
  readonly clock: Clock;
  /** What only one copy may do. */
  readonly name: string;
  readonly owner: string;
  readonly log: Logger;
  /** Called at every turn of the loop, for whoever watches that it turns. */
  readonly onTurn?: () => void;
}

/**
 * Acts while this copy holds the lease, and stands by while another does, until the signal. `act` gets a signal that comes as
 * soon as the lease is lost; only when `act` has returned is the lease tried for again. A clean stop gives it back, so that
 * the next copy acts at once.
 */
export async function whileLeased(
  parts: LeasedParts,
  signal: AbortSignal,
  act: (lease: Lease, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { leases, clock, name, owner, log, onTurn } = parts;
  const { leaseMs, renewEveryMs, lookEveryMs } = leases.pace;
  while (!signal.aborted) {
    onTurn?.();
    const lease = await taken(parts);
    if (lease === null) {
      await slept(clock, lookEveryMs, signal);
      continue;
    }
    log.info('This copy acts now', { as: name, owner, token: lease.token });
    const over = new AbortController();
    const keeping = keepRenewed(() => leases.renew(lease, leaseMs), {
      clock,
      leaseMs,
      everyMs: renewEveryMs,
      signal: over.signal,
      ...(onTurn !== undefined && { onTurn }),
      onTrouble: ({ error }) =>
        log.warn('The lease could not be renewed; it is tried again', { as: name, error }),
    }).then((lost) => {
      if (lost !== null) over.abort(new Error(`the lease "${name}" was lost`, { cause: lost.why }));
      return lost;
    });
    try {
      await act(lease, AbortSignal.any([signal, over.signal]));
    } finally {
      over.abort(new Error('it is over'));
      if ((await keeping) === null) await givenBack(lease, parts);
      else log.warn('This copy acts no longer: its lease was lost', { as: name, owner });
    }
    const why = (await keeping)?.why;
    if (stopsProgram(why)) throw why;
  }
}

async function taken({ leases, name, owner, log }: LeasedParts): Promise<Lease | null> {
  try {
    return await leases.take(name, owner, leases.pace.leaseMs);
  } catch (error) {
    if (stopsProgram(error)) throw error;
    log.warn('The lease could not be asked for; it is tried again', { as: name, error });
    return null;
  }
}

/** Where that fails, the lease ends by itself. */
async function givenBack(lease: Lease, { leases, log }: LeasedParts): Promise<void> {
  try {
    await leases.release(lease);
  } catch (error) {
    log.warn('The lease could not be given back; it ends by itself', { as: lease.name, error });
  }
}
