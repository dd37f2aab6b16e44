import pLimit from 'p-limit';
import type { Config } from '../config/config.ts';
import { type SourceConfig, sources } from '../config/schema/sources.ts';
import { createFetcher, fetcherSettings } from '../fetch/create-fetcher.ts';
import type { Fetcher, FetchOutcome } from '../fetch/fetcher.ts';
import type { Sighting } from '../item/item.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { systemClock } from '../time/clock.ts';
import { DAY } from '../time/duration.ts';
import { createSource } from './create-source.ts';
import { feedLinksIn, fetchFeed, parseFeedResponse } from './feed/feed-source.ts';
import type { SourceErrorKind, SourceState } from './source.ts';
import { describeSourceError } from './source-error-text.ts';

/** Result of a trial reading, of which nothing is stored. */
export type SourceTrial =
  | {
      readonly outcome: 'read';
      /** The source's own title. */
      readonly title: string | null;
      /** Effective address of the feed: linked from the page, or where it has moved to. */
      readonly feed: string | null;
      /** What identifies its items (X19). */
      readonly identity: { readonly by: string; readonly why: string } | null;
      /** Newest first. */
      readonly items: readonly Sighting[];
      readonly warnings: readonly string[];
    }
  | { readonly outcome: 'failed'; readonly why: SourceErrorKind | 'offline'; readonly detail: string };

/** Look-back window of a channel trial; longer than that of a check, so that there are items to show. */
const TRIAL_LOOK_BACK_MS = 30 * DAY;
const MAX_LISTED = 20;

/** Reads a source now, like a run, without earlier state and without storing anything. */
export async function trySource(
  settings: SourceConfig,
  config: Config,
  signal: AbortSignal,
): Promise<SourceTrial> {
  const fetcher = createFetcher({ clock: systemClock, log: silentLogger, ...fetcherSettings(config) });
  try {
    return await trySourceWith(fetcher, settings, config, signal);
  } finally {
    await fetcher[Symbol.asyncDispose]();
  }
}

/** The same with an HTTP client that the caller owns. */
export async function trySourceWith(
  fetcher: Fetcher,
  settings: SourceConfig,
  config: Config,
  signal: AbortSignal,
): Promise<SourceTrial> {
  const source = createSource(
    withWiderWindow(settings),
    { config, fetcher, clock: systemClock, log: silentLogger },
    new Map(),
  );
  const reading = await source.read({}, signal);
  switch (reading.outcome) {
    case 'offline':
      return { outcome: 'failed', why: 'offline', detail: `Nothing can be reached (${reading.detail})` };
    case 'failed':
      return {
        outcome: 'failed',
        why: reading.why,
        detail: describeSourceError(reading.why, reading.detail),
      };
    case 'unchanged':
      return toTrial([], reading.memory, []);
    case 'read':
      return toTrial(reading.sightings, reading.memory, reading.warnings);
  }
}

function withWiderWindow(settings: SourceConfig): SourceConfig {
  switch (settings.kind) {
    case 'youtube':
      return { ...settings, lookBack: Math.max(settings.lookBack, TRIAL_LOOK_BACK_MS) };
    case 'hackernews':
      return { ...settings, limit: Math.min(settings.limit, MAX_LISTED) };
    case 'feed':
    case 'plugin':
      return settings;
  }
}

function toTrial(
  sightings: readonly Sighting[],
  state: SourceState,
  warnings: readonly string[],
): SourceTrial {
  const { feedTitle, channelTitle, address, identity, identityWhy } = state;
  const words = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
  return {
    outcome: 'read',
    title: words(feedTitle) ?? words(channelTitle) ?? (sightings[0]?.video?.channelTitle || null),
    feed: words(address),
    identity: typeof identity === 'string' ? { by: identity, why: String(identityWhy ?? '') } : null,
    items: sightings.toSorted((a, b) => b.publishedAt - a.publishedAt),
    warnings,
  };
}

export type SourceFields = Readonly<Record<string, unknown>>;

/** What an address refers to: a YouTube channel, a list of Hacker News, or a feed or a page that links to one. */
export function parseSourceAddress(written: string): SourceFields | null {
  const name = written.trim();
  if (/^@[\p{L}\p{N}._·-]{3,60}$/u.test(name) || /^UC[\w-]{22}$/.test(name)) return { youtube: name };
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(name) ? name : `https://${name}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (!name.includes('://') && !url.hostname.includes('.')) return null;
  const host = url.hostname.replace(/^(?:www|m)\./, '');
  if (host === 'youtube.com') return channelFields(url);
  if (host === 'news.ycombinator.com' && url.search === '') {
    const lists: Readonly<Record<string, string>> = {
      '/': 'top',
      '/news': 'top',
      '/newest': 'new',
      '/best': 'best',
    };
    const list = lists[url.pathname];
    if (list !== undefined) return { hackernews: list };
  }
  return { feed: url.href };
}

function channelFields(url: URL): SourceFields {
  const id = url.searchParams.get('channel_id');
  if (id !== null && /^UC[\w-]{22}$/.test(id)) return { youtube: id };
  return /^\/(?:@|channel\/|c\/|user\/)/.test(url.pathname) ? { youtube: url.href } : { feed: url.href };
}

/** The settings of a source that is not configured; a sentence if they are invalid. */
export function sourceSettings(fields: SourceFields, id = 'trial'): SourceConfig | string {
  const parsed = sources.safeParse({ [id]: fields }, { reportInput: true });
  if (!parsed.success) return parsed.error.issues.map(({ message }) => message).join('; ');
  return parsed.data[id] ?? 'this is not a source';
}

/** One source that an address may refer to. */
export interface DiscoveredSource {
  /** The source's own title, or else the one on the page. */
  readonly title: string | null;
  /** Its location: a feed's address, a channel, a list. */
  readonly address: string;
  /** Its fields in the configuration. */
  readonly fields: SourceFields;
  /** Its current items, or why it cannot be read. */
  readonly trial: SourceTrial;
}

/** Maximum number of feeds of a page; the rest are usually archives. */
const MAX_CANDIDATES = 12;
const DISCOVERY_CONCURRENCY = 4;

/**
 * All sources that an address may refer to, in the order of the page, each with its current items: usually one, several where
 * a page links to several feeds. Never empty: an unreadable address is one candidate whose trial has the reason.
 * `fields`: see `fieldsFor`. A string is the reason why these are not a source.
 */
export async function discoverSources(
  fields: SourceFields,
  config: Config,
  signal: AbortSignal,
): Promise<readonly DiscoveredSource[] | string> {
  const settings = sourceSettings(fields);
  if (typeof settings === 'string') return settings;
  const fetcher = createFetcher({ clock: systemClock, log: silentLogger, ...fetcherSettings(config) });
  try {
    const named = settings.kind === 'feed' ? await linkedFeeds(settings.url, config, fetcher, signal) : [];
    const limit = pLimit(DISCOVERY_CONCURRENCY);
    if (named.length === 0) return [await tryCandidate(fields, null, config, fetcher, signal)];
    return await Promise.all(
      named
        .slice(0, MAX_CANDIDATES)
        .map(({ url, title }) => limit(() => tryCandidate({ feed: url }, title, config, fetcher, signal))),
    );
  } finally {
    await fetcher[Symbol.asyncDispose]();
  }
}

/** The feeds that a page links to; none if the address is a feed itself or cannot be read. */
async function linkedFeeds(url: string, config: Config, fetcher: Fetcher, signal: AbortSignal) {
  const options = { fetcher, maxBytes: config.network.maxFeed };
  const answer = await fetchFeed(options, url, {}, signal);
  signal.throwIfAborted();
  if (answer.outcome !== 'response' || answer.status !== 200) return [];
  return parseFeedResponse(options, answer).outcome === 'page' ? feedLinksIn(answer) : [];
}

async function tryCandidate(
  fields: SourceFields,
  named: string | null,
  config: Config,
  fetcher: Fetcher,
  signal: AbortSignal,
): Promise<DiscoveredSource> {
  const settings = sourceSettings(fields);
  const trial: SourceTrial =
    typeof settings === 'string'
      ? { outcome: 'failed', why: 'bad_answer', detail: settings }
      : await trySourceWith(fetcher, settings, config, signal);
  const read = trial.outcome === 'read' ? trial : null;
  const found = 'feed' in fields && read?.feed ? { feed: read.feed } : fields;
  return { title: read?.title ?? named, address: String(Object.values(found)[0]), fields: found, trial };
}

export interface ReachabilityResult {
  /** Path in the configuration. */
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
  /** By how much our clock is ahead of the server's; `null` if its response has no date. */
  readonly clockAheadMs: number | null;
}

/** Reads every enabled one of these sources once, through the same guarded client as real readings. Nothing is stored. */
export async function checkSourceReachability(
  sources: readonly SourceConfig[],
  config: Config,
  onEach: (done: number, of: number) => void = () => {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ReachabilityResult[]> {
  const fetcher = createFetcher({ clock: systemClock, log: silentLogger, ...fetcherSettings(config) });
  const atOnce = pLimit(8);
  const enabled = sources.filter((source) => source.enabled);
  let done = 0;
  try {
    return await Promise.all(
      enabled.map((source) =>
        atOnce(async () => {
          const result = await reachabilityOf(source, config, fetcher, signal);
          onEach(++done, enabled.length);
          return result;
        }),
      ),
    );
  } finally {
    await fetcher[Symbol.asyncDispose]();
  }
}

async function reachabilityOf(
  source: SourceConfig,
  config: Config,
  fetcher: Fetcher,
  signal: AbortSignal,
): Promise<ReachabilityResult> {
  const what = `sources.${source.id}`;
  if (source.kind === 'feed') {
    const answer = await fetcher.fetch({ url: source.url, maxBytes: config.network.maxFeed }, signal);
    return toReachabilityResult(what, answer);
  }
  const trial = await trySourceWith(fetcher, source, config, signal);
  const detail =
    trial.outcome === 'failed'
      ? trial.detail
      : [`read, ${trial.items.length} items`, trial.title, ...trial.warnings]
          .filter((word) => word !== null)
          .join('; ');
  return { what, ok: trial.outcome === 'read', detail, clockAheadMs: null };
}

function toReachabilityResult(what: string, answer: FetchOutcome): ReachabilityResult {
  if (answer.outcome === 'failed') return { what, ok: false, detail: answer.detail, clockAheadMs: null };
  const serverTime = Date.parse(answer.headers.date ?? '');
  return {
    what,
    ok: answer.status < 400,
    detail:
      answer.movedTo === null
        ? `status ${answer.status}`
        : `status ${answer.status}, moved to ${answer.movedTo}`,
    clockAheadMs: Number.isNaN(serverTime) ? null : systemClock.now() - serverTime,
  };
}
