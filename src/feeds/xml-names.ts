import type { XmlElement } from './xml.ts';

/** Namespaces by address, in lower case and without a trailing slash, and the prefix that stands for them here. */
export const KNOWN_NAMESPACES: ReadonlyMap<string, string> = new Map([
  ['http://purl.org/rss/1.0', ''],
  ['http://my.netscape.com/rdf/simple/0.9', ''],
  ['http://channel.netscape.com/rdf/simple/0.9', ''],
  ['http://backend.userland.com/rss2', ''],
  ['http://blogs.law.harvard.edu/tech/rss', ''],
  ['http://www.w3.org/2005/atom', 'atom'],
  ['http://purl.org/atom/ns#', 'atom'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  ['http://purl.org/dc/elements/1.1', 'dc'],
  ['http://purl.org/dc/elements/1.0', 'dc'],
  ['http://purl.org/dc/terms', 'dcterms'],
  ['http://purl.org/rss/1.0/modules/content', 'content'],
  ['http://purl.org/rss/1.0/modules/syndication', 'sy'],
  ['http://search.yahoo.com/mrss', 'media'],
  ['http://www.itunes.com/dtds/podcast-1.0.dtd', 'itunes'],
  ['https://podcastindex.org/namespace/1.0', 'podcast'],
  ['http://www.youtube.com/xml/schemas/2015', 'yt'],
  ['http://rssnamespace.org/feedburner/ext/1.0', 'feedburner'],
]);

/** Fields that contain text; another field that opens inside one means that its closing tag was lost or misspelt. */
const PLAIN_FIELDS = new Set([
  'title',
  'link',
  'guid',
  'id',
  'pubdate',
  'published',
  'updated',
  'modified',
  'issued',
  'created',
  'dc:date',
  'dc:creator',
  'category',
  'comments',
  'language',
  'lastbuilddate',
  'generator',
  'ttl',
]);

/** Fields that may contain markup written without escaping; names that HTML knows too do not close them. */
const MARKUP_FIELDS = new Set([
  'description',
  'content:encoded',
  'summary',
  'content',
  'subtitle',
  'tagline',
]);
const HTML_TOO = new Set(['title', 'link', 'id', 'category', 'created', 'language', 'comments', 'generator']);

const CONTAINERS = new Set(['item', 'entry', 'channel', 'feed', 'rss', 'rdf:rdf', 'opml', 'outline']);

/**
 * Whether the innermost open element must have ended where an element of this name begins: items do not nest, and a
 * field does not contain another field.
 */
export function closedBy(stack: readonly XmlElement[], opening: string): boolean {
  const open = stack[stack.length - 1]?.name ?? '';
  if (CONTAINERS.has(open)) return (opening === 'item' || opening === 'entry') && open === opening;
  if (opening === 'item' || opening === 'entry') return insideItemOrField(stack);
  if (PLAIN_FIELDS.has(open)) return PLAIN_FIELDS.has(opening) || MARKUP_FIELDS.has(opening);
  if (!MARKUP_FIELDS.has(open)) return false;
  return (
    (PLAIN_FIELDS.has(opening) && !HTML_TOO.has(opening)) || (MARKUP_FIELDS.has(opening) && opening !== open)
  );
}

function insideItemOrField(stack: readonly XmlElement[]): boolean {
  for (let i = stack.length - 1; i > 0; i--) {
    const name = stack[i]?.name ?? '';
    if (name === 'item' || name === 'entry' || PLAIN_FIELDS.has(name) || MARKUP_FIELDS.has(name)) return true;
    if (CONTAINERS.has(name)) return false;
  }
  return false;
}

const HTML =
  /^(?:a|abbr|b|big|blockquote|body|br|center|cite|code|dd|del|div|dl|dt|em|figure|figcaption|font|h[1-6]|hr|html|i|iframe|img|ins|li|mark|ol|p|pre|q|s|script|section|small|span|strike|strong|style|sub|sup|table|tbody|td|th|thead|tr|tt|u|ul|video)$/;

/** Whether a closing tag that fits nothing open must have been meant for the innermost field. */
export function misspelt(stack: readonly XmlElement[], closing: string): boolean {
  const open = stack[stack.length - 1]?.name ?? '';
  return (PLAIN_FIELDS.has(open) || MARKUP_FIELDS.has(open)) && !HTML.test(closing);
}
