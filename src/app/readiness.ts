import type { Holder, LeaseStore } from '../pipelines/lease-store.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { Liveness, Readiness } from '../server/newsroom.ts';
import { askSocial } from '../social/ask-social.ts';
import type { SocialStore } from '../social/services.ts';
import type { SourceStore } from '../sources/source-store.ts';
import { errorMessage } from '../telemetry/errors.ts';
import type { TimelineReader } from '../timeline/timeline-reader.ts';
import { TimelinesUnavailableError } from '../timeline/unavailable.ts';
import { checkDiskSpace } from './disk-space.ts';
import { SCHEDULER } from './going.ts';
import type { Pulse } from './pulse.ts';
import type { Roles } from './roles.ts';

export interface ReadinessParts {
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
  readonly pulse: Pulse;
  /** Comes when the program begins to stop: from then on nobody new is sent here. */
  readonly stopping: () => boolean;
}

/** What a part says about itself, where it says anything. `degraded`: what it cannot do, while the rest of the replica works. */
type Said = { readonly detail?: string; readonly degraded?: boolean };
type Check = readonly [name: string, ask: () => Promise<Said>];

/**
 * Whether this replica can do its part: each store that its roles need is asked something small; what fails is named. A replica that
 * is degraded stays ready: another one would have the same trouble.
 */
export async function readiness(parts: ReadinessParts): Promise<Readiness> {
  if (parts.stopping()) return { ready: false, parts: { program: { ok: false, detail: 'it is stopping' } } };
  const answers = await Promise.all(
    checksOf(parts).map(async ([name, ask]) => {
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
export function liveness({ pulse }: Pick<ReadinessParts, 'pulse'>): Liveness {
  const hung = pulse.missing();
  return { alive: hung.length === 0, ...(hung.length > 0 && { hung }) };
}

function checksOf(parts: ReadinessParts): Check[] {
  const { roles, pipelines, sources, leases, owner } = parts;
  const checks: Check[] = [];
  // One question for all that want to know it.
  let asked: Promise<Holder | null> | undefined;
  const holding = (): Promise<Holder | null> => (asked ??= leases.holder(SCHEDULER));
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
  if (needsStores && parts.engine === 'distributed') add('firestore', holding);
  else if (needsStores) {
    add('disk', () => checkDiskSpace(parts.dataFolder));
    add('sources', () => sources.list());
    for (const { id, ledger } of pipelines.values()) add(`ledger:${id}`, () => ledger.counts());
  }
  if (roles.has('web') || roles.has('timeline')) checks.push(['timelines', () => askTimelines(parts)]);
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
async function askTimelines({ timelines, social }: ReadinessParts): Promise<Said> {
  try {
    await timelines.page('timeline:global', { limit: 1 });
    return {};
  } catch (error) {
    if (!(error instanceof TimelinesUnavailableError)) throw error;
    await askSocial(social);
    return {
      degraded: true,
      detail: 'Redis is away: home timelines are read from the services, local and global are not served',
    };
  }
}
