import { allGoing, endless } from '../pipelines/endless.ts';
import type { LeaseStore } from '../pipelines/lease-store.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { whileLeased } from '../pipelines/while-leased.ts';
import type { Poller } from '../sources/poller.ts';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import type { Pulse } from './pulse.ts';
import type { Retention } from './retention.ts';
import type { Roles } from './roles.ts';
import type { Stories } from './stories.ts';

/** The lease of the scheduler that acts. */
export const SCHEDULER = 'scheduler';
const POLLER = 'poller';
/** A turn of the scheduler's loop is a few seconds of waiting and one call; Firestore's own tries take a minute. */
const LONGEST_TURN = 5 * MINUTE;

export interface GoingParts {
  readonly roles: Roles;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly poller: Poller;
  readonly retention: Retention;
  readonly stories: Stories | null;
  readonly leases: LeaseStore;
  readonly clock: Clock;
  readonly owner: string;
  readonly log: Logger;
  readonly events: Pick<Events, 'loopFailed'>;
  readonly pulse: Pulse;
  /** Told when this copy begins to act as the scheduler, and when it ends. */
  readonly onActing?: (acts: boolean) => void;
}

/** What a copy with these roles does, until the signal. */
export async function keepGoing(parts: GoingParts, signal: AbortSignal): Promise<void> {
  const { roles, pipelines } = parts;
  const scheduling = roles.has('scheduler') ? [(stop: AbortSignal) => keepScheduling(parts, stop)] : [];
  const working = roles.has('worker')
    ? [...pipelines.values()].map((each) => (stop: AbortSignal) => each.keepWorking(stop))
    : [];
  await allGoing([...scheduling, ...working], signal);
}

async function keepScheduling(parts: GoingParts, running: AbortSignal): Promise<void> {
  const { pipelines, retention, stories, pulse } = parts;
  const onTurn = (): void => pulse.beat(SCHEDULER, LONGEST_TURN);
  await whileLeased({ ...parts, name: SCHEDULER, onTurn }, running, async ({ token: fence }, signal) => {
    parts.onActing?.(true);
    signal.addEventListener('abort', () => parts.onActing?.(false), { once: true });
    const scheduled = [...pipelines.values(), retention, ...(stories === null ? [] : [stories])].map(
      (each) => (stop: AbortSignal, ended: AbortSignal) =>
        each.keepScheduled({ signal: stop, running: AbortSignal.any([running, ended]), fence }),
    );
    const polling = (stop: AbortSignal, ended: AbortSignal): Promise<void> =>
      keepPolling(parts, stop, AbortSignal.any([running, ended]));
    await allGoing([polling, ...scheduled], signal);
  });
  pulse.forget(SCHEDULER);
}

/** The loop over all sources, until this replica is no longer the scheduler. */
async function keepPolling(
  { poller, pulse, clock, events }: GoingParts,
  signal: AbortSignal,
  running: AbortSignal,
): Promise<void> {
  const onTurn = (): void => pulse.beat(POLLER, LONGEST_TURN);
  const turn = async (): Promise<'over'> => {
    await poller.keepPolling(signal, running, onTurn);
    return 'over';
  };
  await endless(turn, { pipeline: 'sources', loop: 'polling', clock, events }, signal);
  pulse.forget(POLLER);
}
