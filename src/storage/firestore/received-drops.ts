import { createHash } from 'node:crypto';
import type { Clock } from '../../time/clock.ts';
import type { OriginPage } from '../../timelines/origin.ts';
import type { ReceivedDrops, TimelineEntry } from '../../timelines/timeline-store.ts';
import { type DocumentPath, type FirestoreConnection, MAX_PER_CALL } from './connection.ts';
import { createOrReplace, type QueryForm } from './query.ts';

const RECEIVED = 'received_drops';

/** Every query of the received drops. */
export const RECEIVED_QUERIES = {
  newest: {
    collection: RECEIVED,
    where: [['deleted', '==']],
    orderBy: [
      ['created_at', 'desc'],
      ['drop_id', 'desc'],
    ],
  },
} as const satisfies Readonly<Record<string, QueryForm>>;

export interface FirestoreReceivedDropsOptions {
  readonly connection: FirestoreConnection;
  readonly clock: Clock;
  readonly cap: number;
}

/** Received drops, one document each, shared by all replicas. A deleted one stays as a tombstone. */
export class FirestoreReceivedDrops implements ReceivedDrops {
  readonly #connection: FirestoreConnection;
  readonly #clock: Clock;
  readonly #cap: number;

  constructor({ connection, clock, cap }: FirestoreReceivedDropsOptions) {
    this.#connection = connection;
    this.#clock = clock;
    this.#cap = cap;
  }

  async add(entries: readonly TimelineEntry[]): Promise<readonly TimelineEntry[]> {
    const added: TimelineEntry[] = [];
    for (const entry of entries) {
      const at = pathOf(entry.id);
      const isAdded = await this.#connection.mutate(at, (now) => {
        if (now.exists) return { value: now.get('deleted') !== true, writes: [] };
        const data = { drop_id: entry.id, created_at: entry.createdAt, deleted: false };
        return { value: true, writes: [{ do: 'create', at, data }] };
      });
      if (isAdded) added.push(entry);
    }
    return added;
  }

  async remove(dropIds: readonly string[]): Promise<void> {
    for (const id of dropIds) {
      const at = pathOf(id);
      const data = { drop_id: id, created_at: this.#clock.now(), deleted: true };
      await this.#connection.mutate(at, (now) => {
        if (now.get('deleted') === true) return { value: null, writes: [] };
        return { value: null, writes: [createOrReplace(now, at, data)] };
      });
    }
  }

  async newest({ limit, before }: OriginPage): Promise<readonly TimelineEntry[]> {
    return this.#query(false, Math.min(limit, this.#cap), before);
  }

  /** Limited to one call; the oldest of either kind are swept before that. */
  async removedIds(): Promise<readonly string[]> {
    await this.#sweep(false, this.#cap);
    await this.#sweep(true, MAX_PER_CALL);
    return (await this.#query(true, MAX_PER_CALL)).map(({ id }) => id);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #sweep(deleted: boolean, max: number): Promise<void> {
    const lowest = (await this.#query(deleted, max))[max - 1];
    if (lowest === undefined) return;
    const below = await this.#query(deleted, MAX_PER_CALL, lowest);
    await this.#connection.commit(below.map(({ id }) => ({ do: 'delete', at: pathOf(id) })));
  }

  async #query(deleted: boolean, limit: number, before?: TimelineEntry): Promise<readonly TimelineEntry[]> {
    const found = await this.#connection.query(RECEIVED_QUERIES.newest, {
      where: [deleted],
      limit,
      ...(before === undefined ? {} : { startAfter: [before.createdAt, before.id] }),
    });
    return found.map((drop) => ({
      id: String(drop.get('drop_id')),
      createdAt: Number(drop.get('created_at')),
    }));
  }
}

/** An external ID can be any text; a document name cannot. */
function pathOf(dropId: string): DocumentPath {
  return [RECEIVED, createHash('sha256').update(dropId).digest('hex')];
}
