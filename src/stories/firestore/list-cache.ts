import type { FirestoreConnection } from '../../firestore/connection.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY } from '../../time/duration.ts';
import { type ListedStory, TIMESPANS } from '../story.ts';
import type { CachedList, ListCache } from '../story-store.ts';
import { bytesOf, listedData, placeOf, toListed, toTimestamp } from './documents.ts';

/** A document holds 1 MiB; some of it is its own name and what surrounds the list. */
const MOST_BYTES = 2 ** 20 - 4096;
/** A list this much shorter than a document cannot have been cut: no story is so long. */
const LONGEST = 2 ** 18;
/** How far back changes are read for a document that is older; well within what the feed keeps. */
const FEED_READ_BACK = DAY;

/**
 * The five cache documents (E4). `rankedAt` is a field of our own: a list that the worker patches is written again, with a new
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

  /** One read. A document of another shape counts as none, and is replaced by the next list. */
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
      uncut: bytesOfAll(read) < MOST_BYTES - LONGEST,
      place: placeOf(
        writtenMsAgo < FEED_READ_BACK
          ? snapshot.updateTime
          : (await toTimestamp())(snapshot.readTime.toMillis() - FEED_READ_BACK),
      ),
      writtenMsAgo,
    };
  }

  async set(
    timespan: string,
    { stories, rankedAt }: Pick<CachedList, 'stories' | 'rankedAt'>,
  ): Promise<void> {
    const data = { stories: whatFits(stories).map(listedData), cachedAt: this.#clock.now(), rankedAt };
    await this.#connection.commit([{ do: 'set', at: [this.#collection, timespan], data }]);
  }

  async clear(): Promise<void> {
    await this.#connection.commit(TIMESPANS.map((name) => ({ do: 'delete', at: [this.#collection, name] })));
  }
}

function bytesOfAll(stories: readonly ListedStory[]): number {
  return stories.reduce((sum, story) => sum + bytesOf(story), 0);
}

/** The first ones, as many as a document holds, by bytes. */
export function whatFits(stories: readonly ListedStory[]): readonly ListedStory[] {
  let bytes = 0;
  const over = stories.findIndex((story) => {
    bytes += bytesOf(story);
    return bytes > MOST_BYTES;
  });
  return over === -1 ? stories : stories.slice(0, over);
}
