import type { FirestoreConnection } from '../../firestore/connection.ts';
import { type ListedStory, TIMESPANS } from '../story.ts';
import type { CachedList, ListCache } from '../story-store.ts';
import { bytesOf, listedData, placeOf, toListed } from './documents.ts';

/** A document holds 1 MiB; some of it is its own name and what surrounds the list. */
const MOST_BYTES = 2 ** 20 - 4096;
/** A list this much shorter than a document cannot have been cut: no story is so long. */
const LONGEST = 2 ** 18;

/** The five cache documents (E4). */
export class FirestoreListCache implements ListCache {
  readonly #connection: FirestoreConnection;
  readonly #collection: string;

  constructor(connection: FirestoreConnection, collection: string) {
    this.#connection = connection;
    this.#collection = collection;
  }

  /** One read. A document of another shape counts as none, and is replaced by the next list. */
  async get(timespan: string): Promise<CachedList | null> {
    const snapshot = await this.#connection.get([this.#collection, timespan]);
    const { stories, cachedAt } = (snapshot.data() ?? {}) as { stories?: unknown; cachedAt?: unknown };
    if (!Array.isArray(stories) || typeof cachedAt !== 'number' || snapshot.updateTime === undefined)
      return null;
    const read = stories.map(toListed).filter((story) => story !== null);
    if (read.length < stories.length) return null;
    return {
      stories: read,
      cachedAt,
      uncut: bytesOfAll(read) < MOST_BYTES - LONGEST,
      place: placeOf(snapshot.updateTime),
      writtenMsAgo: snapshot.readTime.toMillis() - snapshot.updateTime.toMillis(),
    };
  }

  async set(
    timespan: string,
    { stories, cachedAt }: { readonly stories: readonly ListedStory[]; readonly cachedAt: number },
  ): Promise<void> {
    const data = { stories: whatFits(stories).map(listedData), cachedAt };
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
