import type { XmlElement } from './xml.ts';

/** Namespaces by address, in lower case and without a trailing slash, and the prefix that stands for them here. */
export const KNOWN_NAMESPACES: ReadonlyMap<string, string> = new Map([
  ['http://purl.org/rss/1.0', ''],
  ['http://my.netscape.com/rdf/simple/0.9', ''],
  ['http://channel.netscape.com/rdf/simple/0.9', ''],
  ['http://my.netscape.com/publish/formats/rss-0.91.dtd', ''],
  ['http://purl.org/net/rss1.1#', ''],
  ['http://backend.userland.com/rss', ''],
  ['http://backend.userland.com/rss2', ''],
  ['http://cyber.law.harvard.edu/rss', ''],
  ['http://blogs.law.harvard.edu/tech/rss', ''],
  ['http://www.w3.org/2005/atom', 'atom'],
  ['https://www.w3.org/2005/atom', 'atom'],
  ['http://purl.org/atom/ns#', 'atom'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  ['http://purl.org/dc/elements/1.1', 'dc'],
  ['http://purl.org/dc/elements/1.0', 'dc'],
  ['http://purl.org/dc/terms', 'dcterms'],
  ['http://purl.org/rss/1.0/modules/content', 'content'],
  ['http://purl.org/rss/1.0/modules/syndication', 'sy'],
  ['http://search.yahoo.com/mrss', 'media'],
  ['http://tools.search.yahoo.com/mrss', 'media'],
  ['http://video.search.yahoo.com/mrss', 'media'],
  ['http://www.itunes.com/dtds/podcast-1.0.dtd', 'itunes'],
  ['http://www.itunes.com/dtds/podcast', 'itunes'],
  ['http://www.itunes.com/podcast-1.0.dtd', 'itunes'],
  ['http://example.com/dtds/podcast-1.0.dtd', 'itunes'],
  ['https://podcastindex.org/namespace/1.0', 'podcast'],
  ['http://www.youtube.com/xml/schemas/2015', 'yt'],
  ['http://rssnamespace.org/feedburner/ext/1.0', 'feedburner'],
]);

/** Prefixes whose meaning is known also where a feed forgets to declare them, beside those of the namespaces above. */
export const USUAL_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['atom', 'atom'],
  ['atom03', 'atom'],
  ['atom10', 'atom'],
  ['a10', 'atom'],
  ['rss', ''],
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

/** Elements with elements of their own, each once; whatever else follows in one that was never closed is not part of it. */
const STRUCTURES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...['author', 'contributor', 'atom:author', 'atom:contributor', 'managingeditor', 'dc:creator'].map(
    (person) =>
      [
        person,
        new Set(['name', 'email', 'uri', 'url', 'homepage', 'atom:name', 'atom:email', 'atom:uri']),
      ] as const,
  ),
  ['image', new Set(['url', 'title', 'link', 'width', 'height', 'description'])],
  ['textinput', new Set(['title', 'description', 'name', 'link'])],
  ['itunes:owner', new Set(['itunes:name', 'itunes:email'])],
  [
    'source',
    new Set(['id', 'title', 'subtitle', 'updated', 'author', 'rights', 'icon', 'logo', 'generator', 'link']),
  ],
]);

const PREFIXES = new Set(KNOWN_NAMESPACES.values());

/** Whether an element of this name is of a feed, and not of the markup that a field contains. */
function isOfFeed(name: string): boolean {
  const colon = name.indexOf(':');
  if (colon > 0) return PREFIXES.has(name.slice(0, colon));
  return (
    PLAIN_FIELDS.has(name) ||
    MARKUP_FIELDS.has(name) ||
    STRUCTURES.has(name) ||
    name === 'enclosure' ||
    name === 'item' ||
    name === 'entry'
  );
}

/**
 * Index of the first child that does not belong to an element whose closing tag is missing. What follows such an
 * element was written beside it.
 */
export function firstStray(element: XmlElement): number {
  const { name, children } = element;
  if (children.length === 0 || CONTAINERS.has(name) || children[0]?.name === 'outline')
    return children.length;
  if (MARKUP_FIELDS.has(name)) return orLength(children, (child) => isOfFeed(child.name));
  if (name.startsWith('media:')) return orLength(children, (child) => !child.name.startsWith('media:'));
  const parts = STRUCTURES.get(name);
  // The source of an item of RSS is a text with an address.
  if (parts === undefined || (name === 'source' && element.attr('url') !== undefined)) return 0;
  const seen = new Set<string>();
  return orLength(children, (child) => !parts.has(child.name) || seen.size === seen.add(child.name).size);
}

function orLength(children: readonly XmlElement[], test: (child: XmlElement) => boolean): number {
  const found = children.findIndex(test);
  return found < 0 ? children.length : found;
}

/**
 * Whether the innermost open element must have ended where an element of this name begins: items lie in the feed's own
 * elements only, and a field does not contain another field.
 */
export function closedBy(innermost: XmlElement | undefined, opening: string, isRoot: boolean): boolean {
  const open = innermost?.name ?? '';
  // A root of another name stays; one that is a field or an item shows that the root is lost.
  if (isRoot && !isOfFeed(open)) return false;
  if (opening === 'item' || opening === 'entry')
    return open === 'item' || open === 'entry' || !CONTAINERS.has(open);
  if (CONTAINERS.has(open)) return false;
  if (PLAIN_FIELDS.has(open)) return PLAIN_FIELDS.has(opening) || MARKUP_FIELDS.has(opening);
  if (!MARKUP_FIELDS.has(open)) return false;
  return (
    (PLAIN_FIELDS.has(opening) && !HTML_TOO.has(opening)) || (MARKUP_FIELDS.has(opening) && opening !== open)
  );
}

const HTML =
  /^(?:a|abbr|b|big|blockquote|body|br|center|cite|code|dd|del|div|dl|dt|em|figure|figcaption|font|h[1-6]|hr|html|i|iframe|img|ins|li|mark|ol|p|pre|q|s|script|section|small|span|strike|strong|style|sub|sup|table|tbody|td|th|thead|tr|tt|u|ul|video)$/;

/** Whether a closing tag that fits nothing open must have been meant for the innermost field. */
export function misspelt(stack: readonly XmlElement[], closing: string): boolean {
  const open = stack[stack.length - 1]?.name ?? '';
  return (PLAIN_FIELDS.has(open) || MARKUP_FIELDS.has(open)) && !HTML.test(closing);
}
