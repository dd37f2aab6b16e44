import type { Enclosure } from '../item/item.ts';
import { decodeEntities } from './entities.ts';
import { attributeOf } from './xml.ts';

/** A parsed feed of any format: URLs are absolute, text is without markup, `content` is as the feed has it. */
export interface FeedDocument {
  readonly format: 'rss' | 'rdf' | 'atom' | 'json';
  readonly title: string | null;
  /** The page that the feed belongs to. */
  readonly home: string | null;
  readonly language: string | null;
  /** The publisher's minimum poll interval, in milliseconds. */
  readonly ttl: number | null;
  readonly entries: readonly FeedEntry[];
  readonly warnings: readonly string[];
}

export interface FeedEntry {
  /** The publisher's ID: guid, Atom id, JSON Feed id. */
  readonly id: string | null;
  /** Absolute, http or https. */
  readonly link: string | null;
  readonly title: string;
  readonly publishedAt: number | null;
  readonly author: string | null;
  readonly text: string | null;
  /** Unsafe HTML, where the feed has more than the text shows. */
  readonly content: string | null;
  readonly enclosure: Enclosure | null;
  readonly image: string | null;
  readonly language: string | null;
  /** YouTube's own fields, in its Atom feeds. */
  readonly video: {
    readonly videoId: string;
    readonly channelId: string;
    readonly channelTitle: string;
  } | null;
}

export interface ParseOptions {
  /** Where the document came from, to resolve relative addresses. */
  readonly url: string;
  /** Maximum length of the text of an entry. */
  readonly textLimit: number;
  readonly titleLimit: number;
  /** Maximum number of entries that are read; more are reported by a warning. */
  readonly entryLimit: number;
}

/** As nearly every feed writes it: nothing to resolve, nothing to repair. */
const PLAIN = /^https?:\/\/[a-z0-9][a-z0-9.-]*(?::\d{1,5})?(?:[/?#][\w\-.~:/?#[\]@!$&'()*+,;=%]*)?$/i;

/** An address as an absolute one of the web, or null. Blanks inside are removed. */
export function resolveUrl(address: string | null | undefined, base: string): string | null {
  if (address === null || address === undefined || address === '' || address.length > 8_000) return null;
  if (PLAIN.test(address)) return address;
  const text = address.trim().replace(/[\t\n\r]+/g, '');
  if (text === '') return null;
  const url = URL.parse(text, base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  return url.href.length > 8_000 ? null : url.href;
}

/** A feed that a page names. */
export interface FeedLink {
  readonly url: string;
  readonly title: string | null;
  readonly type: string;
}

const FEED_TYPES =
  /^application\/(?:rss\+xml|atom\+xml|rdf\+xml|feed\+json|json|xml)$|^text\/(?:xml|rss\+xml)$/i;
const MAX_FEED_LINKS = 50;
const MAX_SCANNED_CHARACTERS = 1_000_000;

/**
 * The feeds that a page names with `<link rel="alternate">`, in its order, comments feeds last. Reads only tags, and only
 * the beginning of the page, so that any page is processed quickly.
 */
export function findFeedLinks(html: string, pageUrl: string): readonly FeedLink[] {
  const page = html.slice(0, MAX_SCANNED_CHARACTERS);
  const found = new Map<string, FeedLink>();
  let base = pageUrl;
  const tags = /<(link|base)(?=[\s/])/gi;
  for (let tag = tags.exec(page); tag !== null && found.size < MAX_FEED_LINKS; tag = tags.exec(page)) {
    const from = tags.lastIndex;
    const end = page.indexOf('>', from);
    if (end < 0) break;
    const attr = (name: string): string =>
      decodeEntities(attributeOf(page, from, end + 1, name) ?? '').trim();
    const url = resolveUrl(attr('href'), base);
    if (url === null) continue;
    if (tag[1]?.toLowerCase() === 'base') {
      base = url;
      continue;
    }
    const rel = attr('rel').toLowerCase().split(/\s+/);
    const type = attr('type').replace(/;.*$/, '');
    if (!rel.includes('feed') && !(rel.includes('alternate') && FEED_TYPES.test(type))) continue;
    // `application/json` is used for many things; WordPress's API is the usual one.
    if (/json$/i.test(type) && /\/wp-json\/|oembed/i.test(url)) continue;
    if (!found.has(url)) found.set(url, { url, title: attr('title') || null, type });
  }
  const isComments = (feed: FeedLink): number =>
    /comment|コメント/i.test(`${feed.url} ${feed.title ?? ''}`) ? 1 : 0;
  return [...found.values()].sort((a, b) => isComments(a) - isComments(b));
}
