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

  async page(timeline: TimelineName, ask: PageAsk = {}): Promise<PageAnswer> {
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
    const found = await this.#read(timeline, {
      limit: limit + 1,
      ...(max ? { before: max.position } : {}),
      ...(since ? { after: since.position } : {}),
    });
    return { ok: true, page: present(found, limit, mark, since) };
  }

  async #read(timeline: TimelineName, range: TimelineRange): Promise<readonly TimelineEntry[]> {
    const { store, rebuilds } = this.#parts;
    let window = await store.page(timeline, range);
    if (window === null && (await rebuilds.rebuild(timeline))) window = await store.page(timeline, range);
    if (window === null) return this.#readOrigin(timeline, range);
    const { entries, floor } = window;
    if (entries.length >= range.limit || floor === null) return entries;
    const before = range.before && isOlder(range.before, floor) ? range.before : floor;
    const rest = await this.#readOrigin(timeline, { ...range, before, limit: range.limit - entries.length });
    return [...entries, ...rest];
  }

  async #readOrigin(timeline: TimelineName, range: TimelineRange): Promise<readonly TimelineEntry[]> {
    const { limit, before, after } = range;
    if (after && before && !isOlder(after, before)) return [];
    const entries = await this.#parts.origin.read(timeline, { limit, ...(before ? { before } : {}) });
    return after ? entries.filter((entry) => isOlder(after, entry)) : entries;
  }
}

const NO_CURSOR = 'must be a cursor from an earlier answer or the ID of a drop';

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
