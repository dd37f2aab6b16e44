import pLimit from 'p-limit';
import type { Fetcher } from '../../fetch/fetcher.ts';
import { errorResponseReading, failedFetchReading } from '../polling.ts';
import type { SourceReading } from '../source.ts';

/**
 * An item of Hacker News, parsed leniently (E14). The API omits missing fields, returns `null` for items that do not exist
 * yet, and keeps deleted and dead items in their places.
 */
export interface HackerNewsItem {
  readonly id: number;
  readonly type: 'story' | 'job' | 'poll' | 'comment' | 'pollopt' | 'unknown';
  readonly deleted: boolean;
  readonly dead: boolean;
  readonly by: string;
  /** Milliseconds; `null` where the item has none. */
  readonly time: number | null;
  readonly title: string;
  /** As posted; empty for a text post. */
  readonly url: string;
  /** HTML. */
  readonly text: string;
  readonly score: number;
  readonly descendants: number;
  readonly kids: readonly number[];
}

const SITE = 'https://news.ycombinator.com';

/** Address of the comments on an item, to which its ID is appended. */
export function commentsAddress(siteUrl: string = SITE): string {
  return `${siteUrl.replace(/\/+$/, '')}/item?id=`;
}

const TYPES = new Set(['story', 'job', 'poll', 'comment', 'pollopt']);

/** Parses one item; `null` for a gap and for anything that is not an item. Never throws. */
export function parseItem(json: unknown): HackerNewsItem | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
  const fields = json as Readonly<Record<string, unknown>>;
  const id = countOrNull(fields.id);
  if (id === null || id === 0) return null;
  const type = typeof fields.type === 'string' && TYPES.has(fields.type) ? fields.type : 'unknown';
  const seconds = countOrNull(fields.time);
  return {
    id,
    type: type as HackerNewsItem['type'],
    deleted: fields.deleted === true,
    dead: fields.dead === true,
    by: stringOrEmpty(fields.by),
    time: seconds === null || seconds === 0 ? null : seconds * 1000,
    title: stringOrEmpty(fields.title).replace(/\s+/g, ' ').trim(),
    url: urlOrEmpty(fields.url),
    text: stringOrEmpty(fields.text),
    score: countOrNull(fields.score) ?? 0,
    descendants: countOrNull(fields.descendants) ?? 0,
    kids: parseIds(fields.kids),
  };
}

/** Whether it can be reported: a live story, job or poll with a title and a time. */
export function isReadable(item: HackerNewsItem): item is HackerNewsItem & { readonly time: number } {
  const headline = item.type === 'story' || item.type === 'job' || item.type === 'poll';
  return headline && !item.deleted && !item.dead && item.title !== '' && item.time !== null;
}

/** Whether it will never be reported, so that a retry is useless. */
export function isNeverReadable(item: HackerNewsItem): boolean {
  return item.deleted || item.dead || item.type === 'comment' || item.type === 'pollopt';
}

/** The positive integers of a list; empty if it is not a list. */
export function parseIds(json: unknown): number[] {
  if (!Array.isArray(json)) return [];
  return json.filter((id): id is number => (countOrNull(id) ?? 0) > 0);
}

export function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function urlOrEmpty(value: unknown): string {
  const url = URL.parse(stringOrEmpty(value).trim());
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
    ? stringOrEmpty(value).trim()
    : '';
}

export interface HackerNewsClientOptions {
  readonly fetcher: Fetcher;
  /** Address of the API, with or without `/v0`. */
  readonly url?: string;
  /** Concurrent requests for items. */
  readonly concurrency?: number;
}

export type ClientFailure = Extract<SourceReading, { outcome: 'failed' | 'offline' }>;
export type ClientAnswer<T> = { readonly outcome: 'ok'; readonly value: T } | ClientFailure;

export type HackerNewsList = 'new' | 'top' | 'best';

/** Many items by outcome. Every requested ID is in one of the three lists. */
export interface ItemsAnswer {
  readonly items: readonly HackerNewsItem[];
  /** The API has no such item (yet): a gap, to be retried. */
  readonly missing: readonly number[];
  /** The request failed. */
  readonly failed: readonly number[];
  /** One of the failures. */
  readonly trouble: ClientFailure | null;
}

/**
 * Hacker News' public API, for the source below and for the story worker (E13). It reports gaps; the caller
 * decides what to do about them (E14).
 */
export class HackerNewsClient {
  readonly #fetcher: Fetcher;
  readonly #base: string;
  readonly #concurrency: number;

  constructor(options: HackerNewsClientOptions) {
    this.#fetcher = options.fetcher;
    const url = (options.url ?? 'https://hacker-news.firebaseio.com').replace(/\/+$/, '');
    this.#base = url.endsWith('/v0') ? url : `${url}/v0`;
    this.#concurrency = options.concurrency ?? 16;
  }

  /** The IDs of a list, in its order: `new` and `top` have up to 500, `best` 200. */
  list(list: HackerNewsList, signal: AbortSignal): Promise<ClientAnswer<readonly number[]>> {
    return this.#request(
      `${list}stories`,
      (json) => (Array.isArray(json) ? [...new Set(parseIds(json))] : undefined),
      signal,
    );
  }

  /** The highest ID there is. */
  maxItem(signal: AbortSignal): Promise<ClientAnswer<number>> {
    return this.#request('maxitem', (json) => countOrNull(json) ?? undefined, signal);
  }

  /** Recently changed items. */
  updates(signal: AbortSignal): Promise<ClientAnswer<readonly number[]>> {
    return this.#request('updates', (json) => (isObject(json) ? parseIds(json.items) : undefined), signal);
  }

  /** One item; `null` where the API has none. */
  item(id: number, signal: AbortSignal): Promise<ClientAnswer<HackerNewsItem | null>> {
    return this.#request(`item/${id}`, (json) => ofThisId(parseItem(json), id), signal);
  }

  /** Many items, fetched concurrently, in the requested order. A failure does not affect the others. */
  async items(ids: readonly number[], signal: AbortSignal): Promise<ItemsAnswer> {
    const limit = pLimit(this.#concurrency);
    const answers = await Promise.all(
      ids.map((id) => limit(async () => ({ id, answer: await this.item(id, signal) }))),
    );
    const items: HackerNewsItem[] = [];
    const missing: number[] = [];
    const failed: number[] = [];
    let trouble: ClientFailure | null = null;
    for (const { id, answer } of answers) {
      if (answer.outcome !== 'ok') {
        failed.push(id);
        trouble ??= answer;
      } else if (answer.value === null) missing.push(id);
      else items.push(answer.value);
    }
    return { items, missing, failed, trouble };
  }

  async #request<T>(
    path: string,
    read: (json: unknown) => T | undefined,
    signal: AbortSignal,
  ): Promise<ClientAnswer<T>> {
    signal.throwIfAborted();
    const request = { url: `${this.#base}/${path}.json`, maxBytes: 1024 * 1024, polite: false };
    const answer = await this.#fetcher.fetch(request, signal);
    if (answer.outcome === 'failed') return failedFetchReading(answer, signal) as ClientFailure;
    if (answer.status !== 200) return errorResponseReading(answer) as ClientFailure;
    const value = read(parse(answer.body));
    if (value !== undefined) return { outcome: 'ok', value };
    return { outcome: 'failed', why: 'bad_answer', detail: `${path} answered something else than promised` };
  }
}

function ofThisId(item: HackerNewsItem | null, id: number): HackerNewsItem | null {
  return item?.id === id ? item : null;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
