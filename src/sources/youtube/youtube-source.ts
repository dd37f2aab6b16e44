import type { Fetcher } from '../../fetch/fetcher.ts';
import type { RuleSwitches } from '../../item/identity.ts';
import type { Clock } from '../../time/clock.ts';
import { HOUR, MINUTE } from '../../time/duration.ts';
import type { Source, SourceReading, SourceState } from '../source.ts';
import {
  type Channel,
  type ChannelReference,
  parseChannel,
  type Resolution,
  resolveByApi,
  resolveByPage,
} from './channel.ts';
import type { YouTubeQuota } from './data-api.ts';
import { type ApiFailure, DataApi } from './data-api.ts';
import { sightingOf, type Upload, type Uploads, uploadsByApi, uploadsByFeed, withShorts } from './uploads.ts';

export interface YouTubeSourceOptions {
  readonly id: string;
  readonly name: string;
  /** An ID (`UC…`), a handle (`@name`), or any address of the channel. */
  readonly channel: string;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** Without a key the channel's public feed is read. */
  readonly api?: { readonly key: string; readonly quota: YouTubeQuota; readonly url?: string };
  /** Look-back window of each check (D4). */
  readonly lookBack?: number;
  /** Whether shorts are reported. */
  readonly shorts?: boolean;
  /** Where YouTube's pages and feeds are. */
  readonly siteUrl?: string;
  readonly identityRules?: RuleSwitches;
}

const SITE = 'https://www.youtube.com';
/** Clocks differ, and a video may be dated a little before it appears in the list. */
const OVERLAP = 30 * MINUTE;

/** A channel's uploads as a source (D4, D12). Throws if the channel reference is invalid. */
export function youtubeSource(options: YouTubeSourceOptions): Source {
  const reference = parseChannel(options.channel);
  if (reference === null) throw new RangeError(`not a YouTube channel: ${options.channel}`);
  const reader = new ChannelReader(options, reference);
  return {
    id: options.id,
    name: options.name,
    kind: 'youtube',
    read: (state, signal) => reader.read(state, signal),
  };
}

class ChannelReader {
  readonly #options: YouTubeSourceOptions;
  readonly #reference: ChannelReference;
  readonly #site: string;
  readonly #api: DataApi | null;

  constructor(options: YouTubeSourceOptions, reference: ChannelReference) {
    this.#options = options;
    this.#reference = reference;
    this.#site = (options.siteUrl ?? SITE).replace(/\/feeds\/videos\.xml.*$/, '').replace(/\/+$/, '');
    this.#api = options.api === undefined ? null : new DataApi({ ...options.api, fetcher: options.fetcher });
  }

  async read(state: SourceState, signal: AbortSignal): Promise<SourceReading> {
    const { id, clock, lookBack = 2.5 * HOUR } = this.#options;
    const now = clock.now();
    this.#options.api?.quota.restore(id, state.quotaDay, state.quotaUsed);
    const warnings: string[] = [];

    const resolved = await this.#resolve(state, warnings, signal);
    if (resolved.outcome !== 'channel') return this.#withSpent(resolved);
    const since = windowStart(state, now, lookBack);
    const listed = await this.#uploads(resolved.channel, since, now, warnings, signal);
    if (listed.outcome !== 'uploads') return this.#withSpent(listed);

    const recent = listed.uploads.filter((upload) => upload.publishedAt >= since);
    const sorted = await withShorts(recent, this.#options.fetcher, this.#site, signal);
    return {
      outcome: 'read',
      sightings: this.#sightings(sorted, now),
      memory: { ...state, ...this.#nextState(resolved.channel), checkedAt: now },
      warnings,
    };
  }

  /** The channel, resolved once and stored for as long as its configured name is unchanged. */
  async #resolve(state: SourceState, warnings: string[], signal: AbortSignal): Promise<Resolution> {
    const { channelId, uploads, channelTitle, channelPicture } = state;
    if (
      state.channel === this.#options.channel &&
      typeof channelId === 'string' &&
      typeof uploads === 'string'
    ) {
      const title = typeof channelTitle === 'string' ? channelTitle : null;
      const picture = typeof channelPicture === 'string' ? channelPicture : null;
      const known: Resolution = { outcome: 'channel', channel: { id: channelId, title, uploads, picture } };
      // An earlier version did not ask for the picture.
      if (channelPicture !== undefined || this.#api === null) return known;
      const reference = { kind: 'id', id: channelId } as const;
      const again = await resolveByApi(this.#api, this.#options.id, reference, signal);
      return again.outcome === 'channel' ? again : known;
    }
    if (this.#api !== null && this.#reference.kind !== 'page') {
      const byApi = await resolveByApi(this.#api, this.#options.id, this.#reference, signal);
      if (byApi.outcome !== 'failed') return byApi;
      warnings.push(`the API could not find the channel (${byApi.detail}); its page was read instead`);
    }
    return await resolveByPage(this.#options.fetcher, this.#site, this.#reference, signal);
  }

  /** Through the API; through the channel's feed without a key or when the API fails. */
  async #uploads(
    channel: Channel,
    since: number,
    now: number,
    warnings: string[],
    signal: AbortSignal,
  ): Promise<Uploads> {
    const { fetcher, id } = this.#options;
    if (this.#api === null) return await uploadsByFeed(fetcher, this.#site, channel, signal);
    const byApi = await uploadsByApi(this.#api, id, channel, since, now, signal);
    if (byApi.outcome !== 'failed') return byApi;
    const byFeed = await uploadsByFeed(fetcher, this.#site, channel, signal);
    if (byFeed.outcome !== 'uploads') return byApi;
    warnings.push(`the API failed (${byApi.detail}); the channel’s feed was read instead`);
    return byFeed;
  }

  #sightings(
    uploads: readonly Upload[],
    now: number,
  ): Extract<SourceReading, { outcome: 'read' }>['sightings'] {
    const { id, name, shorts = true, identityRules } = this.#options;
    const place = {
      sourceId: id,
      sourceName: name,
      site: this.#site,
      now,
      ...(identityRules ? { identityRules } : {}),
    };
    const wanted = uploads.filter((upload) => shorts || upload.kind !== 'short');
    return wanted.map((upload) => sightingOf(upload, place)).filter((sighting) => sighting !== null);
  }

  /** Failed calls have used their units too. */
  #withSpent(failure: ApiFailure): ApiFailure {
    const spent = this.#options.api?.quota.usageOf(this.#options.id);
    return spent === undefined ? failure : { ...failure, spent };
  }

  #nextState(channel: Channel): SourceState {
    return {
      channel: this.#options.channel,
      channelId: channel.id,
      channelTitle: channel.title,
      uploads: channel.uploads,
      channelPicture: channel.picture,
      ...(this.#options.api?.quota.usageOf(this.#options.id) ?? {}),
    };
  }
}

/** The window (D4); after a downtime it reaches back to the last check, so that nothing is missed. */
function windowStart(state: SourceState, now: number, lookBack: number): number {
  const { checkedAt } = state;
  return Math.min(now - lookBack, typeof checkedAt === 'number' ? checkedAt - OVERLAP : now - lookBack);
}
