import type { Enclosure } from '../item/item.ts';
import { decodeEntities } from './entities.ts';
import { attributeOf } from './xml.ts';

/** A parsed feed of any format: URLs are absolute, text is without markup, `content` is as the feed has it. */
export interface FeedDocument {
  readonly format: 'rss' | 'rdf' | 'atom' | 'json';
  readonly title: string | null;
  /** The page that the feed belongs to. */
  readonly home: string | null;
  /** Its own icon, or else its logo. */
  readonly icon: string | null;
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
  /** What can be played comes first. */
  readonly enclosures: readonly Enclosure[];
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

/** A `<link>` of a page with an absolute address. */
interface PageLink {
  readonly url: string;
  /** In lower case. */
  readonly rel: readonly string[];
  attribute(name: string): string;
}

/** Reads only tags, and only the beginning of the page, so that any page is processed quickly. */
function* pageLinks(html: string, pageUrl: string): Generator<PageLink> {
  const page = html.slice(0, MAX_SCANNED_CHARACTERS);
  let base = pageUrl;
  const tags = /<(link|base)(?=[\s/])/gi;
  for (let tag = tags.exec(page); tag !== null; tag = tags.exec(page)) {
    const from = tags.lastIndex;
    const end = page.indexOf('>', from);
    if (end < 0) return;
    const attribute = (name: string): string =>
      decodeEntities(attributeOf(page, from, end + 1, name) ?? '').trim();
    const url = resolveUrl(attribute('href'), base);
    if (url === null) continue;
    if (tag[1]?.toLowerCase() === 'base') base = url;
    else yield { url, rel: attribute('rel').toLowerCase().split(/\s+/), attribute };
  }
}

/** The feeds that a page names with `<link rel="alternate">`, in its order, comments feeds last. */
export function findFeedLinks(html: string, pageUrl: string): readonly FeedLink[] {
  const found = new Map<string, FeedLink>();
  for (const { url, rel, attribute } of pageLinks(html, pageUrl)) {
    if (found.size >= MAX_FEED_LINKS) break;
    const type = attribute('type').replace(/;.*$/, '');
    if (!rel.includes('feed') && !(rel.includes('alternate') && FEED_TYPES.test(type))) continue;
    // `application/json` is used for many things; WordPress's API is the usual one.
    if (/json$/i.test(type) && /\/wp-json\/|oembed/i.test(url)) continue;
    if (!found.has(url)) found.set(url, { url, title: attribute('title') || null, type });
  }
  const isComments = (feed: FeedLink): number =>
    /comment|コメント/i.test(`${feed.url} ${feed.title ?? ''}`) ? 1 : 0;
  return [...found.values()].sort((a, b) => isComments(a) - isComments(b));
}

const MAX_ICON_LINKS = 30;
/** Edges in pixels that look right in a list, also on a screen with a high resolution. */
const GOOD_ICON = { min: 32, max: 192 };

/** The icons that a page names, the most suitable first: those of 32 to 192 pixels before the others, vector graphics last. */
export function findIconLinks(html: string, pageUrl: string): readonly string[] {
  const found = new Map<string, number>();
  for (const { url, rel, attribute } of pageLinks(html, pageUrl)) {
    if (found.size >= MAX_ICON_LINKS) break;
    const isTouch = rel.some((name) => name.startsWith('apple-touch-icon'));
    if (!isTouch && !rel.includes('icon')) continue;
    const isVector = attribute('type') === 'image/svg+xml' || /\.svg(?:[?#]|$)/i.test(url);
    // Without a size an icon for phones has 180 pixels.
    const edge = Number.parseInt(attribute('sizes'), 10) || (isTouch ? 180 : 0);
    const rank = isVector ? 3 : edge === 0 ? 1 : edge >= GOOD_ICON.min && edge <= GOOD_ICON.max ? 0 : 2;
    found.set(url, Math.min(rank, found.get(url) ?? rank));
  }
  return [...found].sort(([, a], [, b]) => a - b).map(([url]) => url);
}
