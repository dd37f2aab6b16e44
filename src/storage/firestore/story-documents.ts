import type { DocumentData, DocumentSnapshot, Timestamp } from '@google-cloud/firestore';
import { type ListedStory, listed, type Story } from '../../stories/story.ts';
import type { QueryForm } from './query.ts';

/** The set that uses the collections of the contract directly. */
export const HACKER_NEWS = 'hackernews';

const ENVIRONMENT_PREFIXES: Readonly<Record<string, string>> = {
  production: 'prod-',
  staging: 'staging-',
  ci: 'ci-',
};

/** Prefix of every collection (E1): the environment, so that one database serves all of them separately. */
export function environmentPrefix(environment: string | undefined): string {
  return (
    (environment !== undefined &&
      Object.hasOwn(ENVIRONMENT_PREFIXES, environment) &&
      ENVIRONMENT_PREFIXES[environment]) ||
    'dev-'
  );
}

/** The collections of one set. */
export interface Collections {
  readonly stories: string;
  readonly cache: string;
  readonly changes: string;
  readonly worker: string;
  readonly users: string;
  /** The set's document in the worker collection. */
  readonly set: string;
}

/** The contract's own collections for Hacker News; below a document of its own for any other set. */
export function collectionsOf(prefix: string, set: string): Collections {
  const own = set === HACKER_NEWS ? prefix : `${prefix}sets/${documentId(set)}/`;
  return {
    stories: `${own}stories`,
    cache: `${own}cache`,
    changes: `${own}changes`,
    worker: `${prefix}worker`,
    users: `${prefix}users`,
    set: documentId(set),
  };
}

/** Ten digits, so that names sort as numbers do (E2). */
export function storyDocument(id: number): string {
  return String(id).padStart(10, '0');
}

/** Any name as a document ID; names without special characters stay unchanged (E3). */
export function documentId(name: string): string {
  const plain = name !== '.' && name !== '..' && !/^__.*__$/.test(name) && !/[/%]/.test(name);
  return plain ? name : encodeURIComponent(name).replace(/[._]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
}

export type StoryQueryName =
  | 'all'
  | 'range'
  | 'best'
  | 'bestSince'
  | 'latest'
  | 'stale'
  | 'changes'
  | 'head'
  | 'old';

/** Every query on the stories of a set. */
export function storyQueries({
  stories,
  changes,
}: Pick<Collections, 'stories' | 'changes'>): Readonly<Record<StoryQueryName, QueryForm>> {
  return {
    all: { collection: stories, where: [], orderBy: [['score', 'desc']] },
    range: {
      collection: stories,
      where: [
        ['time', '>'],
        ['time', '<='],
      ],
      orderBy: [['time', 'desc']],
    },
    best: {
      collection: stories,
      where: [],
      orderBy: [
        ['score', 'desc'],
        ['id', 'desc'],
      ],
    },
    bestSince: {
      collection: stories,
      where: [['time', '>']],
      orderBy: [
        ['score', 'desc'],
        ['id', 'desc'],
      ],
    },
    latest: { collection: stories, where: [], orderBy: [['id', 'desc']] },
    stale: {
      collection: stories,
      where: [
        ['time', '>'],
        ['updated', '<'],
      ],
      orderBy: [['updated', 'asc']],
    },
    changes: { collection: changes, where: [['at', '>']], orderBy: [['at', 'asc']] },
    head: { collection: changes, where: [], orderBy: [['at', 'desc']] },
    old: { collection: changes, where: [['at', '<']], orderBy: [['at', 'asc']] },
  };
}

export type HiddenQueryName = 'list' | 'since';

/** Queries on the hidden stories of one user. */
export function hiddenQueries(hidden: string): Readonly<Record<HiddenQueryName, QueryForm>> {
  return {
    list: {
      collection: hidden,
      where: [],
      orderBy: [
        ['addedAt', 'desc'],
        ['__name__', 'desc'],
      ],
    },
    since: { collection: hidden, where: [['addedAt', '>']], orderBy: [['addedAt', 'asc']] },
  };
}

/** Creates Firestore timestamps. The SDK is loaded with the first call that needs it. */
export type ToTimestamp = (ms: number) => Timestamp;

export async function loadToTimestamp(): Promise<ToTimestamp> {
  const { Timestamp } = await import('@google-cloud/firestore');
  return (ms) => Timestamp.fromMillis(ms);
}

/** A story in the format of E2. */
export function storyData(story: Story, timestamp: ToTimestamp): DocumentData {
  const { by, descendants, id, kids, score, title, url } = story;
  return {
    by: by.toWellFormed(),
    descendants,
    id,
    kids: [...kids],
    score,
    time: timestamp(story.time),
    title: title.toWellFormed(),
    url: url.toWellFormed(),
    updated: timestamp(story.updated),
  };
}

/** Reads the fields that exist; another program may have left an incomplete story, which must not fail (E14). */
export function toStory(snapshot: DocumentSnapshot): Story | null {
  const data = snapshot.data();
  if (data === undefined) return null;
  const story = toListed({ id: Number(snapshot.id), ...data });
  if (story === null) return null;
  const kids: unknown = data.kids;
  return {
    ...story,
    kids: Array.isArray(kids) ? kids.filter((kid): kid is number => typeof kid === 'number') : [],
    updated: toMilliseconds(data.updated),
  };
}

/** A story in a cache document, in the feed or on its own; `null` where it has no ID. */
export function toListed(data: unknown): ListedStory | null {
  if (typeof data !== 'object' || data === null) return null;
  const { id, by, descendants, score, time, title, url } = data as Record<string, unknown>;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) return null;
  return {
    by: toText(by),
    descendants: toInteger(descendants),
    id,
    score: toInteger(score),
    time: toMilliseconds(time),
    title: toText(title),
    url: toText(url),
  };
}

/** The format in a cache document and in the feed. */
export function listedData(story: ListedStory): DocumentData {
  const { by, title, url, ...numbers } = listed(story);
  return { ...numbers, by: by.toWellFormed(), title: title.toWellFormed(), url: url.toWellFormed() };
}

/** Upper bound of the bytes that Firestore counts for a story in an array. */
export function bytesOf(story: ListedStory): number {
  const texts = [story.by, story.title, story.url].reduce(
    (sum, text) => sum + Buffer.byteLength(text) + 4,
    0,
  );
  return texts + FIELD_OVERHEAD_BYTES;
}

/** Names of the seven fields, four numbers, and their overhead. */
const FIELD_OVERHEAD_BYTES = 120;

/** A server timestamp as a string that sorts by time. */
export function positionOf({ seconds, nanoseconds }: Timestamp): string {
  return `${String(seconds).padStart(12, '0')}.${String(nanoseconds).padStart(9, '0')}`;
}

/** The milliseconds of a position; `null` where it is invalid. */
export function positionMs(place: string): number | null {
  return /^\d{12}\.\d{9}$/.test(place) ? Math.floor(Number(place) * 1000) : null;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toInteger(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : 0;
}

function toMilliseconds(value: unknown): number {
  if (typeof value === 'number') return toInteger(value);
  const timestamp = value as { toMillis?: () => number } | null | undefined;
  return typeof timestamp?.toMillis === 'function' ? timestamp.toMillis() : 0;
}
