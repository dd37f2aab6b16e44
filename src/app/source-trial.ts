import type { Config } from '../config/config.ts';
import { type SourceConfig, sources } from '../config/schema/sources.ts';
import type { Sighting } from '../item/item.ts';
import type { Fetcher } from '../reading/fetcher.ts';
import { createFetcher } from '../reading/http/create-fetcher.ts';
import { inWords } from '../sources/polling.ts';
import type { SourceMemory, SourceTrouble } from '../sources/source.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { systemClock } from '../time/clock.ts';
import { DAY } from '../time/duration.ts';
import { networkOf } from './network.ts';
import { sourceOf } from './sources.ts';

/** What reading a source brought, once, without a trace. */
export type SourceTrial =
  | {
      readonly outcome: 'read';
      /** What the source calls itself. */
      readonly title: string | null;
      /** Where the feed really is: the address that a page named, or that it has moved to. */
      readonly feed: string | null;
      /** What tells its items apart (X19). */
      readonly identity: { readonly by: string; readonly why: string } | null;
      /** Newest first. */
      readonly items: readonly Sighting[];
      readonly warnings: readonly string[];
    }
  | { readonly outcome: 'failed'; readonly why: SourceTrouble | 'offline'; readonly detail: string };

/** A channel is looked at further back than a check would, so that there is something to see. */
const LOOK_BACK = 30 * DAY;
const MOST_LISTED = 20;

/** Reads a source now, as a run would, with nothing remembered before and nothing stored after. */
export async function trySource(
  settings: SourceConfig,
  config: Config,
  signal: AbortSignal,
): Promise<SourceTrial> {
  const fetcher = createFetcher({ clock: systemClock, log: silentLogger, ...networkOf(config) });
  try {
    return await tryThrough(fetcher, settings, config, signal);
  } finally {
    await fetcher[Symbol.asyncDispose]();
  }
}

/** The same over a way out that the caller has, and closes. */
export async function tryThrough(
  fetcher: Fetcher,
  settings: SourceConfig,
  config: Config,
  signal: AbortSignal,
): Promise<SourceTrial> {
  const source = sourceOf(generous(settings), { config, fetcher, clock: systemClock }, new Map());
  const reading = await source.read({}, signal);
  switch (reading.outcome) {
    case 'offline':
      return { outcome: 'failed', why: 'offline', detail: `Nothing can be reached (${reading.detail})` };
    case 'failed':
      return { outcome: 'failed', why: reading.why, detail: `${inWords(reading.why)} (${reading.detail})` };
    case 'unchanged':
      return read([], reading.memory, []);
    case 'read':
      return read(reading.sightings, reading.memory, reading.warnings);
  }
}

function generous(settings: SourceConfig): SourceConfig {
  switch (settings.kind) {
    case 'youtube':
      return { ...settings, lookBack: Math.max(settings.lookBack, LOOK_BACK) };
    case 'hackernews':
      return { ...settings, limit: Math.min(settings.limit, MOST_LISTED) };
    case 'feed':
      return settings;
  }
}

function read(
  sightings: readonly Sighting[],
  memory: SourceMemory,
  warnings: readonly string[],
): SourceTrial {
  const { feedTitle, channelTitle, address, identity, identityWhy } = memory;
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

/** What a person means by an address: a YouTube channel, a list of Hacker News, or a feed or a page that names one. */
export function fieldsFor(written: string): SourceFields | null {
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

/** The settings of a source that stands in no configuration; a sentence where they make none. */
export function settingsFor(fields: SourceFields): SourceConfig | string {
  const parsed = sources.safeParse({ trial: fields }, { reportInput: true });
  if (!parsed.success) return parsed.error.issues.map(({ message }) => message).join('; ');
  return parsed.data.trial ?? 'this is no source';
}
