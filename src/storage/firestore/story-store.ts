import { chunked } from '../../item/chunked.ts';
import { byRank, type ListedStory, listed, looksAlike, type Story, TIMESPANS } from '../../stories/story.ts';
import {
  type BestPage,
  type BestRequest,
  type CachedList,
  type ChangePage,
  type ChangePosition,
  type HiddenPage,
  type HiddenRequest,
  type ListCache,
  type NewStory,
  NO_USAGE,
  type Ranking,
  type StoryChange,
  type StoryStore,
  type StoryStoreAbilities,
  type StoryUsage,
  type SyncState,
  sumUsage,
} from '../../stories/story-store.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, MINUTE } from '../../time/duration.ts';
import { type FirestoreConnection, MAX_PER_CALL, type Write } from './connection.ts';
import { FirestoreHiddenStories } from './hidden-stories.ts';
import { createOrReplace } from './query.ts';
import { FirestoreStoryChanges } from './story-changes.ts';
import {
  bytesOf,
  type Collections,
  collectionsOf,
  listedData,
  loadToTimestamp,
  positionOf,
  storyData,
  storyDocument,
  storyQueries,
  toListed,
  toStory,
} from './story-documents.ts';

/** Maximum delay until changes of another replica's worker are seen; polling costs a read. */
const POLL_INTERVAL_MS = MINUTE;
/** Stories in one commit, with their entries in the feed. */
const BATCH_SIZE = 200;
/** Stories of a time range kept in memory while its best are selected. */
const RANGE_BATCH_SIZE = 5000;

export interface FirestoreStoryOptions {
  readonly connection: FirestoreConnection;
  /** The environment's, see `environmentPrefix`. */
  readonly prefix: string;
  readonly set: string;
  readonly clock: Clock;
  /** Shared by all sets, see `openHiddenStories`. */
  readonly hidden: FirestoreHiddenStories;
}

/** Hidden stories of all users, for all sets of an environment. */
export function openHiddenStories(
  connection: FirestoreConnection,
  prefix: string,
  clock: Clock,
): FirestoreHiddenStories {
  return new FirestoreHiddenStories(connection, `${prefix}users`, clock);
}

/** One set of stories in the collections of E1–E4. */
export class FirestoreStoryStore implements StoryStore {
  readonly abilities: StoryStoreAbilities;
  readonly #connection: FirestoreConnection;
  readonly #collections: Collections;
  readonly #queries: ReturnType<typeof storyQueries>;
  readonly #changes: FirestoreStoryChanges;
  readonly #hidden: FirestoreHiddenStories;

  /** The caller owns the connection. */
  constructor({ connection, prefix, set, clock, hidden }: FirestoreStoryOptions) {
    this.#connection = connection;
    this.#collections = collectionsOf(prefix, set);
    this.#queries = storyQueries(this.#collections);
    this.#changes = new FirestoreStoryChanges(connection, this.#collections, clock);
    this.#hidden = hidden;
    this.abilities = {
      pollIntervalMs: POLL_INTERVAL_MS,
      cache: new FirestoreListCache(connection, this.#collections.cache, clock),
    };
  }

  async upsert(stories: readonly NewStory[]): Promise<void> {
    const timestamp = await loadToTimestamp();
    for (const some of chunked(stories, BATCH_SIZE)) {
      const batch = await this.#withBefore(some);
      const changes = batch.flatMap(({ story, before }): StoryChange[] =>
        before !== null && looksAlike(before, story)
          ? []
          : [{ before: before && listed(before), after: listed(story) }],
      );
      await this.#commit([
        ...batch.map(
          ({ story }): Write => ({ do: 'set', at: this.#place(story.id), data: storyData(story, timestamp) }),
        ),
        ...(await this.#changes.writesFor(changes)),
      ]);
    }
  }

  async remove(ids: readonly number[]): Promise<void> {
    for (const batch of chunked(ids, BATCH_SIZE)) {
      const found = await this.find(batch);
      if (found.length === 0) continue;
      await this.#commit([
        ...found.map(({ id }): Write => ({ do: 'delete', at: this.#place(id) })),
        ...(await this.#changes.writesFor(found.map((story) => ({ before: listed(story), after: null })))),
      ]);
    }
  }

  async find(ids: readonly number[]): Promise<readonly Story[]> {
    const snapshots = await this.#connection.getAll([...new Set(ids)].map((id) => this.#place(id)));
    return snapshots.map(toStory).filter((story) => story !== null);
  }

  async best({ since, after, limit, notHiddenBy }: BestRequest): Promise<BestPage> {
    const most = Math.min(limit, MAX_PER_CALL);
    const found = await this.#connection.query(
      since === null ? this.#queries.best : this.#queries.bestSince,
      {
        where: since === null ? [] : [(await loadToTimestamp())(Math.max(0, since))],
        limit: most,
        ...(after !== null && { startAfter: [after.score, after.id] }),
      },
    );
    const stories = found.map(toStory).filter((story) => story !== null);
    const last = stories.at(-1);
    const next = found.length < most || last === undefined ? null : { score: last.score, id: last.id };
    const hidden =
      notHiddenBy === undefined
        ? null
        : await this.hiddenAmong(
            notHiddenBy,
            stories.map(({ id }) => id),
          );
    return { stories: stories.filter(({ id }) => hidden?.has(id) !== true).map(listed), next };
  }

  /** E7: all time is ranked by the store's index; a time range is read completely and its best are kept. */
  async ranking(since: number | null, limit: number): Promise<Ranking> {
    const place = await this.head();
    if (since !== null) return { ...(await this.#rangeRanking(since, limit)), position: place };
    const found = await this.#connection.query(this.#queries.all, { where: [], limit });
    const stories = found.map(toStory).filter((story) => story !== null);
    return { stories: stories.map(listed).sort(byRank), complete: found.length < limit, position: place };
  }

  async latestId(): Promise<number | null> {
    const [newest] = await this.#connection.query(this.#queries.latest, { where: [], limit: 1 });
    return newest === undefined ? null : (toStory(newest)?.id ?? null);
  }

  async stale(since: number, updatedBefore: number, limit: number): Promise<readonly Story[]> {
    const timestamp = await loadToTimestamp();
    const found = await this.#connection.query(this.#queries.stale, {
      where: [timestamp(Math.max(0, since)), timestamp(updatedBefore)],
      limit,
    });
    return found.map(toStory).filter((story) => story !== null);
  }

  head(): Promise<ChangePosition> {
    return this.#changes.head();
  }

  changesSince(place: ChangePosition): Promise<ChangePage | null> {
    return this.#changes.since(place);
  }

  hide(username: string, storyIds: readonly number[], at: number): Promise<void> {
    return this.#hidden.hide(username, storyIds, at);
  }

  unhide(username: string, storyIds: readonly number[]): Promise<void> {
    return this.#hidden.unhide(username, storyIds);
  }

  hiddenAmong(username: string, storyIds: readonly number[]): Promise<ReadonlySet<number>> {
    return this.#hidden.among(username, storyIds);
  }

  hidden(username: string, page: HiddenRequest): Promise<HiddenPage> {
    return this.#hidden.list(username, page);
  }

  async loadSyncState(): Promise<SyncState | null> {
    const noted: unknown = (
      await this.#connection.get([this.#collections.worker, this.#collections.set])
    ).get('memory');
    return typeof noted === 'string' ? (JSON.parse(noted) as SyncState) : null;
  }

  async saveSyncState(state: SyncState): Promise<void> {
    const data = { memory: JSON.stringify(state) };
    await this.#connection.commit([
      { do: 'set', at: [this.#collections.worker, this.#collections.set], data },
    ]);
  }

  async addUsage(day: string, use: StoryUsage): Promise<void> {
    const at = this.#usagePath(day);
    await this.#connection.mutate(at, (now) => {
      const data = sumUsage({ ...NO_USAGE, ...now.data() }, use);
      return { value: null, writes: [createOrReplace(now, at, data)] };
    });
  }

  async usageOf(day: string): Promise<StoryUsage> {
    return { ...NO_USAGE, ...(await this.#connection.get(this.#usagePath(day))).data() };
  }

  async maintain(): Promise<void> {
    await this.#changes.prune();
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** Reads the stored version of stories where the caller does not know it. */
  async #withBefore(stories: readonly NewStory[]): Promise<{ story: Story; before: Story | null }[]> {
    const unknown = stories.filter(({ before }) => before === undefined).map(({ story }) => story.id);
    const found = new Map((await this.find(unknown)).map((story) => [story.id, story]));
    return stories.map(({ story, before }) => ({
      story,
      before: before === undefined ? (found.get(story.id) ?? null) : before,
    }));
  }

  /** The newest first, in pages, so that a year is never in memory. */
  async #rangeRanking(since: number, limit: number): Promise<{ stories: ListedStory[]; complete: boolean }> {
    const timestamp = await loadToTimestamp();
    const best = new Map<number, ListedStory>();
    let until = Number.MAX_SAFE_INTEGER;
    let complete = true;
    for (let most = RANGE_BATCH_SIZE; ; ) {
      const found = await this.#connection.query(this.#queries.range, {
        where: [timestamp(Math.max(0, since)), timestamp(Math.min(until, MAX_TIMESTAMP_MS))],
        limit: most,
      });
      const stories = found.map(toStory).filter((story) => story !== null);
      for (const story of stories) best.set(story.id, listed(story));
      if (best.size > limit) {
        complete = false;
        for (const { id } of [...best.values()].sort(byRank).slice(limit)) best.delete(id);
      }
      const oldest = stories.at(-1)?.time;
      if (found.length < most || oldest === undefined) break;
      // The next page begins at the timestamp at which this one ended: others with the same timestamp may follow.
      if (oldest === until) most *= 2;
      until = oldest;
    }
    return { stories: [...best.values()].sort(byRank), complete };
  }

  async #commit(writes: readonly Write[]): Promise<void> {
    await this.#connection.commit(writes);
  }

  #usagePath(day: string): readonly [string, string] {
    return [this.#collections.worker, `${this.#collections.set}-${day}`];
  }

  #place(id: number): readonly [string, string] {
    return [this.#collections.stories, storyDocument(id)];
  }
}

/** The latest Firestore timestamp. */
const MAX_TIMESTAMP_MS = Date.UTC(9999, 11, 31);

/** A document holds 1 MiB; some of it is its name and the fields around the list. */
const MAX_CACHE_DOCUMENT_BYTES = 2 ** 20 - 4096;
/** A list this much shorter than a document cannot have been cut: no story is so long. */
const MAX_STORY_BYTES = 2 ** 18;
/** How far back changes are read for an older document; well within the retention of the feed. */
const MAX_READ_BACK_MS = DAY;

/**
 * The five cache documents (E4). `rankedAt` is our own field: a list that the worker patches is rewritten, with a new
 * `cachedAt`, long before it is ranked again. Other programs write only `stories` and `cachedAt`.
 */
export class FirestoreListCache implements ListCache {
  readonly #connection: FirestoreConnection;
  readonly #collection: string;
  readonly #clock: Clock;

  constructor(connection: FirestoreConnection, collection: string, clock: Clock) {
    this.#connection = connection;
    this.#collection = collection;
    this.#clock = clock;
  }

  /** One read. A document of another shape counts as absent, and is replaced by the next list. */
  async get(timespan: string): Promise<CachedList | null> {
    const snapshot = await this.#connection.get([this.#collection, timespan]);
    const { stories, cachedAt, rankedAt } = (snapshot.data() ?? {}) as Record<string, unknown>;
    if (!Array.isArray(stories) || typeof cachedAt !== 'number' || snapshot.updateTime === undefined)
      return null;
    const read = stories.map(toListed).filter((story) => story !== null);
    if (read.length < stories.length) return null;
    const writtenMsAgo = snapshot.readTime.toMillis() - snapshot.updateTime.toMillis();
    return {
      stories: read,
      rankedAt: typeof rankedAt === 'number' ? Math.min(rankedAt, cachedAt) : cachedAt,
      hasChanges: typeof rankedAt === 'number',
      uncut: bytesOfAll(read) < MAX_CACHE_DOCUMENT_BYTES - MAX_STORY_BYTES,
      position: positionOf(
        writtenMsAgo < MAX_READ_BACK_MS
          ? snapshot.updateTime
          : (await loadToTimestamp())(snapshot.readTime.toMillis() - MAX_READ_BACK_MS),
      ),
      writtenMsAgo,
    };
  }

  async set(
    timespan: string,
    { stories, rankedAt }: Pick<CachedList, 'stories' | 'rankedAt'>,
  ): Promise<void> {
    const data = { stories: fitToDocument(stories).map(listedData), cachedAt: this.#clock.now(), rankedAt };
    await this.#connection.commit([{ do: 'set', at: [this.#collection, timespan], data }]);
  }

  async clear(): Promise<void> {
    await this.#connection.commit(TIMESPANS.map((name) => ({ do: 'delete', at: [this.#collection, name] })));
  }
}

function bytesOfAll(stories: readonly ListedStory[]): number {
  return stories.reduce((sum, story) => sum + bytesOf(story), 0);
}

/** The first stories, as many as fit into a document, by bytes. */
export function fitToDocument(stories: readonly ListedStory[]): readonly ListedStory[] {
  let bytes = 0;
  const over = stories.findIndex((story) => {
    bytes += bytesOf(story);
    return bytes > MAX_CACHE_DOCUMENT_BYTES;
  });
  return over === -1 ? stories : stories.slice(0, over);
}
