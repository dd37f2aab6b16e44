import type { Fetcher } from '../../fetch/fetcher.ts';
import { calendarDate, calendarDay } from '../../time/calendar-day.ts';
import type { Clock } from '../../time/clock.ts';
import { errorResponseReading, failedFetchReading } from '../polling.ts';
import type { SourceReading } from '../source.ts';

export interface DataApiOptions {
  readonly key: string;
  /** Address of the API, with or without `/youtube/v3`. */
  readonly url?: string;
  readonly fetcher: Fetcher;
  readonly quota: YouTubeQuota;
}

export type ApiFailure = Extract<SourceReading, { outcome: 'failed' | 'offline' }>;

/** One page of a response, its items not yet parsed. */
export type ApiAnswer =
  | { readonly outcome: 'ok'; readonly items: readonly Fields[]; readonly next: string | null }
  | ApiFailure;

export type Fields = Readonly<Record<string, unknown>>;

/** Each list call costs one unit, whatever it returns. */
const COST = 1;

/** The three calls of the YouTube Data API v3 that a channel needs. The key is sent in a header, never in an address. */
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
    if (!quota.tryConsume(sourceId, COST)) return overQuota(quota);
    const url = `${this.#base}/${method}?${new URLSearchParams(query)}`;
    const headers = { accept: 'application/json', 'x-goog-api-key': key };
    const answer = await fetcher.fetch({ url, headers, maxBytes: 4 * 1024 * 1024, polite: false }, signal);
    if (answer.outcome === 'failed') return failedFetchReading(answer, signal) as ApiFailure;
    const body = fieldsOf(parse(answer.body));
    if (answer.status === 200 && body !== null) {
      return { outcome: 'ok', items: listOf(body.items), next: textOrNull(body.nextPageToken) };
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
    const failure = errorResponseReading(answer) as ApiFailure;
    return reason === '' ? failure : { ...failure, detail: `${failure.detail}: ${reason}` };
  }
}

function overQuota(quota: YouTubeQuota): ApiFailure {
  const detail = `${quota.used} of ${quota.limit} units are used; more at midnight Pacific time`;
  return { outcome: 'failed', why: 'quota', detail, retryAt: quota.resetsAt };
}

/** The machine-readable reason of an error, wherever the API has put it. */
function reasonOf(body: Fields | null): string {
  const error = fieldsOf(body?.error);
  const details = [...listOf(error?.details), ...listOf(error?.errors)];
  return (
    details.map((detail) => textOrNull(detail.reason) ?? '').find((reason) => reason !== '') ??
    textOrNull(error?.status) ??
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

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf).filter((fields) => fields !== null) : [];
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * The units of the Data API that one key has used today (D12), shared by all channels that are read with it. A day ends
 * at midnight in California, as Google counts. Each source stores its own part in its state and restores it after a
 * restart, so that the sum survives.
 */
export class YouTubeQuota {
  readonly limit: number;
  readonly #clock: Clock;
  #day = '';
  #used = new Map<string, number>();
  #exhausted = false;

  constructor(options: { readonly limit?: number; readonly clock: Clock }) {
    this.limit = options.limit ?? 10_000;
    this.#clock = options.clock;
  }

  /** Reserves units before a call; false if that would exceed the limit: then the call must not be made. */
  tryConsume(sourceId: string, units: number): boolean {
    this.#resetOnNewDay();
    if (this.#exhausted || this.used + units > this.limit) return false;
    this.#used.set(sourceId, (this.#used.get(sourceId) ?? 0) + units);
    return true;
  }

  /** Marks the quota as exhausted, as Google reported, whatever we have counted: other programs use the key too. */
  exhaust(): void {
    this.#resetOnNewDay();
    this.#exhausted = true;
  }

  /** Units used today, by all sources. */
  get used(): number {
    this.#resetOnNewDay();
    return this.#used.values().reduce((sum, units) => sum + units, 0);
  }

  get isExhausted(): boolean {
    this.#resetOnNewDay();
    return this.#exhausted || this.used >= this.limit;
  }

  /** When the next day of the quota begins. */
  get resetsAt(): number {
    return nextPacificMidnight(this.#clock.now());
  }

  /** The part of one source, for its state. */
  usageOf(sourceId: string): { readonly quotaDay: string; readonly quotaUsed: number } {
    this.#resetOnNewDay();
    return { quotaDay: this.#day, quotaUsed: this.#used.get(sourceId) ?? 0 };
  }

  /** Restores a source's part after a restart. */
  restore(sourceId: string, day: unknown, used: unknown): void {
    this.#resetOnNewDay();
    if (day !== this.#day || typeof used !== 'number' || !(used >= 0)) return;
    this.#used.set(sourceId, Math.max(used, this.#used.get(sourceId) ?? 0));
  }

  #resetOnNewDay(): void {
    const today = pacificDay(this.#clock.now());
    if (today === this.#day) return;
    this.#day = today;
    this.#used = new Map();
    this.#exhausted = false;
  }
}

/** YouTube's quota is reset at midnight there. */
const QUOTA_TIME_ZONE = 'America/Los_Angeles';

/** The date that YouTube counts a call to, as in `2026-11-15`. */
export function pacificDay(now: number): string {
  return calendarDate(now, QUOTA_TIME_ZONE);
}

/** When the quota is reset. */
export function nextPacificMidnight(now: number): number {
  return calendarDay(now, QUOTA_TIME_ZONE).end;
}
