import { decodeEntities } from './entities.ts';
import { absolute } from './feed-document.ts';
import { attributeOf } from './xml-attributes.ts';

/** A feed that a page names. */
export interface DiscoveredFeed {
  readonly url: string;
  readonly title: string | null;
  readonly type: string;
}

const FEED_TYPES =
  /^application\/(?:rss\+xml|atom\+xml|rdf\+xml|feed\+json|json|xml)$|^text\/(?:xml|rss\+xml)$/i;
const MOST = 50;
const FAR = 1_000_000;

/**
 * The feeds that a page names with `<link rel="alternate">`, in its order, comments feeds last. Looks only at tags and
 * only so far into the page, so a page of any shape ends quickly.
 */
export function discoverFeeds(html: string, pageUrl: string): readonly DiscoveredFeed[] {
  const page = html.slice(0, FAR);
  const found = new Map<string, DiscoveredFeed>();
  let base = pageUrl;
  const tags = /<(link|base)(?=[\s/])/gi;
  for (let tag = tags.exec(page); tag !== null && found.size < MOST; tag = tags.exec(page)) {
    const from = tags.lastIndex;
    const end = page.indexOf('>', from);
    if (end < 0) break;
    const attr = (name: string): string =>
      decodeEntities(attributeOf(page, from, end + 1, name) ?? '').trim();
    const url = absolute(attr('href'), base);
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
  const isComments = (feed: DiscoveredFeed): number =>
    /comment|コメント/i.test(`${feed.url} ${feed.title ?? ''}`) ? 1 : 0;
  return [...found.values()].sort((a, b) => isComments(a) - isComments(b));
}
