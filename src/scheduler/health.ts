import type { Pipeline } from '../pipelines/pipeline.ts';

import { checkSocialStore, type SocialStore } from '../social/social-store.ts';
import type { SourceStore } from '../sources/source.ts';
import { checkDiskSpace } from '../telemetry/disk-space.ts';
import { errorMessage } from '../telemetry/errors.ts';
import type { Clock } from '../time/clock.ts';
import { type TimelineReader, TimelinesUnavailableError } from '../timelines/timeline-store.ts';
import type { LeaseHolder, LeaseStore } from './lease.ts';
import { type Roles, SCHEDULER_LEASE } from './roles.ts';

export interface ReadinessPart {
  readonly ok: boolean;
  /** It fails, but the rest works without it: the replica stays ready. */
  readonly degraded?: boolean;
  readonly detail?: string;
}

export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, ReadinessPart>>;
}

export interface Liveness {
  readonly alive: boolean;
  /** Loops that did not come back in time. */
  readonly hung?: readonly string[];
}

/**
 * Watchdog of the program's loops. Each iteration sets a deadline for the next; a loop that misses it hangs, and only
 * a restart helps. Outside failures (an unavailable store, a judge that refuses) hang no loop.
 */
export class Heartbeats {
  readonly #clock: Clock;
  readonly #deadlines = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  beat(loop: string, withinMs: number): void {
    this.#deadlines.set(loop, this.#clock.monotonic() + withinMs);
  }

  /** Call it when the loop has ended normally. */
  remove(loop: string): void {
    this.#deadlines.delete(loop);
  }

  /** Loops that did not come back in time. */
  overdue(): readonly string[] {
    const now = this.#clock.monotonic();
    return [...this.#deadlines].filter(([, deadline]) => deadline < now).map(([loop]) => loop);
  }
}

export interface HealthDependencies {
  readonly roles: Roles;
  readonly engine: 'embedded' | 'distributed';
  /** The folder of the embedded engine's files. */
  readonly dataFolder: string;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly sources: SourceStore;
  readonly timelines: Pick<TimelineReader, 'page'>;
  /** Serves home timelines while the timeline store is unavailable. */
  readonly social: Pick<SocialStore, 'getFollowersPage' | 'getDropsByUserId'>;
  readonly leases: LeaseStore;
  readonly owner: string;
  readonly heartbeats: Heartbeats;
  /** True once the program begins to stop: the load balancer then sends no new clients. */
  readonly stopping: () => boolean;
}

/** Details of a passed check. `degraded`: the part fails while the rest of the replica works. */
type CheckAnswer = { readonly detail?: string; readonly degraded?: boolean };
type Check = readonly [name: string, run: () => Promise<CheckAnswer>];

/**
 * Whether this replica can serve: makes one cheap request to each store that its roles need and names those that
 * fail. A degraded replica stays ready: another one would have the same failure.
 */
export async function checkReadiness(deps: HealthDependencies): Promise<Readiness> {
  if (deps.stopping()) return { ready: false, parts: { program: { ok: false, detail: 'shutting down' } } };
  const answers = await Promise.all(
    readinessChecks(deps).map(async ([name, run]) => {
      try {
        const answer = await run();
        return [name, { ok: answer.degraded !== true, ...answer }] as const;
      } catch (error) {
        const detail = errorMessage(error);
        return [name, { ok: false, detail }] as const;
      }
    }),
  );
  const ready = answers.every(([, part]) => part.ok || ('degraded' in part && part.degraded === true));
  return { ready, parts: Object.fromEntries(answers) };
}

/** A program whose loops iterate is alive, whatever is unavailable outside: a restart would not help. */
export function checkLiveness({ heartbeats }: Pick<HealthDependencies, 'heartbeats'>): Liveness {
  const hung = heartbeats.overdue();
  return { alive: hung.length === 0, ...(hung.length > 0 && { hung }) };
}

function readinessChecks(deps: HealthDependencies): Check[] {
  const { roles, pipelines, sources, leases, owner } = deps;
  const checks: Check[] = [];
  // One request, shared by all checks that need it.
  let request: Promise<LeaseHolder | null> | undefined;
  const leaseHolder = (): Promise<LeaseHolder | null> => (request ??= leases.holder(SCHEDULER_LEASE));
  const add = (name: string, run: () => Promise<unknown>): void => {
    checks.push([
      name,
      async () => {
        await run();
        return {};
      },
    ]);
  };
  const needsStores = roles.has('web') || roles.has('worker') || roles.has('scheduler');
  // There all stores share one connection, and every read is billed.
  if (needsStores && deps.engine === 'distributed') add('firestore', leaseHolder);
  else if (needsStores) {
    add('disk', () => checkDiskSpace(deps.dataFolder));
    add('sources', () => sources.list());
    for (const { id, ledger } of pipelines.values()) add(`ledger:${id}`, () => ledger.counts());
  }
  if (roles.has('web') || roles.has('timeline')) checks.push(['timelines', () => checkTimelines(deps)]);
  if (roles.has('scheduler'))
    checks.push([
      'scheduler',
      async () => {
        const holder = await leaseHolder();
        if (holder === null) return { detail: 'no leader yet' };
        return { detail: holder.owner === owner ? 'leader' : `standby of ${holder.owner}` };
      },
    ]);
  return checks;
}

/** Without Redis home timelines are read from the services, and local and global are unavailable (C18). */
async function checkTimelines({ timelines, social }: HealthDependencies): Promise<CheckAnswer> {
  try {
    await timelines.page('timeline:global', { limit: 1 });
    return {};
  } catch (error) {
    if (!(error instanceof TimelinesUnavailableError)) throw error;
    await checkSocialStore(social);
    return {
      degraded: true,
      detail:
        'Redis is unavailable: home timelines are read from the services, local and global are not served',
    };
  }
}
