import type { Pipeline } from '../pipelines/pipeline.ts';

import type { Poller } from '../sources/poller.ts';
import type { StoryService } from '../stories/story-service.ts';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import type { Heartbeats } from './health.ts';
import { type LeaseStore, runWhileLeader } from './lease.ts';
import { runLoop, runTogether } from './loop.ts';
import type { Retention } from './retention.ts';

/** `timelines`: timeline pages and streams, without the web page. `health`: health checks and metrics only. */
export type Surface = 'everything' | 'timelines' | 'health';

/** The lease of the leading scheduler. */
export const SCHEDULER_LEASE = 'scheduler';
const POLLER = 'poller';
/** An iteration of the scheduler's loop takes seconds and one call; Firestore's own retries take a minute. */
const MAX_ITERATION_MS = 5 * MINUTE;

export interface ReplicaDependencies {
  readonly roles: Roles;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly poller: Poller;
  readonly retention: Retention;
  readonly stories: StoryService | null;
  readonly leases: LeaseStore;
  readonly clock: Clock;
  readonly owner: string;
  readonly log: Logger;
  readonly events: Pick<Events, 'loopFailed'>;
  readonly heartbeats: Heartbeats;
  /** Called when this replica becomes the leader, and when it stops being it. */
  readonly onLeadership?: (isLeader: boolean) => void;
}

/** Runs the loops of a replica with these roles, until the signal. */
export async function runRoles(deps: ReplicaDependencies, signal: AbortSignal): Promise<void> {
  const { roles, pipelines } = deps;
  const scheduling = roles.has('scheduler') ? [(stop: AbortSignal) => runScheduler(deps, stop)] : [];
  const working = roles.has('worker')
    ? [...pipelines.values()].map((each) => (stop: AbortSignal) => each.runBackgroundWork(stop))
    : [];
  await runTogether([...scheduling, ...working], signal);
}

async function runScheduler(deps: ReplicaDependencies, running: AbortSignal): Promise<void> {
  const { pipelines, retention, stories, leases, clock, owner, log, heartbeats } = deps;
  const onIteration = (): void => heartbeats.beat(SCHEDULER_LEASE, MAX_ITERATION_MS);
  await runWhileLeader(
    { name: SCHEDULER_LEASE, leases, clock, owner, log, onIteration },
    running,
    async ({ token: fence }, signal) => {
      deps.onLeadership?.(true);
      signal.addEventListener('abort', () => deps.onLeadership?.(false), { once: true });
      const scheduled = [...pipelines.values(), retention, ...(stories === null ? [] : [stories])].map(
        (each) => (stop: AbortSignal, ended: AbortSignal) =>
          each.runOnSchedule({ signal: stop, runSignal: AbortSignal.any([running, ended]), fence }),
      );
      const polling = (stop: AbortSignal, ended: AbortSignal): Promise<void> =>
        keepPolling(deps, stop, AbortSignal.any([running, ended]));
      await runTogether([polling, ...scheduled], signal);
    },
  );
  heartbeats.remove(SCHEDULER_LEASE);
}

/** Polls all sources until this replica is no longer the leader. */
async function keepPolling(
  { poller, heartbeats, clock, events }: ReplicaDependencies,
  signal: AbortSignal,
  running: AbortSignal,
): Promise<void> {
  const onIteration = (): void => heartbeats.beat(POLLER, MAX_ITERATION_MS);
  const iterate = async (): Promise<'over'> => {
    await poller.keepPolling(signal, running, onIteration);
    return 'over';
  };
  await runLoop(iterate, { pipeline: 'sources', loop: 'polling', clock, events }, signal);
  heartbeats.remove(POLLER);
}

/** Roles of a replica. Any number of replicas may have each role; one scheduler is the leader. */
export const ROLES = {
  web: 'the page, the API, feeds and live streams',
  timeline: 'fans drops out to timelines, serves them over gRPC, streams and the API',
  worker: 'sends messages and processes what queues deliver',
  scheduler: 'starts runs and sweeps when they are due; one at a time, the others stand by',
} as const;

export type Role = keyof typeof ROLES;
export type Roles = ReadonlySet<Role>;

export const ALL_ROLES: Roles = new Set(Object.keys(ROLES) as Role[]);

export type ParsedRoles =
  | { readonly ok: true; readonly roles: Roles }
  | { readonly ok: false; readonly why: string };

/** Reads `web,worker` and the like; `all` and nothing at all mean every role. */
export function parseRoles(words: readonly string[], engine: 'embedded' | 'distributed'): ParsedRoles {
  const names = words.flatMap((word) => word.split(',').map((name) => name.trim())).filter(Boolean);
  const unknown = names.find((name) => name !== 'all' && !Object.hasOwn(ROLES, name));
  if (unknown !== undefined)
    return {
      ok: false,
      why: `there is no role \`${unknown.slice(0, 40)}\`: choose from all, ${Object.keys(ROLES).join(', ')}`,
    };
  const roles = names.length === 0 || names.includes('all') ? ALL_ROLES : new Set(names as Role[]);
  if (engine === 'embedded' && roles.size < ALL_ROLES.size)
    return {
      ok: false,
      why: 'the embedded engine keeps its timelines in one process, so it knows only the role `all`: leave --role out, or set `engine: { kind: distributed, … }` to run roles apart',
    };
  return { ok: true, roles };
}

/** What a replica with these roles serves. */
export function surfaceOf(roles: Roles): Surface {
  if (roles.has('web')) return 'everything';
  return roles.has('timeline') ? 'timelines' : 'health';
}
