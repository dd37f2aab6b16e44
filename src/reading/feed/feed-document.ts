/** A feed as it was served, whatever its format: addresses made absolute, text without markup, nothing decided yet. */
export interface FeedDocument {
  readonly format: 'rss' | 'rdf' | 'atom' | 'json';
  readonly title: string | null;
  /** The page that the feed belongs to. */
  readonly home: string | null;
  readonly language: string | null;
  /** How long the publisher asks readers to wait, in milliseconds. */
  readonly ttl: number | null;
  readonly entries: readonly FeedEntry[];
  readonly warnings: readonly string[];
}

export interface FeedEntry {
  /** What the publisher says it is: guid, Atom id, JSON Feed id. */
  readonly id: string | null;
  /** Absolute, http or https. */
  readonly link: string | null;
  readonly title: string;
  readonly publishedAt: number | null;
  readonly author: string | null;
  readonly text: string | null;
  readonly image: string | null;
  readonly language: string | null;
  /** YouTube's own fields, in its Atom feeds. */
  readonly video: {
    readonly videoId: string;
    readonly channelId: string;
    readonly channelTitle: string;
  } | null;
}

export interface ReadOptions {
  /** Where the document came from, to resolve relative addresses. */
  readonly url: string;
  /** Longest text kept of an entry. */
  readonly textLimit: number;
  readonly titleLimit: number;
  /** Most entries that are read; the rest is reported by a warning. */
  readonly entryLimit: number;
}

/** As nearly every feed writes it: nothing to resolve, nothing to repair. */
const PLAIN = /^https?:\/\/[a-z0-9][a-z0-9.-]*(?::\d{1,5})?(?:[/?#][\w\-.~:/?#[\]@!$&'()*+,;=%]*)?$/i;

/** An address as an absolute one of the web, or null. Blanks inside are the publisher's slip, not part of it. */
export function absolute(address: string | null | undefined, base: string): string | null {
  if (address === null || address === undefined || address === '' || address.length > 8_000) return null;
  if (PLAIN.test(address)) return address;
  const text = address.trim().replace(/[\t\n\r]+/g, '');
  if (text === '') return null;
  const url = URL.parse(text, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  return url.href.length > 8_000 ? null : url.href;
}
