import type { FeedDocument } from '../../feeds/feed.ts';
import { SECOND } from '../../time/duration.ts';
import type { PublishingHints, SourceState } from '../source.ts';

/** Number of newest entries by which the publishing rate is estimated. */
const RECENT_ENTRIES = 10;

/** How often a feed changes, by its content and response headers. */
export function publishingHints(
  feed: FeedDocument,
  cacheControl: string | undefined,
  now: number,
): PublishingHints {
  const dates = feed.entries
    .map(({ publishedAt }) => publishedAt)
    .filter((at) => at !== null)
    .map((at) => Math.min(at, now))
    .toSorted((a, b) => b - a);
  const recent = dates.slice(0, RECENT_ENTRIES);
  const [newest] = recent;
  const last = recent.at(-1);
  const freshFor = Math.max(feed.ttl ?? 0, maxAge(cacheControl));
  return {
    freshForMs: freshFor > 0 ? freshFor : null,
    gapMs:
      newest === undefined || last === undefined || recent.length < 2
        ? null
        : (newest - last) / (recent.length - 1),
    newestAt: newest ?? null,
    oldestAt: dates.at(-1) ?? null,
  };
}

/** The hints of the previous reading, for a response without a body. */
export function rememberedHints(state: SourceState): PublishingHints {
  const number = (value: SourceState[string] | undefined): number | null =>
    typeof value === 'number' ? value : null;
  return {
    freshForMs: number(state.freshForMs),
    gapMs: number(state.gapMs),
    newestAt: number(state.newestAt),
    oldestAt: number(state.oldestAt),
  };
}

function maxAge(cacheControl = ''): number {
  if (/\bno-(?:cache|store)\b/i.test(cacheControl)) return 0;
  const seconds = Number(/\bmax-age="?(\d{1,9})/i.exec(cacheControl)?.[1] ?? 0);
  return seconds * SECOND;
}
