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
  /** It is not ok, and the rest works without it: the replica stays ready. */
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
 * By which it is seen that the program's loops turn. A loop says at each turn by when it will be back; one that is not has
 * hung, and only a restart helps. Trouble outside (a store that is away, a judge that refuses) stops no loop.
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

  /** The loop has ended as it should. */
  remove(loop: string): void {
    this.#deadlines.delete(loop);
  }

  /** Loops that did not come back in time. */
  overdue(): readonly string[] {
    const now = this.#clock.monotonic();
    return [...this.#deadlines].filter(([, back]) => back < now).map(([loop]) => loop);
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
  /** From which homes are served while the timeline store is away. */
  readonly social: Pick<SocialStore, 'getFollowersPage' | 'getDropsByUserId'>;
  readonly leases: LeaseStore;
  readonly owner: string;
  readonly heartbeats: Heartbeats;
  /** Comes when the program begins to stop: from then on nobody new is sent here. */
  readonly stopping: () => boolean;
}

/** What a part says about itself, where it says anything. `degraded`: what it cannot do, while the rest of the replica works. */
type CheckAnswer = { readonly detail?: string; readonly degraded?: boolean };
type Check = readonly [name: string, ask: () => Promise<CheckAnswer>];

/**
 * Whether this replica can do its part: each store that its roles need is asked something small; what fails is named. A replica that
 * is degraded stays ready: another one would have the same trouble.
 */
export async function checkReadiness(deps: HealthDependencies): Promise<Readiness> {
  if (deps.stopping()) return { ready: false, parts: { program: { ok: false, detail: 'it is stopping' } } };
  const answers = await Promise.all(
    readinessChecks(deps).map(async ([name, ask]) => {
      try {
        const said = await ask();
        return [name, { ok: said.degraded !== true, ...said }] as const;
      } catch (error) {
        const detail = errorMessage(error);
        return [name, { ok: false, detail }] as const;
      }
    }),
  );
  const ready = answers.every(([, part]) => part.ok || ('degraded' in part && part.degraded === true));
  return { ready, parts: Object.fromEntries(answers) };
}

/** A program whose loops turn is alive, whatever is away outside: restarting it would not bring that back. */
export function checkLiveness({ heartbeats: pulse }: Pick<HealthDependencies, 'heartbeats'>): Liveness {
  const hung = pulse.overdue();
  return { alive: hung.length === 0, ...(hung.length > 0 && { hung }) };
}

function readinessChecks(deps: HealthDependencies): Check[] {
  const { roles, pipelines, sources, leases, owner } = deps;
  const checks: Check[] = [];
  // One question for all that want to know it.
  let asked: Promise<LeaseHolder | null> | undefined;
  const holding = (): Promise<LeaseHolder | null> => (asked ??= leases.holder(SCHEDULER_LEASE));
  const add = (name: string, ask: () => Promise<unknown>): void => {
    checks.push([
      name,
      async () => {
        await ask();
        return {};
      },
    ]);
  };
  const needsStores = roles.has('web') || roles.has('worker') || roles.has('scheduler');
  // All of them are one connection there, and every question is paid for.
  if (needsStores && deps.engine === 'distributed') add('firestore', holding);
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
        const holder = await holding();
        if (holder === null) return { detail: 'nobody acts yet' };
        return { detail: holder.owner === owner ? 'acts' : `stands by for ${holder.owner}` };
      },
    ]);
  return checks;
}

/** Without Redis homes are served from the services, and local and global are not there (C18). */
async function checkTimelines({ timelines, social }: HealthDependencies): Promise<CheckAnswer> {
  try {
    await timelines.page('timeline:global', { limit: 1 });
    return {};
  } catch (error) {
    if (!(error instanceof TimelinesUnavailableError)) throw error;
    await checkSocialStore(social);
    return {
      degraded: true,
      detail: 'Redis is away: home timelines are read from the services, local and global are not served',
    };
  }
}
