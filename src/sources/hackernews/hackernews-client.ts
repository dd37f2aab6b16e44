import pLimit from 'p-limit';
import type { Fetcher } from '../../reading/fetcher.ts';
import { answerTrouble, fetchTrouble } from '../answer-trouble.ts';
import type { SourceReading } from '../source.ts';
import { count, type HackerNewsItem, readIds, readItem } from './hackernews-item.ts';

export interface HackerNewsClientOptions {
  readonly fetcher: Fetcher;
  /** Where the API is spoken, with or without `/v0`. */
  readonly url?: string;
  /** How many items are asked for at once. */
  readonly concurrency?: number;
}

export type Trouble = Extract<SourceReading, { outcome: 'failed' | 'offline' }>;
export type Answer<T> = { readonly outcome: 'ok'; readonly value: T } | Trouble;

export type HackerNewsList = 'new' | 'top' | 'best';

/** Many items, sorted by what came of each. Nothing is lost: every ID that was asked for is in one of the three. */
export interface ItemsAnswer {
  readonly items: readonly HackerNewsItem[];
  /** The API has nothing there (yet): a gap, to be asked for again. */
  readonly missing: readonly number[];
  /** Could not be asked. */
  readonly failed: readonly number[];
  /** The trouble of one that failed. */
  readonly trouble: Trouble | null;
}

/**
 * Hacker News' public API, for the source below and for the story worker (E13). It answers what it got; whoever asks
 * decides what to do about gaps (E14).
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
  list(list: HackerNewsList, signal: AbortSignal): Promise<Answer<readonly number[]>> {
    return this.#ask(
      `${list}stories`,
      (json) => (Array.isArray(json) ? [...new Set(readIds(json))] : undefined),
      signal,
    );
  }

  /** The highest ID there is. */
  maxItem(signal: AbortSignal): Promise<Answer<number>> {
    return this.#ask('maxitem', (json) => count(json) ?? undefined, signal);
  }

  /** Items that changed a short while ago. */
  updates(signal: AbortSignal): Promise<Answer<readonly number[]>> {
    return this.#ask('updates', (json) => (isObject(json) ? readIds(json.items) : undefined), signal);
  }

  /** One item; `null` where the API has none. */
  item(id: number, signal: AbortSignal): Promise<Answer<HackerNewsItem | null>> {
    return this.#ask(`item/${id}`, (json) => ofThisId(readItem(json), id), signal);
  }

  /** Many items, several at once, in the order asked for. One that fails does not touch the others. */
  async items(ids: readonly number[], signal: AbortSignal): Promise<ItemsAnswer> {
    const limit = pLimit(this.#concurrency);
    const answers = await Promise.all(
      ids.map((id) => limit(async () => ({ id, answer: await this.item(id, signal) }))),
    );
    const items: HackerNewsItem[] = [];
    const missing: number[] = [];
    const failed: number[] = [];
    let trouble: Trouble | null = null;
    for (const { id, answer } of answers) {
      if (answer.outcome !== 'ok') {
        failed.push(id);
        trouble ??= answer;
      } else if (answer.value === null) missing.push(id);
      else items.push(answer.value);
    }
    return { items, missing, failed, trouble };
  }

  async #ask<T>(
    path: string,
    read: (json: unknown) => T | undefined,
    signal: AbortSignal,
  ): Promise<Answer<T>> {
    signal.throwIfAborted();
    const request = { url: `${this.#base}/${path}.json`, maxBytes: 1024 * 1024, polite: false };
    const answer = await this.#fetcher.fetch(request, signal);
    if (answer.outcome === 'failed') return fetchTrouble(answer, signal) as Trouble;
    if (answer.status !== 200) return answerTrouble(answer) as Trouble;
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
