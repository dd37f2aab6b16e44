import { dropIdTime } from '../social/drop-id.ts';
import { isUnimplemented } from '../social/rules.ts';
import type { SocialStore } from '../social/social-store.ts';
import { MINUTE } from '../time/duration.ts';
import {
  BEGINNING,
  type Cursor,
  type EventNumber,
  encodeCursor,
  isOlder,
  mergeNewestFirst,
  readCursor,
} from './cursor.ts';
import type { FollowChecks } from './follow-checks.ts';
import type { TimelineOrigin } from './origin.ts';
import type { TimelineRebuilder } from './rebuild.ts';
import {
  authorTimeline,
  DEFAULT_LIMIT,
  isSharedTimeline,
  MAX_LIMIT,
  ownerOf,
  type PageRequest,
  type PageResult,
  type TimelineEntry,
  type TimelineName,
  type TimelinePage,
  type TimelineRange,
  type TimelineReader,
  type TimelineStore,
  TimelinesUnavailableError,
  type TimelineWindow,
} from './timeline-store.ts';

export interface PagingDependencies {
  readonly store: TimelineStore;
  /** Looks up the IDs of drops that are not in the store. */
  readonly posts: Pick<SocialStore, 'getDrops'>;
  readonly origin: TimelineOrigin;
  readonly rebuilds: Pick<TimelineRebuilder, 'rebuild' | 'pullAuthorsOf'>;
  /** Present if follows may change without an event. */
  readonly follows?: Pick<FollowChecks, 'changed'>;
  /** Called for each page: whether the timeline was in the store. */
  readonly onRead?: (timeline: TimelineName, outcome: 'hit' | 'miss') => void;
}

interface FoundEntries {
  readonly entries: readonly TimelineEntry[];
  readonly mark: EventNumber | null;
}

/** Reads from the store, and continues at the post service where the store's window ends (C17). */
export class TimelinePager implements TimelineReader {
  readonly #deps: PagingDependencies;

  constructor(deps: PagingDependencies) {
    this.#deps = deps;
  }

  async page(timeline: TimelineName, ask: PageRequest = {}, signal?: AbortSignal): Promise<PageResult> {
    const limit = ask.limit ?? DEFAULT_LIMIT;
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
      return { ok: false, field: 'limit', why: `must be a whole number from 1 to ${MAX_LIMIT}` };
    const since = await this.#resolveCursor(timeline, ask.sinceId, signal);
    if (since === null) return { ok: false, field: 'since_id', why: INVALID_CURSOR };
    const max = await this.#resolveCursor(timeline, ask.maxId, signal);
    if (max === null) return { ok: false, field: 'max_id', why: INVALID_CURSOR };

    // One more than requested shows whether there is an older page.
    const range = {
      limit: limit + 1,
      ...(max ? { before: max.position } : {}),
      ...(since ? { after: since.position } : {}),
    };
    const { entries, mark } = await this.#read(timeline, range, max === undefined, signal);
    return { ok: true, page: toPage(entries, limit, mark, since) };
  }

  /** The cursor of a text, or of the ID of a drop; `null` if it is neither. */
  async #resolveCursor(
    timeline: TimelineName,
    text: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Cursor | null | undefined> {
    if (text === undefined) return undefined;
    const cursor = readCursor(text);
    if (cursor !== null) return cursor;
    const position = await locateDrop(timeline, text, this.#deps, signal);
    return position === null ? null : { position, event: null };
  }

  async #read(
    timeline: TimelineName,
    range: TimelineRange,
    marked: boolean,
    signal: AbortSignal | undefined,
  ): Promise<FoundEntries> {
    try {
      const found = await this.#readStored(timeline, range, marked, signal);
      if (found !== null) return found;
    } catch (error) {
      // Home is served from the services, slower; the others have no other source (C18).
      if (!(error instanceof TimelinesUnavailableError) || isSharedTimeline(timeline)) throw error;
    }
    return { entries: await this.#readOrigin(timeline, range, signal), mark: null };
  }

  async #readStored(
    timeline: TimelineName,
    range: TimelineRange,
    marked: boolean,
    signal: AbortSignal | undefined,
  ): Promise<FoundEntries | null> {
    const window = await this.#window(timeline, range, marked, signal);
    if (window === null) return null;
    const { mark = null } = window;
    const own = await this.#continueBelowFloor(timeline, range, window, signal);
    const userId = ownerOf(timeline);
    const pullAuthors = userId === null ? [] : await this.#pullAuthorsOf(userId, timeline, window, signal);
    if (pullAuthors.length === 0) return { entries: own, mark };
    const theirs = await Promise.all(
      pullAuthors.map(
        async (author) => (await this.#read(authorTimeline(author), range, false, signal)).entries,
      ),
    );
    return { entries: mergeNewestFirst([own, ...theirs], range.limit), mark };
  }

  /** The mark is taken before reading: a concurrent event may be both on the page and in the stream, but is never missing. */
  async #window(
    timeline: TimelineName,
    range: TimelineRange,
    mark: boolean,
    signal: AbortSignal | undefined,
  ): Promise<TimelineWindow | null> {
    const { store, rebuilds, follows, onRead } = this.#deps;
    const userId = ownerOf(timeline);
    let window = await store.page(timeline, range, { mark });
    if (follows && window && userId !== null && (await follows.changed(userId, window.pullAuthors ?? null)))
      window = null;
    onRead?.(timeline, window === null ? 'miss' : 'hit');
    if (window !== null || !(await abortable(rebuilds.rebuild(timeline), signal))) return window;
    return store.page(timeline, range, { mark });
  }

  /** Reads what lies below the window from the post service. */
  async #continueBelowFloor(
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

  /** The authors whose drops this home does not contain (C11). */
  async #pullAuthorsOf(
    userId: string,
    home: TimelineName,
    window: TimelineWindow,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    const { rebuilds, store } = this.#deps;
    const known = window.pullAuthors ?? { version: '', authors: [] };
    const { version } = await rebuilds.pullAuthorsOf(userId, known.authors, signal);
    if (version === known.version) return known.authors;
    const pullAuthors = await rebuilds.pullAuthorsOf(userId, undefined, signal);
    await store.merge(home, { entries: [], floor: null, pullAuthors: { ...known, ...pullAuthors } });
    return pullAuthors.authors;
  }

  async #readOrigin(
    timeline: TimelineName,
    range: TimelineRange,
    signal: AbortSignal | undefined,
  ): Promise<readonly TimelineEntry[]> {
    const { limit, before, after } = range;
    if (after && before && !isOlder(after, before)) return [];
    const entries = await this.#deps.origin.read(timeline, { limit, ...(before ? { before } : {}) }, signal);
    return after ? entries.filter((entry) => isOlder(after, entry)) : entries;
  }
}

const INVALID_CURSOR = 'must be a cursor from an earlier answer or the ID of a drop; there is no such drop';

/** Ends only the waiting: other readers may wait for the same work. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
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

function toPage(
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

export interface LocateDependencies {
  readonly store: Pick<TimelineStore, 'timeOf'>;
  readonly posts: Pick<SocialStore, 'getDrops'>;
  readonly origin: Pick<TimelineOrigin, 'read'>;
}

const DROP_ID_PATTERN = /^[\w.:@-]{1,128}$/;
const SEARCH_BATCH_SIZE = 1000;
/** Maximum drops of a timeline that are searched for an ID. */
const MAX_SEARCHED = 10 * SEARCH_BATCH_SIZE;
/** Maximum difference between the time in a UUIDv7 and that of its drop. */
const MAX_CLOCK_SKEW_MS = MINUTE;

/**
 * The position of a drop in a timeline, by its ID alone: from the store, else from the post service, whose list is searched if
 * it has no GetDrops. An unknown UUIDv7 is located by its own time. `null`: there is no such drop.
 */
export async function locateDrop(
  timeline: TimelineName,
  id: string,
  deps: LocateDependencies,
  signal?: AbortSignal,
): Promise<TimelineEntry | null> {
  if (!DROP_ID_PATTERN.test(id)) return null;
  const stored = await findStored(timeline, id, deps);
  if (stored !== null) return stored;
  const time = dropIdTime(id);
  const found = await findPosted(timeline, id, time, deps, signal);
  return found ?? (time === null ? null : { id, createdAt: time });
}

/** `null` also if the store is unavailable: the services are used then (C18). */
async function findStored(
  timeline: TimelineName,
  id: string,
  { store }: LocateDependencies,
): Promise<TimelineEntry | null> {
  try {
    const createdAt = await store.timeOf(timeline, id);
    return createdAt === null ? null : { id, createdAt };
  } catch (error) {
    if (error instanceof TimelinesUnavailableError) return null;
    throw error;
  }
}

async function findPosted(
  timeline: TimelineName,
  id: string,
  time: number | null,
  { posts, origin }: LocateDependencies,
  signal: AbortSignal | undefined,
): Promise<TimelineEntry | null> {
  try {
    const [drop] = await posts.getDrops([id], signal);
    return drop === undefined ? null : { id, createdAt: drop.createdAt };
  } catch (error) {
    if (!isUnimplemented(error)) throw error;
  }
  let before = time === null ? undefined : { createdAt: time + MAX_CLOCK_SKEW_MS, id: '' };
  for (let searched = 0; searched < MAX_SEARCHED; searched += SEARCH_BATCH_SIZE) {
    const entries = await origin.read(
      timeline,
      { limit: SEARCH_BATCH_SIZE, ...(before && { before }) },
      signal,
    );
    const found = entries.find((entry) => entry.id === id);
    if (found !== undefined) return found;
    before = entries.at(-1);
    const isPast = time !== null && before !== undefined && before.createdAt < time - MAX_CLOCK_SKEW_MS;
    if (entries.length < SEARCH_BATCH_SIZE || isPast) return null;
  }
  return null;
}
