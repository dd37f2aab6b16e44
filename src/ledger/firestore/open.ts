import { randomUUID } from 'node:crypto';
import type { FirestoreConnection } from '../../firestore/connection.ts';
import type { LifecyclePolicy } from '../../item/lifecycle.ts';
import type { OutboxStore } from '../../press/outbox.ts';
import type { Clock } from '../../time/clock.ts';
import type { Ledger } from '../ledger.ts';
import { ITEMS } from './layouts/items.ts';
import type { Layout } from './layouts/layout.ts';
import { VIDEOS } from './layouts/videos.ts';
import { FirestoreLedger } from './ledger.ts';
import { Order } from './order.ts';
import { FirestoreOutbox } from './outbox.ts';
import type { CountsFor } from './remembered-counts.ts';
import { LedgerStore } from './store.ts';

export interface FirestoreLedgerOptions {
  /** Shared by all parts; whoever made it closes it. */
  readonly connection: FirestoreConnection;
  /** By the pipeline's kind: summarise has items, process has videos. */
  readonly layout: 'items' | 'videos';
  readonly clock: Clock;
  readonly policy: LifecyclePolicy;
  /** Put before the layout's collections, for the second pipeline of a kind. */
  readonly prefix?: string;
  /** How long a count may be told again; each is made anew where absent. */
  readonly countsFor?: CountsFor;
}

/** A pipeline's memory on Firestore: its ledger and its outbox. */
export interface FirestoreMemory extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly outbox: OutboxStore;
  /** Takes in what another program of the same contract recorded or changed. Returns how many items that were. */
  adopt(signal?: AbortSignal): Promise<number>;
}

const LAYOUTS: Readonly<Record<'items' | 'videos', Layout>> = { items: ITEMS, videos: VIDEOS };

export function openFirestoreLedger(options: FirestoreLedgerOptions): FirestoreMemory {
  const { connection, clock, policy, prefix = '' } = options;
  const store = new LedgerStore({
    connection,
    layout: prefixed(LAYOUTS[options.layout], prefix),
    clock,
    order: new Order(() => clock.now()),
    newName: () => randomUUID(),
    random: Math.random,
  });
  const ledger = new FirestoreLedger(store, policy, options.countsFor);
  return {
    ledger,
    outbox: new FirestoreOutbox(store),
    adopt: (signal) => ledger.adopt(signal),
    [Symbol.asyncDispose]: async () => {},
  };
}

function prefixed(layout: Layout, prefix: string): Layout {
  return {
    ...layout,
    items: prefix + layout.items,
    tombstones: prefix + layout.tombstones,
    outbox: prefix + layout.outbox,
    sources: prefix + layout.sources,
  };
}
