import type { Fetcher } from '../../reading/fetcher.ts';
import { answerTrouble, fetchTrouble } from '../answer-trouble.ts';
import type { SourceReading } from '../source.ts';
import type { YouTubeQuota } from './quota.ts';

export interface DataApiOptions {
  readonly key: string;
  /** Where it is spoken, with or without `/youtube/v3`. */
  readonly url?: string;
  readonly fetcher: Fetcher;
  readonly quota: YouTubeQuota;
}

export type Trouble = Extract<SourceReading, { outcome: 'failed' | 'offline' }>;

/** One page of an answer, its items not yet looked at. */
export type ApiAnswer =
  | { readonly outcome: 'ok'; readonly items: readonly Fields[]; readonly next: string | null }
  | Trouble;

export type Fields = Readonly<Record<string, unknown>>;

/** Each list call costs one unit, whatever it returns. */
const COST = 1;

/** The three calls of the YouTube Data API v3 that a channel needs. The key travels in a header, never in an address. */
export class DataApi {
  readonly #options: DataApiOptions;
  readonly #base: string;

  constructor(options: DataApiOptions) {
    this.#options = options;
    const url = (options.url ?? 'https://www.googleapis.com').replace(/\/+$/, '');
    this.#base = url.endsWith('/youtube/v3') ? url : `${url}/youtube/v3`;
  }

  channels(
    sourceId: string,
    filter: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ApiAnswer> {
    return this.#list(sourceId, 'channels', { part: 'snippet,contentDetails', ...filter }, signal);
  }

  playlistItems(
    sourceId: string,
    playlistId: string,
    page: string | null,
    signal: AbortSignal,
  ): Promise<ApiAnswer> {
    const token: Record<string, string> = page === null ? {} : { pageToken: page };
    return this.#list(
      sourceId,
      'playlistItems',
      { part: 'snippet,contentDetails,status', playlistId, maxResults: '50', ...token },
      signal,
    );
  }

  /** At most 50 at a time. */
  videos(sourceId: string, ids: readonly string[], signal: AbortSignal): Promise<ApiAnswer> {
    const part = 'snippet,contentDetails,liveStreamingDetails,status';
    return this.#list(sourceId, 'videos', { part, id: ids.join(','), maxResults: '50' }, signal);
  }

  async #list(
    sourceId: string,
    method: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ApiAnswer> {
    const { quota, fetcher, key } = this.#options;
    if (!quota.take(sourceId, COST)) return overQuota(quota);
    const url = `${this.#base}/${method}?${new URLSearchParams(query)}`;
    const headers = { accept: 'application/json', 'x-goog-api-key': key };
    const answer = await fetcher.fetch({ url, headers, maxBytes: 4 * 1024 * 1024, polite: false }, signal);
    if (answer.outcome === 'failed') return fetchTrouble(answer, signal) as Trouble;
    const body = fieldsOf(parse(answer.body));
    if (answer.status === 200 && body !== null) {
      return { outcome: 'ok', items: list(body.items), next: text(body.nextPageToken) };
    }
    if (answer.status === 200)
      return { outcome: 'failed', why: 'bad_answer', detail: 'the API did not answer with JSON' };
    const reason = reasonOf(body);
    if (/quotaExceeded|dailyLimitExceeded/.test(reason)) {
      quota.exhaust();
      return overQuota(quota);
    }
    if (/API_KEY_INVALID|keyInvalid|accessNotConfigured|ipRefererBlocked|forbidden/.test(reason)) {
      return { outcome: 'failed', why: 'forbidden', detail: `the API refused the key (${reason})` };
    }
    const trouble = answerTrouble(answer) as Trouble;
    return reason === '' ? trouble : { ...trouble, detail: `${trouble.detail}: ${reason}` };
  }
}

function overQuota(quota: YouTubeQuota): Trouble {
  const detail = `${quota.used} of ${quota.limit} units are used; more at midnight Pacific time`;
  return { outcome: 'failed', why: 'quota', detail, retryAt: quota.resetsAt };
}

/** The machine-readable reason of an error, wherever the API has put it. */
function reasonOf(body: Fields | null): string {
  const error = fieldsOf(body?.error);
  const details = [...list(error?.details), ...list(error?.errors)];
  return (
    details.map((detail) => text(detail.reason) ?? '').find((reason) => reason !== '') ??
    text(error?.status) ??
    ''
  );
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
}

export function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

export function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf).filter((fields) => fields !== null) : [];
}

export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
