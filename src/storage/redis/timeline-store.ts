import { randomBytes } from 'node:crypto';
import DataLoader from 'dataloader';
import { chunked } from '../../item/chunked.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../time/duration.ts';
import {
  type AddOptions,
  DEFAULT_CAP,
  isSharedTimeline,
  ownerOf,
  type RebuiltList,
  type RemoveOptions,
  type TimelineEntry,
  type TimelineName,
  type TimelineRange,
  type TimelineStore,
  TimelinesUnavailableError,
  type TimelineWindow,
} from '../../timelines/timeline-store.ts';
import { type RedisConnection, type RedisReply, type Script, toArray } from './connection.ts';
import { recordSubscribedHomes } from './stream-log.ts';
import { ADD_SCRIPT } from './timeline-add-script.ts';
import {
  type CachedPage,
  orUnavailable,
  parseEntries,
  parsePageReply,
  type TimelineKeys,
  timelineKeys,
} from './timeline-layout.ts';
import {
  BEGIN_SCRIPT,
  EVICT_SCRIPT,
  EVICTED_ENTRIES_SCRIPT,
  JOIN_SCRIPT,
  MERGE_SCRIPT,
  PAGE_SCRIPT,
  REMOVE_SCRIPT,
  SEVER_SCRIPT,
  SIZE_SCRIPT,
  TIME_OF_SCRIPT,
  TOUCH_SCRIPT,
} from './timeline-scripts.ts';

export interface RedisTimelineOptions {
  readonly connection: RedisConnection;
  readonly clock: Clock;
  readonly cap?: number;
  readonly tombstoneTtlMs?: number;
  /** Homes unread for this long are evicted. */
  readonly idleMs?: number;
  /** Retention of events for readers that reconnect. */
  readonly eventRetentionMs?: number;
}

/** Default lease of a rebuild, after which another one may take over. */
const DEFAULT_LEASE_MS = 30 * SECOND;
/** Event retention after a page was read: long enough to open a stream from its cursor. */
const EVENT_RETENTION_AFTER_PAGE_MS = 5 * MINUTE;
/** Change it where windows of an older program cannot be trusted: those did not record the newest entry. */
const WINDOW_VERSION = 2;
/** More than are deleted while events wait to be handled. */
const MAX_TRACKED_DELETIONS = 10_000;
/** Maximum clock difference between replicas and the post service. */
const MAX_CLOCK_SKEW_MS = 5 * SECOND;
/** Timelines in one script: it blocks the server for a few milliseconds. */
export const TIMELINES_PER_SCRIPT = 1000;
/** Pages read in one script, for the same reason. */
const PAGES_PER_SCRIPT = 50;
/** Cached pages, of about 6 KB each. */
const MAX_CACHED_PAGES = 250;

/**
 * Timelines in Redis, one server or a cluster (C1, C6). Each change is one script: tombstone, insert, trim and event number
 * happen together. One call carries many timelines, grouped by slot.
 */
export class RedisTimelineStore implements TimelineStore {
  readonly #redis: RedisConnection;
  readonly #clock: Clock;
  readonly #keys: TimelineKeys;
  readonly #cap: number;
  readonly #tombstoneTtlMs: number;
  readonly #idleMs: number;
  readonly #eventRetentionMs: number;
  /** Deleted drops known to this replica. Redis may lose its tombstones while a creation still waits here. */
  readonly #deleted = new Set<string>();
  /** Pages requested in this iteration of the event loop, by slot and range. */
  readonly #loaders = new Map<string, DataLoader<TimelineName, TimelineWindow | null>>();
  /** Pages read last, by timeline and range: Redis does not send unchanged ones again. */
  readonly #pageCache = new Map<string, CachedPage>();

  constructor(options: RedisTimelineOptions) {
    this.#redis = options.connection;
    this.#clock = options.clock;
    this.#keys = timelineKeys(options.connection);
    this.#cap = options.cap ?? DEFAULT_CAP;
    this.#tombstoneTtlMs = options.tombstoneTtlMs ?? HOUR;
    this.#idleMs = options.idleMs ?? 14 * DAY;
    this.#eventRetentionMs = options.eventRetentionMs ?? DAY;
  }

  async add(
    entry: TimelineEntry,
    timelines: readonly TimelineName[],
    { activeSince, author, exists, onlyIfPresent = false }: AddOptions = {},
  ): Promise<readonly TimelineName[]> {
    return orUnavailable(async () => {
      const checkedRun = exists && (await this.#newRunAt(timelines));
      if (checkedRun !== undefined && entry.createdAt < checkedRun + MAX_CLOCK_SKEW_MS && !(await exists?.()))
        this.markDeleted(entry.id);
      if (this.#deleted.has(entry.id) || (await this.#isDeletedForAll(entry.id))) {
        // A fan-out that was overtaken by the delete may have left it behind. This also restores a lost tombstone.
        await this.remove(entry.id, timelines);
        return [];
      }
      const without = new Set<TimelineName>();
      await this.#bySlot(
        timelines,
        ADD_SCRIPT,
        (slot, names) => {
          // The check whether the drop exists was made before this server had started.
          if (checkedRun !== undefined && this.#redis.newRunAt !== checkedRun)
            throw new TimelinesUnavailableError();
          return [
            this.#keys.tombstones(slot),
            this.#keys.channel,
            entry.id,
            entry.createdAt,
            this.#cap,
            this.#clock.now(),
            onlyIfPresent ? 0 : names.filter(isSharedTimeline).length,
            activeSince ?? '',
            this.#eventRetentionMs,
            this.#keys.subscribed(slot),
            this.#keys.newest(slot),
            author === undefined ? '' : this.#keys.severed(slot) + author,
          ];
        },
        (reply, names) => {
          const bits = String(reply);
          if (bits.length < names.length || bits.includes('0'))
            for (const [n, name] of names.entries()) if (bits[n] !== '1') without.add(name);
        },
      );
      return without.size === 0 ? timelines : timelines.filter((timeline) => !without.has(timeline));
    });
  }

  async remove(
    dropId: string,
    timelines: readonly TimelineName[],
    { announced = false }: RemoveOptions = {},
  ): Promise<void> {
    this.markDeleted(dropId);
    await orUnavailable(async () => {
      const ttl = this.#tombstoneTtlMs;
      // First the tombstone for all, so that it is not added any more; then delete it wherever it may be.
      const tombstone = this.#keys.tombstones(null) + dropId;
      if (this.#redis.clustered || timelines.length === 0)
        await this.#redis.send(tombstone, ['SET', tombstone, '1', 'PX', String(ttl)]);
      await this.#bySlot(timelines, REMOVE_SCRIPT, (slot) => [
        this.#keys.tombstones(slot),
        this.#keys.channel,
        dropId,
        ttl,
        this.#clock.now(),
        this.#eventRetentionMs,
        this.#cap,
        announced ? 1 : '',
        this.#keys.deletedAt(slot),
      ]);
    });
  }

  /** Refuses this drop from now on, also if Redis loses its tombstone. */
  markDeleted(dropId: string): void {
    this.#deleted.delete(dropId);
    this.#deleted.add(dropId);
    for (const oldest of this.#deleted) {
      if (this.#deleted.size <= MAX_TRACKED_DELETIONS) return;
      this.#deleted.delete(oldest);
    }
  }

  /** Pages requested in one iteration of the event loop go in one script, each timeline once. */
  page(
    timeline: TimelineName,
    { limit, before, after }: TimelineRange,
    { mark = false }: { readonly mark?: boolean } = {},
  ): Promise<TimelineWindow | null> {
    const key = this.#keys.timeline(timeline);
    const slot = this.#redis.slot(key);
    const range = [
      limit,
      before?.createdAt ?? '',
      before?.id ?? '',
      after?.createdAt ?? '',
      after?.id ?? '',
      this.#idle(timeline),
      mark ? EVENT_RETENTION_AFTER_PAGE_MS : '',
    ];
    const group = `${slot} ${range.join(' ')}`;
    let loader = this.#loaders.get(group);
    if (loader === undefined) {
      const read = (timelines: readonly TimelineName[]) => {
        // Later calls get another loader: this read may miss what is written before them.
        this.#loaders.delete(group);
        return orUnavailable(() => this.#readPages(slot, range, mark, timelines, group));
      };
      loader = new DataLoader(read, { maxBatchSize: PAGES_PER_SCRIPT, batchScheduleFn: setImmediate });
      this.#loaders.set(group, loader);
    }
    return loader.load(timeline);
  }

  async #readPages(
    slot: number,
    range: readonly (string | number)[],
    mark: boolean,
    timelines: readonly TimelineName[],
    group: string,
  ): Promise<readonly (TimelineWindow | null)[]> {
    const keys = timelines.map((timeline) => this.#keys.timeline(timeline));
    const known = timelines.map((timeline) => this.#pageCache.get(`${timeline} ${group}`));
    const reply = await this.#redis.run(PAGE_SCRIPT, keys, [
      await this.#run(keys[0] ?? ''),
      this.#clock.now(),
      ...range,
      randomBytes(6).toString('hex'),
      this.#cap,
      this.#keys.subscribed(slot),
      this.#keys.tombstones(slot),
      this.#keys.channel,
      this.#eventRetentionMs,
      this.#keys.deletedAt(slot),
      ...known.map((page) => page?.version ?? ''),
    ]);
    const replies = toArray(reply);
    const read = timelines.map((_, n) => parsePageReply(replies[n], mark, known[n]));
    for (const [n, { page }] of read.entries()) this.#cachePage(`${timelines[n]} ${group}`, page);
    if (mark) await this.#recordSubscribed(timelines.filter((_, n) => read[n]?.retentionExtended));
    return read.map(({ page }) => page?.window ?? null);
  }

  beginRebuild(timeline: TimelineName, leaseMs: number): Promise<string | null> {
    return this.#begin(timeline, 'alone', leaseMs);
  }

  beginUpdate(timeline: TimelineName): Promise<string | null> {
    return this.#begin(timeline, 'reopen', DEFAULT_LEASE_MS);
  }

  async merge(timeline: TimelineName, list: RebuiltList, token?: string): Promise<boolean> {
    const slot = this.#redis.slot(this.#keys.timeline(timeline));
    const reply = await this.#on(timeline, MERGE_SCRIPT, (run) => [
      run,
      this.#keys.tombstones(slot),
      this.#cap,
      token ?? '',
      list.floor?.createdAt ?? '',
      list.floor?.id ?? '',
      list.pullAuthors === undefined ? '' : JSON.stringify(list.pullAuthors),
      this.#idle(timeline),
      this.#keys.newest(slot),
      this.#keys.severed(slot),
      list.following?.length ?? 0,
      ...(list.following ?? []),
      ...list.entries.flatMap(({ createdAt, id }) => [createdAt, id]),
    ]);
    return reply === 1;
  }

  async sever(home: TimelineName, authorId: string): Promise<void> {
    await this.#on(home, SEVER_SCRIPT, () => [this.#severed(home, authorId), this.#tombstoneTtlMs]);
  }

  async join(home: TimelineName, authorId: string): Promise<void> {
    await this.#on(home, JOIN_SCRIPT, () => [this.#severed(home, authorId)]);
  }

  async evict(timeline: TimelineName, token?: string): Promise<void> {
    await this.#on(timeline, EVICT_SCRIPT, () => [token ?? '']);
  }

  async touch(timelines: readonly TimelineName[]): Promise<void> {
    const homes = timelines.filter((timeline) => !isSharedTimeline(timeline));
    await orUnavailable(() => this.#bySlot(homes, TOUCH_SCRIPT, () => [this.#clock.now(), this.#idleMs]));
  }

  async size(timeline: TimelineName): Promise<number | null> {
    const reply = await this.#on(timeline, SIZE_SCRIPT, (run) => [run]);
    return typeof reply === 'number' ? reply : null;
  }

  async timeOf(timeline: TimelineName, dropId: string): Promise<number | null> {
    const slot = this.#redis.slot(this.#keys.timeline(timeline));
    const reply = await this.#on(timeline, TIME_OF_SCRIPT, () => [this.#keys.tombstones(slot), dropId]);
    return reply === null ? null : Number(reply);
  }

  async evictedEntries(
    timeline: TimelineName,
    { limit, before }: Pick<TimelineRange, 'limit' | 'before'>,
  ): Promise<readonly TimelineEntry[]> {
    const reply = await this.#on(timeline, EVICTED_ENTRIES_SCRIPT, () => [
      limit,
      before?.createdAt ?? '',
      before?.id ?? '',
    ]);
    return parseEntries(toArray(reply).map(String));
  }

  /** The caller closes the connection. */
  async [Symbol.asyncDispose](): Promise<void> {}

  #cachePage(key: string, page: CachedPage | null): void {
    this.#pageCache.delete(key);
    if (page !== null) this.#pageCache.set(key, page);
    for (const oldest of this.#pageCache.keys()) {
      if (this.#pageCache.size <= MAX_CACHED_PAGES) return;
      this.#pageCache.delete(oldest);
    }
  }

  /** Before the pull authors are read: their later drops are announced to subscribed homes. */
  async #recordSubscribed(timelines: readonly TimelineName[]): Promise<void> {
    const owners = timelines.flatMap((timeline) => ownerOf(timeline) ?? []);
    if (owners.length > 0)
      await recordSubscribedHomes(this.#redis, owners, this.#clock.now() + EVENT_RETENTION_AFTER_PAGE_MS);
  }

  async #begin(timeline: TimelineName, how: string, leaseMs: number): Promise<string | null> {
    const token = randomBytes(9).toString('base64url');
    const begun = await this.#on(timeline, BEGIN_SCRIPT, (run) => [
      run,
      this.#clock.now(),
      token,
      leaseMs,
      how,
      this.#idle(timeline),
    ]);
    return begun === 1 ? token : null;
  }

  #severed(home: TimelineName, authorId: string): string {
    return this.#keys.severed(this.#redis.slot(this.#keys.timeline(home))) + authorId;
  }

  #idle(timeline: TimelineName): number | '' {
    return isSharedTimeline(timeline) ? '' : this.#idleMs;
  }

  /** In a cluster a slot knows only the tombstones of drops that it may have contained. */
  async #isDeletedForAll(dropId: string): Promise<boolean> {
    if (!this.#redis.clustered) return false;
    const tombstone = this.#keys.tombstones(null) + dropId;
    return (await this.#redis.send(tombstone, ['EXISTS', tombstone])) === 1;
  }

  #on(
    timeline: TimelineName,
    script: Script,
    args: (run: string) => (string | number)[],
  ): Promise<RedisReply> {
    const key = this.#keys.timeline(timeline);
    return orUnavailable(async () => this.#redis.run(script, [key], args(await this.#run(key))));
  }

  /** Server run, format and cap of a window: with another cap its floor is invalid. */
  async #run(key: string): Promise<string> {
    return `${await this.#redis.runOf(key)}:${this.#cap}:${WINDOW_VERSION}`;
  }

  /** When one of the servers of these timelines was started or failed over, as far as this replica knows. */
  async #newRunAt(timelines: readonly TimelineName[]): Promise<number> {
    const first = this.#redis.clustered ? timelines : timelines.slice(0, 1);
    await Promise.all(first.map((timeline) => this.#redis.runOf(this.#keys.timeline(timeline))));
    return this.#redis.newRunAt;
  }

  /** In batches of one slot each. Every batch gets its server's run in its place among the arguments. */
  async #bySlot(
    timelines: readonly TimelineName[],
    script: Script,
    args: (slot: number, names: readonly TimelineName[]) => readonly (string | number)[],
    onReply: (reply: RedisReply, names: readonly TimelineName[]) => void = () => {},
  ): Promise<void> {
    await Promise.all(
      slotBatches(timelines, (name) =>
        this.#redis.clustered ? this.#redis.slot(this.#keys.timeline(name)) : 0,
      ).map(async ({ slot, names }) => {
        const keys = names.map((name) => this.#keys.timeline(name));
        const run = await this.#run(keys[0] ?? '');
        onReply(await this.#redis.run(script, keys, withRun(script, args(slot, names), run)), names);
      }),
    );
  }
}

/** Argument index of the server's run in each script. */
const RUN_ARGUMENT_INDEX = new Map<Script, number>([
  [ADD_SCRIPT, 5],
  [REMOVE_SCRIPT, 4],
  [TOUCH_SCRIPT, 0],
]);

function withRun(script: Script, args: readonly (string | number)[], run: string): (string | number)[] {
  const at = RUN_ARGUMENT_INDEX.get(script) ?? 0;
  return [...args.slice(0, at), run, ...args.slice(at)];
}

interface SlotBatch {
  readonly slot: number;
  readonly names: readonly TimelineName[];
}

/** Public timelines first: the script creates them where they are missing. */
function slotBatches(
  timelines: readonly TimelineName[],
  slotOf: (timeline: TimelineName) => number,
): SlotBatch[] {
  const slots = new Map<number, TimelineName[]>();
  for (const timeline of timelines) {
    const slot = slotOf(timeline);
    const names = slots.get(slot);
    if (names === undefined) slots.set(slot, [timeline]);
    else if (isSharedTimeline(timeline)) names.unshift(timeline);
    else names.push(timeline);
  }
  return [...slots].flatMap(([slot, names]) =>
    chunked(names, TIMELINES_PER_SCRIPT).map((some) => ({ slot, names: some })),
  );
}
