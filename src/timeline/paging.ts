import { BEGINNING, type Cursor, decodeCursor, type EventNumber, encodeCursor, isOlder } from './cursor.ts';
import type { TimelineOrigin } from './origin.ts';
import type { Rebuilds } from './rebuild.ts';
import {
  DEFAULT_LIMIT,
  LARGEST_LIMIT,
  type PageAnswer,
  type PageAsk,
  type TimelinePage,
  type TimelineReader,
} from './timeline-reader.ts';
import type { TimelineEntry, TimelineName, TimelineRange, TimelineStore } from './timeline-store.ts';

export interface PagingParts {
  readonly store: TimelineStore;
  readonly origin: TimelineOrigin;
  readonly rebuilds: Rebuilds;
  /** Where the timeline's stream stands, for cursors that can be resumed from; `null` where there is no stream. */
  readonly mark: (timeline: TimelineName) => EventNumber | null;
}

/** Reads from the store where it can, and goes on from the post service where the store's window ends (C17). */
export class TimelinePages implements TimelineReader {
  readonly #parts: PagingParts;

  constructor(parts: PagingParts) {
    this.#parts = parts;
  }

  async page(timeline: TimelineName, ask: PageAsk = {}, signal?: AbortSignal): Promise<PageAnswer> {
    const limit = ask.limit ?? DEFAULT_LIMIT;
    if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_LIMIT)
      return { ok: false, field: 'limit', why: `must be a whole number from 1 to ${LARGEST_LIMIT}` };
    const since = ask.sinceId === undefined ? undefined : decodeCursor(ask.sinceId);
    if (since === null) return { ok: false, field: 'since_id', why: NO_CURSOR };
    const max = ask.maxId === undefined ? undefined : decodeCursor(ask.maxId);
    if (max === null) return { ok: false, field: 'max_id', why: NO_CURSOR };

    // Taken before reading: what happens meanwhile may come twice over page and stream, and is never missed.
    const mark = max === undefined ? this.#parts.mark(timeline) : null;
    // One more than asked for tells whether there is an older page.
    const range = {
      limit: limit + 1,
      ...(max ? { before: max.position } : {}),
      ...(since ? { after: since.position } : {}),
    };
    const found = await this.#read(timeline, range, signal);
    return { ok: true, page: present(found, limit, mark, since) };
  }

  async #read(
    timeline: TimelineName,
    range: TimelineRange,
    signal: AbortSignal | undefined,
  ): Promise<readonly TimelineEntry[]> {
    const { store, rebuilds } = this.#parts;
    let window = await store.page(timeline, range);
    if (window === null && (await unlessAborted(rebuilds.rebuild(timeline), signal)))
      window = await store.page(timeline, range);
    if (window === null) return this.#readOrigin(timeline, range, signal);
    const { entries, floor } = window;
    if (entries.length >= range.limit || floor === null) return entries;
    const before = range.before && isOlder(range.before, floor) ? range.before : floor;
    const below = { ...range, before, limit: range.limit - entries.length };
    const rest = await this.#readOrigin(timeline, below, signal);
    return [...entries, ...rest];
  }

  async #readOrigin(
    timeline: TimelineName,
    range: TimelineRange,
    signal: AbortSignal | undefined,
  ): Promise<readonly TimelineEntry[]> {
    const { limit, before, after } = range;
    if (after && before && !isOlder(after, before)) return [];
    const entries = await this.#parts.origin.read(timeline, { limit, ...(before ? { before } : {}) }, signal);
    return after ? entries.filter((entry) => isOlder(after, entry)) : entries;
  }
}

const NO_CURSOR = 'must be a cursor from an earlier answer or the ID of a drop';

/** Others may wait for the same work, so only the waiting ends. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function present(
  found: readonly TimelineEntry[],
  limit: number,
  mark: EventNumber | null,
  since: Cursor | undefined,
): TimelinePage {
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  return {
    entries,
    older: found.length > limit && last ? encodeCursor(last) : null,
    newer: encodeCursor(entries[0] ?? since?.position ?? BEGINNING, mark),
  };
}
