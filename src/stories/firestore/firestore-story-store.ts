import { type FirestoreConnection, MOST_PER_CALL, type Write } from '../../firestore/connection.ts';
import { chunked } from '../../item/chunked.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import { byRank, type ListedStory, listed, looksAlike, type Story } from '../story.ts';
import {
  addUse,
  type BestAnswer,
  type BestAsk,
  type FeedPart,
  type FeedPlace,
  type HiddenAsk,
  type HiddenPage,
  type NewStory,
  NO_USE,
  type Ranking,
  type StoryChange,
  type StoryStore,
  type StoryStoreAbilities,
  type StoryUse,
  type WorkerMemory,
} from '../story-store.ts';
import { type Collections, collectionsOf, storyDocument, storyQueries } from './collections.ts';
import { storyData, toStory, toTimestamp } from './documents.ts';
import { FirestoreFeed } from './feed.ts';
import { FirestoreHidden } from './hidden.ts';
import { FirestoreListCache } from './list-cache.ts';

/** What another copy's worker changed is seen here after this long at the latest; looking costs a read. */
const LOOK_EVERY = MINUTE;
/** Stories in one commit, with their lines in the feed. */
const AT_ONCE = 200;
/** Stories of a time range that are held at once while its best are picked. */
const RANGE_AT_ONCE = 5000;

export interface FirestoreStoryOptions {
  readonly connection: FirestoreConnection;
  /** The environment's, see `environmentPrefix`. */
  readonly prefix: string;
  readonly set: string;
  readonly clock: Clock;
  /** Shared by all sets, see `hiddenOn`. */
  readonly hidden: FirestoreHidden;
}

/** Who hid what, for all sets of an environment. */
export function hiddenOn(connection: FirestoreConnection, prefix: string, clock: Clock): FirestoreHidden {
  return new FirestoreHidden(connection, `${prefix}users`, clock);
}

/** One set of stories in the collections of E1–E4. */
export class FirestoreStoryStore implements StoryStore {
  readonly abilities: StoryStoreAbilities;
  readonly #connection: FirestoreConnection;
  readonly #at: Collections;
  readonly #queries: ReturnType<typeof storyQueries>;
  readonly #feed: FirestoreFeed;
  readonly #hidden: FirestoreHidden;

  /** The connection belongs to whoever made it. */
  constructor({ connection, prefix, set, clock, hidden }: FirestoreStoryOptions) {
    this.#connection = connection;
    this.#at = collectionsOf(prefix, set);
    this.#queries = storyQueries(this.#at);
    this.#feed = new FirestoreFeed(connection, this.#at, clock);
    this.#hidden = hidden;
    this.abilities = {
      looksEveryMs: LOOK_EVERY,
      cache: new FirestoreListCache(connection, this.#at.cache, clock),
    };
  }

  async upsert(stories: readonly NewStory[]): Promise<void> {
    const timestamp = await toTimestamp();
    for (const some of chunked(stories, AT_ONCE)) {
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
        ...(await this.#feed.tell(changes)),
      ]);
    }
  }

  async remove(ids: readonly number[]): Promise<void> {
    for (const batch of chunked(ids, AT_ONCE)) {
      const found = await this.find(batch);
      if (found.length === 0) continue;
      await this.#commit([
        ...found.map(({ id }): Write => ({ do: 'delete', at: this.#place(id) })),
        ...(await this.#feed.tell(found.map((story) => ({ before: listed(story), after: null })))),
      ]);
    }
  }

  async find(ids: readonly number[]): Promise<readonly Story[]> {
    const snapshots = await this.#connection.getAll([...new Set(ids)].map((id) => this.#place(id)));
    return snapshots.map(toStory).filter((story) => story !== null);
  }

  async best({ since, after, limit, notHiddenBy }: BestAsk): Promise<BestAnswer> {
    const most = Math.min(limit, MOST_PER_CALL);
    const found = await this.#connection.query(
      since === null ? this.#queries.best : this.#queries.bestSince,
      {
        where: since === null ? [] : [(await toTimestamp())(Math.max(0, since))],
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

  /** E7: all time in the order of the store; a time range as a whole, of which the best are kept. */
  async ranking(since: number | null, limit: number): Promise<Ranking> {
    const place = await this.head();
    if (since !== null) return { ...(await this.#rangeRanking(since, limit)), place };
    const found = await this.#connection.query(this.#queries.all, { where: [], limit });
    const stories = found.map(toStory).filter((story) => story !== null);
    return { stories: stories.map(listed).sort(byRank), complete: found.length < limit, place };
  }

  async latestId(): Promise<number | null> {
    const [newest] = await this.#connection.query(this.#queries.latest, { where: [], limit: 1 });
    return newest === undefined ? null : (toStory(newest)?.id ?? null);
  }

  async stale(since: number, updatedBefore: number, limit: number): Promise<readonly Story[]> {
    const timestamp = await toTimestamp();
    const found = await this.#connection.query(this.#queries.stale, {
      where: [timestamp(Math.max(0, since)), timestamp(updatedBefore)],
      limit,
    });
    return found.map(toStory).filter((story) => story !== null);
  }

  head(): Promise<FeedPlace> {
    return this.#feed.head();
  }

  changesSince(place: FeedPlace): Promise<FeedPart | null> {
    return this.#feed.since(place);
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

  hidden(username: string, page: HiddenAsk): Promise<HiddenPage> {
    return this.#hidden.list(username, page);
  }

  async memory(): Promise<WorkerMemory | null> {
    const noted: unknown = (await this.#connection.get([this.#at.worker, this.#at.set])).get('memory');
    return typeof noted === 'string' ? (JSON.parse(noted) as WorkerMemory) : null;
  }

  async remember(memory: WorkerMemory): Promise<void> {
    const data = { memory: JSON.stringify(memory) };
    await this.#connection.commit([{ do: 'set', at: [this.#at.worker, this.#at.set], data }]);
  }

  async countUse(day: string, use: StoryUse): Promise<void> {
    const at = this.#usePlace(day);
    await this.#connection.mutate(at, (now) => {
      const data = addUse({ ...NO_USE, ...now.data() }, use);
      const { updateTime: asOf } = now;
      return { value: null, writes: [asOf ? { do: 'replace', at, data, asOf } : { do: 'create', at, data }] };
    });
  }

  async useOf(day: string): Promise<StoryUse> {
    return { ...NO_USE, ...(await this.#connection.get(this.#usePlace(day))).data() };
  }

  async tend(): Promise<void> {
    await this.#feed.prune();
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** What is stored of those of which the caller does not know it. */
  async #withBefore(stories: readonly NewStory[]): Promise<{ story: Story; before: Story | null }[]> {
    const unknown = stories.filter(({ before }) => before === undefined).map(({ story }) => story.id);
    const found = new Map((await this.find(unknown)).map((story) => [story.id, story]));
    return stories.map(({ story, before }) => ({
      story,
      before: before === undefined ? (found.get(story.id) ?? null) : before,
    }));
  }

  /** The newest first, a part at a time, so that a year is never in memory. */
  async #rangeRanking(since: number, limit: number): Promise<{ stories: ListedStory[]; complete: boolean }> {
    const timestamp = await toTimestamp();
    const best = new Map<number, ListedStory>();
    let until = Number.MAX_SAFE_INTEGER;
    let complete = true;
    for (let most = RANGE_AT_ONCE; ; ) {
      const found = await this.#connection.query(this.#queries.range, {
        where: [timestamp(Math.max(0, since)), timestamp(Math.min(until, LAST_MOMENT))],
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
      // The next part begins with the moment at which this one ended: others of the same moment may follow.
      if (oldest === until) most *= 2;
      until = oldest;
    }
    return { stories: [...best.values()].sort(byRank), complete };
  }

  async #commit(writes: readonly Write[]): Promise<void> {
    await this.#connection.commit(writes);
  }

  #usePlace(day: string): readonly [string, string] {
    return [this.#at.worker, `${this.#at.set}-${day}`];
  }

  #place(id: number): readonly [string, string] {
    return [this.#at.stories, storyDocument(id)];
  }
}

/** The last that a time of Firestore can be. */
const LAST_MOMENT = Date.UTC(9999, 11, 31);
