import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { isOlder, mergeNewestFirst } from '../../timelines/cursor.ts';
import { LocalDelivery } from '../../timelines/local-delivery.ts';
import type { OriginPage } from '../../timelines/origin.ts';
import {
  DEFAULT_CAP,
  MAX_REMOVED,
  type PullAuthorList,
  type PullAuthors,
  type ReceivedDrops,
  type TimelineEntry,
} from '../../timelines/timeline-store.ts';
import { MemoryStreamLog } from './stream-log.ts';
import { MemoryTimelineStore } from './timeline-store.ts';

export interface MemoryTimelineBackendOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Durable store of received drops, closed with this backend; without it they are lost on restart. */
  readonly received?: ReceivedDrops;
  readonly cap?: number;
  readonly tombstoneTtlMs?: number;
  readonly idleMs?: number;
  /** How long events are kept for reconnecting readers. */
  readonly eventRetentionMs?: number;
  /** Maximum number of these events. */
  readonly historySize?: number;
}

/** Timeline backend of a single process. */
export interface MemoryTimelineBackend extends AsyncDisposable {
  readonly store: MemoryTimelineStore;
  readonly eventLog: LocalDelivery;
  readonly streams: MemoryStreamLog;
  readonly pullAuthors: MemoryPullAuthors;
  readonly received: ReceivedDrops;
}

export function createMemoryTimelineBackend({
  clock,
  log,
  eventRetentionMs,
  historySize,
  cap = DEFAULT_CAP,
  received = new MemoryReceivedDrops(cap),
  ...options
}: MemoryTimelineBackendOptions): MemoryTimelineBackend {
  const streams = new MemoryStreamLog({
    clock,
    ...(historySize !== undefined && { maxEvents: historySize }),
    ...(eventRetentionMs !== undefined && { retentionMs: eventRetentionMs }),
  });
  const store = new MemoryTimelineStore({ clock, streams, cap, ...options });
  const eventLog = new LocalDelivery({ clock, log });
  return {
    store,
    eventLog,
    streams,
    received,
    pullAuthors: new MemoryPullAuthors(),
    async [Symbol.asyncDispose]() {
      for (const part of [received, store, streams]) await part[Symbol.asyncDispose]();
    },
  };
}

/** Pull authors of a single process. */
export class MemoryPullAuthors implements PullAuthors {
  #list: PullAuthorList = { version: '0', authors: new Set() };

  async list(): Promise<PullAuthorList> {
    return this.#list;
  }

  async add(authorId: string): Promise<void> {
    if (!this.#list.authors.has(authorId)) this.#replace([...this.#list.authors, authorId]);
  }

  async remove(authorId: string): Promise<void> {
    if (this.#list.authors.has(authorId))
      this.#replace([...this.#list.authors].filter((author) => author !== authorId));
  }

  #replace(authors: readonly string[]): void {
    this.#list = { version: `${Number(this.#list.version) + 1}`, authors: new Set(authors) };
  }
}

/** Received drops of one process; lost on restart. */
export class MemoryReceivedDrops implements ReceivedDrops {
  readonly #cap: number;
  readonly #removed = new Set<string>();
  #entries: readonly TimelineEntry[] = [];

  constructor(cap: number) {
    this.#cap = cap;
  }

  async add(entries: readonly TimelineEntry[]): Promise<readonly TimelineEntry[]> {
    const accepted = entries.filter(({ id }) => !this.#removed.has(id));
    this.#entries = mergeNewestFirst([this.#entries, accepted], this.#cap);
    return accepted;
  }

  async remove(dropIds: readonly string[]): Promise<void> {
    for (const id of dropIds) this.#removed.add(id);
    for (const oldest of this.#removed) {
      if (this.#removed.size <= MAX_REMOVED) break;
      this.#removed.delete(oldest);
    }
    this.#entries = this.#entries.filter(({ id }) => !this.#removed.has(id));
  }

  async newest({ limit, before }: OriginPage): Promise<readonly TimelineEntry[]> {
    return this.#entries.filter((entry) => before === undefined || isOlder(entry, before)).slice(0, limit);
  }

  async removedIds(): Promise<readonly string[]> {
    return [...this.#removed];
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
