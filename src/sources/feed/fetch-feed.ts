import { type DiscoveredFeed, discoverFeeds } from '../../reading/feed/discover.ts';
import { READ_DEFAULTS, readFeed } from '../../reading/feed/read-feed.ts';
import type { Fetcher, FetchOutcome } from '../../reading/fetcher.ts';
import { decodeText } from '../../reading/text-encoding.ts';

export interface FetchFeedOptions {
  readonly fetcher: Fetcher;
  /** Bytes after decompression; a larger feed is not read at all. */
  readonly maxBytes?: number;
  readonly textLimit?: number;
}

export type Answer = Extract<FetchOutcome, { outcome: 'response' }>;

const ACCEPT =
  'application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, application/xml;q=0.8, text/xml;q=0.8, text/html;q=0.5, */*;q=0.1';
const MAX_BYTES = 8 * 1024 * 1024;

/** Asks for a feed, or for a page that names one. */
export function fetchFeed(
  { fetcher, maxBytes = MAX_BYTES }: FetchFeedOptions,
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<FetchOutcome> {
  return fetcher.fetch({ url, headers: { accept: ACCEPT, ...headers }, maxBytes }, signal);
}

export function readFeedAnswer(
  { textLimit = READ_DEFAULTS.textLimit }: FetchFeedOptions,
  answer: Answer,
): ReturnType<typeof readFeed> {
  const { text } = decodeText(answer.body, answer.headers['content-type'], { xml: true });
  return readFeed(text, { ...READ_DEFAULTS, textLimit, url: answer.url });
}

/** The feeds that a page for people names. */
export function feedsNamedBy(page: Answer): readonly DiscoveredFeed[] {
  return discoverFeeds(decodeText(page.body, page.headers['content-type'], { html: true }).text, page.url);
}
