import type { FirestoreRest, RestDocument } from './firestore-rest.ts';

/** The five timespans with their age and the time to live of their cache document, in milliseconds. */
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TIMESPANS = {
  Day: { age: DAY, lives: HOUR / 2 },
  Week: { age: 7 * DAY, lives: 2 * DAY },
  Month: { age: 30 * DAY, lives: 7 * DAY },
  Year: { age: 365 * DAY, lives: 30 * DAY },
  All: { age: null, lives: 30 * DAY },
} as const;

export type OriginalTimespan = keyof typeof TIMESPANS;
export const ORIGINAL_TIMESPANS = Object.keys(TIMESPANS) as OriginalTimespan[];

const MAX_QUERY_DOCS = 2000;
const LIMIT_RESULTS = 500;

/** A story as the original program shows it. */
export interface OriginalStory {
  readonly by: string;
  readonly descendants: number;
  readonly id: number;
  readonly score: number;
  /** Milliseconds. */
  readonly time: number;
  readonly title: string;
  readonly url: string;
}

/** Firestore's types of the fields of a story; those that the original leaves out where Hacker News has none. */
const STORY_FIELDS = {
  by: 'stringValue',
  descendants: 'integerValue',
  id: 'integerValue',
  kids: 'arrayValue',
  score: 'integerValue',
  time: 'timestampValue',
  title: 'stringValue',
  url: 'stringValue',
  updated: 'timestampValue',
} as const;
const MAY_BE_ABSENT = new Set(['kids', 'url']);

/**
 * The original story reader without its first cache layer, as its design document describes it. It reads Firestore by plain
 * REST and throws on every document that the original could not read.
 */
export class OriginalStoryReader {
  readonly #rest: FirestoreRest;
  readonly #prefix: string;
  readonly #now: () => number;

  constructor(rest: FirestoreRest, prefix: string, now: () => number) {
    this.#rest = rest;
    this.#prefix = prefix;
    this.#now = now;
  }

  /** `getStories(timespan, 500, 0)`, without what this user has hidden. */
  async getStories(timespan: OriginalTimespan, username?: string): Promise<OriginalStory[]> {
    const hidden = new Set(username === undefined ? [] : (await this.hidden(username)).keys());
    const list = await this.#list(timespan);
    return list.filter(({ id }) => !hidden.has(id)).slice(0, LIMIT_RESULTS);
  }

  /** Story IDs with the time at which they were hidden. */
  async hidden(username: string): Promise<Map<number, number>> {
    const found = await this.#rest.list(`${this.#prefix}users/${username}/hidden`);
    return new Map(
      found.map(({ id, data, types }) => {
        if (!/^\d+$/.test(id) || types.addedAt !== 'integerValue') throw unreadable('hidden', id, types);
        return [Number(id), data.addedAt as number];
      }),
    );
  }

  /** The worker's query: `orderBy('id', 'desc').limit(1)`. */
  async latestId(): Promise<number> {
    return Math.max(...(await this.stories()).map(({ id }) => id));
  }

  async stories(): Promise<OriginalStory[]> {
    return (await this.#rest.list(`${this.#prefix}stories`)).map(storyOf);
  }

  async #list(timespan: OriginalTimespan): Promise<OriginalStory[]> {
    const list = (await this.#cached(timespan)) ?? (await this.#ranked(timespan));
    if (timespan === 'Day') return list;
    const day = await this.#list('Day');
    const known = new Set(day.map(({ id }) => id));
    return ranked([...day, ...list.filter(({ id }) => !known.has(id))]);
  }

  async #cached(timespan: OriginalTimespan): Promise<OriginalStory[] | null> {
    const found = await this.#rest.get(`${this.#prefix}cache`, timespan);
    if (found === null) return null;
    const { stories, cachedAt } = found.data;
    if (found.types.stories !== 'arrayValue' || found.types.cachedAt !== 'integerValue')
      throw unreadable('cache', timespan, found.types);
    if (this.#now() - (cachedAt as number) >= TIMESPANS[timespan].lives) return null;
    return (stories as unknown[]).map(cachedStoryOf);
  }

  async #ranked(timespan: OriginalTimespan): Promise<OriginalStory[]> {
    const { age } = TIMESPANS[timespan];
    const since = age === null ? Number.NEGATIVE_INFINITY : this.#now() - age;
    return ranked((await this.stories()).filter(({ time }) => time > since));
  }
}

/** The best score first, of equal ones the newest. */
function ranked(stories: readonly OriginalStory[]): OriginalStory[] {
  return stories.toSorted((a, b) => b.score - a.score || b.id - a.id).slice(0, MAX_QUERY_DOCS);
}

function storyOf({ id, data, types }: RestDocument): OriginalStory {
  for (const [field, type] of Object.entries(STORY_FIELDS))
    if (types[field] !== type && !(types[field] === undefined && MAY_BE_ABSENT.has(field)))
      throw unreadable('stories', id, types);
  if (!/^\d{10}$/.test(id) || Number(id) !== data.id) throw unreadable('stories', id, types);
  const kids = (data.kids ?? []) as unknown[];
  if (!kids.every((kid) => typeof kid === 'number')) throw unreadable('stories', id, types);
  const { by, descendants, score, title, url = '' } = data as unknown as OriginalStory;
  return { by, descendants, id: Number(id), score, time: Date.parse(data.time as string), title, url };
}

function cachedStoryOf(value: unknown): OriginalStory {
  const { by, descendants, id, score, time, title, url = '' } = value as OriginalStory;
  const numbers = [descendants, id, score, time].every((one) => Number.isInteger(one));
  const texts = [by, title, url].every((one) => typeof one === 'string');
  if (!numbers || !texts) throw new Error(`The original cannot read this story: ${JSON.stringify(value)}`);
  return { by, descendants, id, score, time, title, url };
}

function unreadable(collection: string, id: string, types: RestDocument['types']): Error {
  return new Error(`The original cannot read ${collection}/${id}: ${JSON.stringify(types)}`);
}
