import { HOUR, MINUTE } from '../../src/time/duration.ts';
import { type Ask, header, type Reply, type Service } from '../net/exchange.ts';
import { dataApi, type Library } from './api.ts';
import { badKey, noKey, quotaExceeded, youtubeError } from './errors.ts';
import { site } from './site.ts';
import { CHANNELS, parseVideoId, type Video, type VideoChannel, videoAt } from './video.ts';

export interface YouTubeOptions {
  /** A new video appears on each channel this often. */
  readonly videoMs?: number;
  /** Units a day. */
  readonly quota?: number;
}

/** Not a secret: only the simulator accepts it. */
export const YOUTUBE_KEY = 'simulated-youtube-api-key';
const SHOWN = 200;

/** YouTube: the Data API v3 and the parts of the website that need no key. */
export class YouTube implements Service, Library {
  readonly #seed: number;
  readonly #base: string;
  readonly #step: number;
  readonly #quota: number;
  readonly #used = new Map<string, number>();

  constructor(seed: number, base: string, options: YouTubeOptions = {}) {
    this.#seed = seed;
    this.#base = base;
    this.#step = options.videoMs ?? 40 * MINUTE;
    this.#quota = options.quota ?? 10_000;
  }

  readonly key: string = YOUTUBE_KEY;
  readonly channels: readonly VideoChannel[] = CHANNELS;
  errorReply = youtubeError;

  /** Units used on the quota day of `now`. */
  quotaUsed(now: number): number {
    return this.#used.get(quotaDay(now)) ?? 0;
  }

  readonly uploadCount: number = SHOWN;

  uploads(channel: VideoChannel, now: number, from = 0, count: number = SHOWN): readonly Video[] {
    const newest = Math.floor((now - this.#phase(channel)) / this.#step);
    const length = Math.max(0, Math.min(count, SHOWN - from));
    return Array.from({ length }, (_, back) => this.#video(channel, newest - from - back));
  }

  find(id: string, now: number): Video | null {
    const known = parseVideoId(id);
    const video = known && this.#video(known.channel, known.number);
    return video && video.publishedAt <= now ? video : null;
  }

  pictureOf(channel: VideoChannel): string {
    return `${this.#base}/pictures/${channel.id}.png`;
  }

  answer(ask: Ask): Reply {
    const method = /^\/youtube\/v3\/(\w+)$/.exec(ask.path)?.[1];
    if (method === undefined) return site(ask, this.#base, this);
    const key = ask.query.get('key') ?? header(ask, 'x-goog-api-key');
    if (key === undefined) return noKey();
    if (key !== this.key) return badKey();
    const day = quotaDay(ask.now);
    const used = (this.#used.get(day) ?? 0) + (method === 'search' ? 100 : 1);
    if (used > this.#quota) return quotaExceeded();
    this.#used.set(day, used);
    return dataApi(ask, method, this);
  }

  #video(channel: VideoChannel, number: number): Video {
    return videoAt(this.#seed, channel, number, number * this.#step + this.#phase(channel));
  }

  #phase(channel: VideoChannel): number {
    return Math.floor((CHANNELS.indexOf(channel) * this.#step) / CHANNELS.length);
  }
}

/** The quota is reset at midnight Pacific time; eight hours behind is near enough. */
function quotaDay(now: number): string {
  return new Date(now - 8 * HOUR).toISOString().slice(0, 10);
}
