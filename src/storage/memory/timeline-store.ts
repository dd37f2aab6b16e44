import type { Clock } from '../../time/clock.ts';
import { DAY, HOUR } from '../../time/duration.ts';
import { isOlder, newestFirst } from '../../timelines/cursor.ts';
import { ANNOUNCE_DEDUPE_MS } from '../../timelines/streams.ts';
import {
  type AddOptions,
  DEFAULT_CAP,
  type HomePullAuthors,
  isSharedTimeline,
  type RebuiltList,
  type RemoveOptions,
  type TimelineEntry,
  type TimelineName,
  type TimelineRange,
  type TimelineStore,
  type TimelineWindow,
} from '../../timelines/timeline-store.ts';
import type { MemoryStreamLog } from './stream-log.ts';

export interface MemoryTimelineOptions {
  readonly clock: Clock;
  readonly cap?: number;
  /** Lifetime of a tombstone: longer than any fan-out or rebuild can take. */
  readonly tombstoneTtlMs?: number;
  /** Homes unread for this long are evicted. */
  readonly idleMs?: number;
  /** Notifies the subscribers. */
  readonly streams?: MemoryStreamLog;
}

interface Tombstone {
  readonly expiresAt: number;
  /** Position of the drop, for pages that continue from it. */
  createdAt: number | null;
  /** Subscribed timelines that were notified. */
  readonly notified: Set<TimelineName>;
}

/** Timelines of a single process. Each call is atomic, because it never awaits. */
export class MemoryTimelineStore implements TimelineStore {
  readonly #clock: Clock;
  readonly #cap: number;
  readonly #tombstoneTtlMs: number;
  readonly #idleMs: number;
  readonly #streams: MemoryStreamLog | undefined;
  readonly #windows = new Map<TimelineName, MemoryWindow>();
  /** By drop ID, in order of expiry, because each is reinserted at the end. */
  readonly #tombstones = new Map<string, Tombstone>();
  /** Entries of evicted windows of shared timelines, and entries that were too old for their window. */
  readonly #evicted = new Map<TimelineName, MemoryWindow>();
  /** The newest entry that each shared timeline ever received. */
  readonly #newest = new Map<TimelineName, TimelineEntry>();
  /** `home author` → until when a fan-out may still be in progress. */
  readonly #severed = new Map<string, number>();
  #builds = 0;
  #sweptAt = 0;

  constructor(options: MemoryTimelineOptions) {
    const { clock, cap = DEFAULT_CAP, tombstoneTtlMs = HOUR, idleMs = 14 * DAY, streams } = options;
    this.#clock = clock;
    this.#cap = cap;
    this.#tombstoneTtlMs = tombstoneTtlMs;
    this.#idleMs = idleMs;
    this.#streams = streams;
    streams?.setSuppression(
      (dropId, timeline, author) => this.#isDeleted(dropId) || this.#isSevered(timeline, author),
    );
  }

  async add(
    entry: TimelineEntry,
    timelines: readonly TimelineName[],
    { activeSince, author, onlyIfPresent = false }: AddOptions = {},
  ): Promise<readonly TimelineName[]> {
    if (this.#isDeleted(entry.id)) return [];
    this.#sweep();
    const event = { type: 'new_drop', dropId: entry.id, createdAt: entry.createdAt } as const;
    const young = this.#clock.now() - entry.createdAt < ANNOUNCE_DEDUPE_MS / 2;
    return timelines.filter((timeline) => {
      if (this.#isSevered(timeline, author)) return false;
      const window = onlyIfPresent
        ? this.#existing(timeline)
        : this.#windowToAdd(timeline, entry, activeSince);
      this.#recordNewest(timeline, entry);
      const before = window?.holds(entry) ?? false;
      const added = window?.add(entry) ?? false;
      // A stream also shows drops outside the window, and has not yet shown one that a rebuild has just inserted.
      if (!before || young) this.#streams?.record(timeline, event);
      if (!added && isSharedTimeline(timeline)) this.#retain(timeline, [entry]);
      return added;
    });
  }

  async remove(
    dropId: string,
    timelines: readonly TimelineName[],
    { announced = false }: RemoveOptions = {},
  ): Promise<void> {
    this.#expireTombstones();
    const known = this.#tombstones.get(dropId);
    const notified = known?.notified ?? new Set();
    const times = timelines.map((timeline) => this.#windows.get(timeline)?.timeOf(dropId) ?? null);
    const createdAt = known?.createdAt ?? times.find((time) => time !== null) ?? null;
    const expiresAt = this.#clock.monotonic() + this.#tombstoneTtlMs;
    this.#tombstones.delete(dropId);
    this.#tombstones.set(dropId, { expiresAt, createdAt, notified });
    for (const timeline of timelines) {
      const window = this.#windows.get(timeline);
      const removed = window?.remove(dropId) ?? false;
      this.#evicted.get(timeline)?.remove(dropId);
      const shown = (announced || !known || !window) && !notified.has(timeline);
      if (!removed && !shown) continue;
      this.#streams?.record(timeline, { type: 'drop_deleted', dropId });
      if (this.#streams?.isSubscribed(timeline)) notified.add(timeline);
    }
  }

  async page(
    timeline: TimelineName,
    range: TimelineRange,
    { mark = false }: { readonly mark?: boolean } = {},
  ): Promise<TimelineWindow | null> {
    const window = this.#existing(timeline);
    if (window === undefined || window.build !== null) return null;
    window.readAt = this.#clock.now();
    this.#removeDeleted(timeline, window, range);
    const marked = mark ? { mark: this.#streams?.markNow(timeline) ?? null } : {};
    return { ...window.page(range), ...marked, pullAuthors: window.pullAuthors };
  }

  async beginRebuild(timeline: TimelineName, leaseMs: number): Promise<string | null> {
    const build = this.#existing(timeline)?.build;
    if (build && this.#clock.monotonic() - build.at < leaseMs) return null;
    return this.#begin(timeline);
  }

  async beginUpdate(timeline: TimelineName): Promise<string | null> {
    const window = this.#existing(timeline);
    if (window === undefined) return null;
    if (window.build === null) return this.#begin(timeline);
    this.#evict(timeline);
    return null;
  }

  async merge(timeline: TimelineName, list: RebuiltList, token?: string): Promise<boolean> {
    const window = this.#existing(timeline);
    if (window === undefined || (token !== undefined && window.build?.token !== token)) return false;
    if (token !== undefined) window.build = null;
    for (const author of list.following ?? []) this.#severed.delete(`${timeline} ${author}`);
    window.merge(list, (dropId) => this.#isDeleted(dropId));
    return true;
  }

  async sever(home: TimelineName, authorId: string): Promise<void> {
    const now = this.#clock.monotonic();
    for (const [key, until] of this.#severed) if (until <= now) this.#severed.delete(key);
    this.#severed.set(`${home} ${authorId}`, now + this.#tombstoneTtlMs);
    this.#windows.delete(home);
  }

  async join(home: TimelineName, authorId: string): Promise<void> {
    this.#severed.delete(`${home} ${authorId}`);
  }

  async evict(timeline: TimelineName, token?: string): Promise<void> {
    if (token === undefined || this.#windows.get(timeline)?.build?.token === token) this.#evict(timeline);
  }

  async touch(timelines: readonly TimelineName[]): Promise<void> {
    for (const timeline of timelines) {
      const window = this.#existing(timeline);
      if (window) window.readAt = this.#clock.now();
    }
  }

  async size(timeline: TimelineName): Promise<number | null> {
    return this.#existing(timeline)?.size ?? null;
  }

  async timeOf(timeline: TimelineName, dropId: string): Promise<number | null> {
    return this.#existing(timeline)?.timeOf(dropId) ?? this.#tombstones.get(dropId)?.createdAt ?? null;
  }

  async evictedEntries(
    timeline: TimelineName,
    range: Pick<TimelineRange, 'limit' | 'before'>,
  ): Promise<readonly TimelineEntry[]> {
    return this.#evicted.get(timeline)?.page(range).entries ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#evicted.clear();
    this.#windows.clear();
    this.#tombstones.clear();
  }

  #evict(timeline: TimelineName): void {
    const window = this.#windows.get(timeline);
    this.#windows.delete(timeline);
    if (window !== undefined && isSharedTimeline(timeline))
      this.#retain(timeline, window.page({ limit: this.#cap }).entries);
  }

  #retain(timeline: TimelineName, entries: readonly TimelineEntry[]): void {
    const left = this.#evicted.get(timeline) ?? new MemoryWindow(this.#cap, null, 0);
    left.merge({ entries, floor: null }, () => false);
    this.#evicted.set(timeline, left);
  }

  #begin(timeline: TimelineName): string {
    const token = `${++this.#builds}`;
    const build = { token, at: this.#clock.monotonic() };
    const window = this.#existing(timeline) ?? new MemoryWindow(this.#cap, null, this.#clock.now());
    window.build = build;
    this.#windows.set(timeline, window);
    return token;
  }

  /** A shared timeline is created by its first drop, and has no entries from before it. */
  #windowToAdd(
    timeline: TimelineName,
    entry: TimelineEntry,
    activeSince: number | undefined,
  ): MemoryWindow | undefined {
    const window = this.#existing(timeline);
    const isShared = isSharedTimeline(timeline);
    if (window !== undefined) {
      if (activeSince === undefined || isShared || window.readAt >= activeSince) return window;
      this.#windows.delete(timeline);
      return undefined;
    }
    if (!isShared) return undefined;
    // A lost window may have had newer entries: the floor of the new one is above them.
    const newest = this.#newest.get(timeline);
    const floor = newest && !isOlder(newest, entry) ? { createdAt: newest.createdAt + 1, id: '' } : entry;
    const made = new MemoryWindow(this.#cap, floor, this.#clock.now());
    this.#windows.set(timeline, made);
    return made;
  }

  #recordNewest(timeline: TimelineName, entry: TimelineEntry): void {
    const newest = this.#newest.get(timeline);
    if (isSharedTimeline(timeline) && (newest === undefined || isOlder(newest, entry)))
      this.#newest.set(timeline, entry);
  }

  #existing(timeline: TimelineName): MemoryWindow | undefined {
    const window = this.#windows.get(timeline);
    if (window === undefined || isSharedTimeline(timeline)) return window;
    if (this.#clock.now() - window.readAt <= this.#idleMs) return window;
    this.#windows.delete(timeline);
    return undefined;
  }

  /** Evicts idle homes that are not read, from time to time. */
  #sweep(): void {
    const now = this.#clock.monotonic();
    if (now - this.#sweptAt < this.#idleMs / 4) return;
    this.#sweptAt = now;
    for (const timeline of this.#windows.keys()) this.#existing(timeline);
  }

  /** Removes entries that were deleted elsewhere. */
  #removeDeleted(timeline: TimelineName, window: MemoryWindow, range: TimelineRange): void {
    for (let clean = false; !clean; ) {
      const deleted = window.page(range).entries.filter(({ id }) => this.#isDeleted(id));
      for (const { id, createdAt } of deleted) {
        window.remove(id);
        const tombstone = this.#tombstones.get(id);
        if (tombstone !== undefined && tombstone.createdAt === null) tombstone.createdAt = createdAt;
        this.#streams?.record(timeline, { type: 'drop_deleted', dropId: id });
      }
      clean = deleted.length === 0;
    }
  }

  #isSevered(timeline: TimelineName, author: string | undefined): boolean {
    const until = this.#severed.get(`${timeline} ${author}`);
    return until !== undefined && until > this.#clock.monotonic();
  }

  #isDeleted(dropId: string): boolean {
    const tombstone = this.#tombstones.get(dropId);
    return tombstone !== undefined && tombstone.expiresAt > this.#clock.monotonic();
  }

  #expireTombstones(): void {
    const now = this.#clock.monotonic();
    for (const [dropId, { expiresAt }] of this.#tombstones) {
      if (expiresAt > now) return;
      this.#tombstones.delete(dropId);
    }
  }
}

/** One timeline window in memory: a sorted array, newest first, complete down to its floor. */
export class MemoryWindow {
  #entries: TimelineEntry[] = [];
  #floor: TimelineEntry | null;
  readonly #cap: number;
  /** Set while a rebuild runs. */
  build: { readonly token: string; readonly at: number } | null = null;
  readAt: number;
  pullAuthors: HomePullAuthors | null = null;

  constructor(cap: number, floor: TimelineEntry | null, readAt: number) {
    this.#cap = cap;
    this.#floor = floor;
    this.readAt = readAt;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Returns whether the window contains the entry afterwards. */
  add(entry: TimelineEntry): boolean {
    if (this.#floor && isOlder(entry, this.#floor)) return false;
    const at = this.#indexOf(entry);
    if (this.#entries[at]?.id === entry.id) return true;
    this.#entries.splice(at, 0, entry);
    this.#trim();
    return at < this.#entries.length;
  }

  holds(entry: TimelineEntry): boolean {
    return this.#entries[this.#indexOf(entry)]?.id === entry.id;
  }

  timeOf(dropId: string): number | null {
    return this.#entries.find(({ id }) => id === dropId)?.createdAt ?? null;
  }

  /** Returns whether the window contained it. */
  remove(dropId: string): boolean {
    const at = this.#entries.findIndex((entry) => entry.id === dropId);
    if (at >= 0) this.#entries.splice(at, 1);
    return at >= 0;
  }

  merge(list: RebuiltList, isDeleted: (dropId: string) => boolean): void {
    if (list.pullAuthors) this.pullAuthors = list.pullAuthors;
    if (list.floor && (!this.#floor || isOlder(this.#floor, list.floor))) this.#floor = list.floor;
    const floor = this.#floor;
    const all = new Map([...this.#entries, ...list.entries].map((entry) => [entry.id, entry]));
    this.#entries = [...all.values()]
      .filter((entry) => !isDeleted(entry.id) && !(floor && isOlder(entry, floor)))
      .sort(newestFirst);
    this.#trim();
  }

  page({ limit, before, after }: TimelineRange): Pick<TimelineWindow, 'entries' | 'floor'> {
    let start = 0;
    if (before) {
      start = this.#indexOf(before);
      if (this.#entries[start]?.id === before.id) start += 1;
    }
    const end = after ? this.#indexOf(after) : this.#entries.length;
    return {
      entries: this.#entries.slice(start, Math.max(start, Math.min(end, start + limit))),
      floor: this.#floor,
    };
  }

  /** Index of the first entry that is not newer than this position. */
  #indexOf(position: TimelineEntry): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const entry = this.#entries[middle];
      if (entry && isOlder(position, entry)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #trim(): void {
    if (this.#entries.length <= this.#cap) return;
    this.#entries.length = this.#cap;
    this.#floor = this.#entries.at(-1) ?? this.#floor;
  }
}
