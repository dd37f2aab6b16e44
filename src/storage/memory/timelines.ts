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
  /** Where received drops outlive this process; closed with the rest. When absent they do not. */
  readonly received?: ReceivedDrops;
  readonly cap?: number;
  readonly tombstoneTtlMs?: number;
  readonly idleMs?: number;
  /** How long events are kept for readers that come back. */
  readonly eventRetentionMs?: number;
  /** How many of them. */
  readonly historySize?: number;
}

/** Everything that the timelines need, in this process. */
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
  eventRetentionMs: keepEventsMs,
  historySize,
  cap = DEFAULT_CAP,
  received = new MemoryReceivedDrops(cap),
  ...options
}: MemoryTimelineBackendOptions): MemoryTimelineBackend {
  const streams = new MemoryStreamLog({
    clock,
    ...(historySize !== undefined && { maxEvents: historySize }),
    ...(keepEventsMs !== undefined && { retentionMs: keepEventsMs }),
  });
  const store = new MemoryTimelineStore({ clock, streams, cap, ...options });
  const events = new LocalDelivery({ clock, log });
  return {
    store,
    eventLog: events,
    streams,
    received,
    pullAuthors: new MemoryPullAuthors(),
    async [Symbol.asyncDispose]() {
      for (const part of [received, store, streams]) await part[Symbol.asyncDispose]();
    },
  };
}

/** The list of a single process. */
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

/** What was received, for as long as this process runs. */
export class MemoryReceivedDrops implements ReceivedDrops {
  readonly #cap: number;
  readonly #removed = new Set<string>();
  #entries: readonly TimelineEntry[] = [];

  constructor(cap: number) {
    this.#cap = cap;
  }

  async add(entries: readonly TimelineEntry[]): Promise<readonly TimelineEntry[]> {
    const taken = entries.filter(({ id }) => !this.#removed.has(id));
    this.#entries = mergeNewestFirst([this.#entries, taken], this.#cap);
    return taken;
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
