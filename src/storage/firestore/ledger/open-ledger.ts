import { randomUUID } from 'node:crypto';
import type { LifecyclePolicy } from '../../../item/lifecycle.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import type { Clock } from '../../../time/clock.ts';
import type { FirestoreConnection } from '../connection.ts';
import { FirestoreOutbox } from '../outbox.ts';
import { ITEMS, type Layout, VIDEOS } from './layouts.ts';
import { FirestoreLedger } from './ledger.ts';
import { LedgerStore, SequenceNumbers } from './ledger-store.ts';
import type { CountsTtl } from './list.ts';

export interface FirestoreLedgerOptions {
  /** Shared by all parts; the caller closes it. */
  readonly connection: FirestoreConnection;
  /** By pipeline kind: summarise has items, process has videos. */
  readonly layout: 'items' | 'videos';
  readonly clock: Clock;
  readonly policy: LifecyclePolicy;
  /** Prefix of the layout's collections, for the second pipeline of a kind. */
  readonly prefix?: string;
  /** How long a count may be cached; not cached where absent. */
  readonly countsTtl?: CountsTtl;
}

/** Ledger and outbox of a pipeline on Firestore. */
export interface FirestorePipelineStores extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly outbox: Outbox;
  /** Adopts what another program of the same contract recorded or changed. Returns the number of items. */
  adopt(signal?: AbortSignal): Promise<number>;
}

const LAYOUTS: Readonly<Record<'items' | 'videos', Layout>> = { items: ITEMS, videos: VIDEOS };

export function openFirestoreLedger(options: FirestoreLedgerOptions): FirestorePipelineStores {
  const { connection, clock, policy, prefix = '' } = options;
  const store = new LedgerStore({
    connection,
    layout: withPrefix(LAYOUTS[options.layout], prefix),
    clock,
    order: new SequenceNumbers(() => clock.now()),
    newName: () => randomUUID(),
    random: Math.random,
  });
  const ledger = new FirestoreLedger(store, policy, options.countsTtl);
  return {
    ledger,
    outbox: new FirestoreOutbox(store),
    adopt: (signal) => ledger.adopt(signal),
    [Symbol.asyncDispose]: async () => {},
  };
}

function withPrefix(layout: Layout, prefix: string): Layout {
  return {
    ...layout,
    items: prefix + layout.items,
    tombstones: prefix + layout.tombstones,
    outbox: prefix + layout.outbox,
    sources: prefix + layout.sources,
  };
}

const PREFIX_OWNERS = 'layout_owners';

/**
 * The prefix of a pipeline's collections: none for the first pipeline that ever used its layout, its own ID for all others.
 * The first one is stored, so that neither order nor absence in the configuration changes it.
 */
export function collectionPrefix(
  connection: FirestoreConnection,
  layout: string,
  pipeline: string,
): Promise<string> {
  const at = [PREFIX_OWNERS, layout] as const;
  return connection.mutate(at, (owner) => {
    const first: unknown = owner.get('pipeline');
    if (first === undefined) return { value: '', writes: [{ do: 'create', at, data: { pipeline } }] };
    return { value: first === pipeline ? '' : `${pipeline}-`, writes: [] };
  });
}

/** The pipeline whose collections have no prefix; `null` where no pipeline has used this layout. */
export async function pipelineWithoutPrefix(
  connection: FirestoreConnection,
  layout: string,
): Promise<string | null> {
  const first: unknown = (await connection.get([PREFIX_OWNERS, layout])).get('pipeline');
  return typeof first === 'string' ? first : null;
}
