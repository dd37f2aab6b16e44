import type { Holder, LeaseStore } from '../pipelines/lease-store.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { Liveness, Readiness } from '../server/newsroom.ts';
import type { SourceStore } from '../sources/source-store.ts';
import type { TimelineReader } from '../timeline/timeline-reader.ts';
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
  readonly leases: LeaseStore;
  readonly owner: string;
  readonly pulse: Pulse;
  /** Comes when the program begins to stop: from then on nobody new is sent here. */
  readonly stopping: () => boolean;
}

type Check = readonly [name: string, ask: () => Promise<string | undefined>];

/** Whether this copy can do its part: each store that its roles need is asked something small; what fails is named. */
export async function readiness(parts: ReadinessParts): Promise<Readiness> {
  if (parts.stopping()) return { ready: false, parts: { program: { ok: false, detail: 'it is stopping' } } };
  const answers = await Promise.all(
    checksOf(parts).map(async ([name, ask]) => {
      try {
        const detail = await ask();
        return [name, { ok: true, ...(detail !== undefined && { detail }) }] as const;
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        return [name, { ok: false, detail }] as const;
      }
    }),
  );
  return { ready: answers.every(([, { ok }]) => ok), parts: Object.fromEntries(answers) };
}

/** A program whose loops turn is alive, whatever is away outside: restarting it would not bring that back. */
export function liveness({ pulse }: Pick<ReadinessParts, 'pulse'>): Liveness {
  const hung = pulse.missing();
  return { alive: hung.length === 0, ...(hung.length > 0 && { hung }) };
}

function checksOf(parts: ReadinessParts): Check[] {
  const { roles, pipelines, sources, timelines, leases, owner } = parts;
  const checks: Check[] = [];
  // One question for all that want to know it.
  let asked: Promise<Holder | null> | undefined;
  const holding = (): Promise<Holder | null> => (asked ??= leases.holder(SCHEDULER));
  const add = (name: string, ask: () => Promise<unknown>): void => {
    checks.push([
      name,
      async () => {
        await ask();
        return undefined;
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
  if (roles.has('web') || roles.has('timeline'))
    add('timelines', () => timelines.page('timeline:global', { limit: 1 }));
  if (roles.has('scheduler'))
    checks.push([
      'scheduler',
      async () => {
        const holder = await holding();
        if (holder === null) return 'nobody acts yet';
        return holder.owner === owner ? 'acts' : `stands by for ${holder.owner}`;
      },
    ]);
  return checks;
}
