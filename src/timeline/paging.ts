import type { SocialStore } from '../social/services.ts';
import {
  BEGINNING,
  type Cursor,
  type EventNumber,
  encodeCursor,
  isOlder,
  merged,
  readCursor,
} from './cursor.ts';
import type { FollowChecks } from './follow-checks.ts';
import { locate } from './locate.ts';
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
import {
  authorTimeline,
  isOfEverybody,
  ownerOf,
  type TimelineEntry,
  type TimelineName,
  type TimelineRange,
  type TimelineStore,
  type TimelineWindow,
} from './timeline-store.ts';
import { TimelinesUnavailableError } from './unavailable.ts';

export interface PagingParts {
  readonly store: TimelineStore;
  /** Where the ID of a drop is looked up that the store does not know. */
  readonly posts: Pick<SocialStore, 'getDrops'>;
  readonly origin: TimelineOrigin;
  readonly rebuilds: Pick<Rebuilds, 'rebuild' | 'asideOf'>;
  /** Where follows may change without an event. */
  readonly follows?: Pick<FollowChecks, 'changed'>;
  /** Told of each page whether the list was there. */
  readonly onRead?: (timeline: TimelineName, outcome: 'hit' | 'miss') => void;
}

interface Found {
  readonly entries: readonly TimelineEntry[];
  readonly mark: EventNumber | null;
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
    const since = await this.#place(timeline, ask.sinceId, signal);
    if (since === null) return { ok: false, field: 'since_id', why: NO_CURSOR };
    const max = await this.#place(timeline, ask.maxId, signal);
    if (max === null) return { ok: false, field: 'max_id', why: NO_CURSOR };

    // One more than asked for tells whether there is an older page.
    const range = {
      limit: limit + 1,
      ...(max ? { before: max.position } : {}),
      ...(since ? { after: since.position } : {}),
    };
    const { entries, mark } = await this.#read(timeline, range, max === undefined, signal);
    return { ok: true, page: present(entries, limit, mark, since) };
  }

  /** What a cursor or the ID of a drop means; `null` where it means nothing. */
  async #place(
    timeline: TimelineName,
    text: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Cursor | null | undefined> {
    if (text === undefined) return undefined;
    const cursor = readCursor(text);
    if (cursor !== null) return cursor;
    const position = await locate(timeline, text, this.#parts, signal);
    return position === null ? null : { position, event: null };
  }

  async #read(
    timeline: TimelineName,
    range: TimelineRange,
    marked: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Found> {
    try {
      const found = await this.#readStored(timeline, range, marked, signal);
      if (found !== null) return found;
    } catch (error) {
      // Home is served from the services, slower; the others have no other source (C18).
      if (!(error instanceof TimelinesUnavailableError) || isOfEverybody(timeline)) throw error;
    }
    return { entries: await this.#readOrigin(timeline, range, signal), mark: null };
  }

  async #readStored(
    timeline: TimelineName,
    range: TimelineRange,
    marked: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Found | null> {
    const window = await this.#window(timeline, range, marked, signal);
    if (window === null) return null;
    const { mark = null } = window;
    const own = await this.#downward(timeline, range, window, signal);
    const userId = ownerOf(timeline);
    const aside = userId === null ? [] : await this.#aside(userId, timeline, window, signal);
    if (aside.length === 0) return { entries: own, mark };
    const theirs = await Promise.all(
      aside.map(async (author) => (await this.#read(authorTimeline(author), range, false, signal)).entries),
    );
    return { entries: merged([own, ...theirs], range.limit), mark };
  }

  /** The mark is taken before reading: what happens meanwhile may come twice over page and stream, never not at all. */
  async #window(
    timeline: TimelineName,
    range: TimelineRange,
    mark: boolean,
    signal: AbortSignal | undefined,
  ): Promise<TimelineWindow | null> {
    const { store, rebuilds, follows, onRead } = this.#parts;
    const userId = ownerOf(timeline);
    let window = await store.page(timeline, range, { mark });
    if (follows && window && userId !== null && (await follows.changed(userId, window.aside ?? null)))
      window = null;
    onRead?.(timeline, window === null ? 'miss' : 'hit');
    if (window !== null || !(await unlessAborted(rebuilds.rebuild(timeline), signal))) return window;
    return store.page(timeline, range, { mark });
  }

  /** Where the window ends, from the post service. */
  async #downward(
    timeline: TimelineName,
    range: TimelineRange,
    { entries, floor }: TimelineWindow,
    signal: AbortSignal | undefined,
  ): Promise<readonly TimelineEntry[]> {
    if (entries.length >= range.limit || floor === null) return entries;
    const before = range.before && isOlder(range.before, floor) ? range.before : floor;
    const below = { ...range, before, limit: range.limit - entries.length };
    return [...entries, ...(await this.#readOrigin(timeline, below, signal))];
  }

  /** The authors whose drops this home does not hold (C11). */
  async #aside(
    userId: string,
    home: TimelineName,
    window: TimelineWindow,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const { rebuilds, store } = this.#parts;
    const known = window.aside ?? { version: '', authors: [] };
    const { version } = await rebuilds.asideOf(userId, known.authors, signal);
    if (version === known.version) return known.authors;
    const aside = await rebuilds.asideOf(userId, undefined, signal);
    await store.merge(home, { entries: [], floor: null, aside: { ...known, ...aside } });
    return aside.authors;
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

const NO_CURSOR = 'must be a cursor from an earlier answer or the ID of a drop; there is no such drop';

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
