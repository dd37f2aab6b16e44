import { parseDate } from './dates.ts';
import { joinNames, personName } from './entry-authors.ts';
import { attachmentsOf } from './entry-media.ts';
import { type FeedDocument, type FeedEntry, type ParseOptions, resolveUrl } from './feed.ts';
import { plainText, plainTitle } from './plain-text.ts';
import { imageIn, languageOf, parseAtom, parseRss } from './rss-atom.ts';
import { textToHtml } from './text-html.ts';
import { MAX_CONTENT_LENGTH, parseXml, type XmlElement, XmlRefusedError, type XmlTree } from './xml.ts';

export type ParsedFeed =
  | { readonly outcome: 'feed'; readonly feed: FeedDocument }
  /** A page for people; it may name a feed (see `discover.ts`). */
  | { readonly outcome: 'page' }
  | { readonly outcome: 'not_a_feed'; readonly detail: string }
  /** Hostile, such as an entity bomb. */
  | { readonly outcome: 'refused'; readonly detail: string };

export const PARSE_DEFAULTS: Omit<ParseOptions, 'url'> = {
  textLimit: 2_000,
  titleLimit: 500,
  entryLimit: 2_000,
};

/** A document that begins like this is an HTML page, which the XML parser cannot handle. */
const HTML_PAGE = /^(?:<\?xml[^>]{0,200}\?>\s*)?<(?:!doctype\s+html|html)\b/i;

const FEED_TAG = /<(?:\w+:)?(?:rss|rdf|feed|channel)[\s>]/i;

/** Detects the format of a document and parses it. Never throws. */
export function parseFeedDocument(text: string, options: ParseOptions): ParsedFeed {
  const start = text.slice(0, 4_096).trimStart();
  if (start === '') return { outcome: 'not_a_feed', detail: 'the answer is empty' };
  if (start.startsWith('{') || start.startsWith('[')) {
    const feed = parseJsonFeed(text.trim(), options);
    return feed ? { outcome: 'feed', feed } : { outcome: 'not_a_feed', detail: 'JSON, but no JSON Feed' };
  }
  // Some feeds have the document type of a page.
  if (HTML_PAGE.test(start) && (/<html[\s>]/i.test(start) || !FEED_TAG.test(start)))
    return { outcome: 'page' };
  let tree: XmlTree;
  try {
    tree = parseXml(text);
  } catch (error) {
    if (error instanceof XmlRefusedError) return { outcome: 'refused', detail: error.message };
    throw error;
  }
  const root = feedRoot(tree.root);
  if (root !== null) {
    const atom = root.name === 'feed' || root.name === 'entry';
    const feed = atom ? parseAtom(root, options) : parseRss(root, options);
    if (tree.repairs === 0) return { outcome: 'feed', feed };
    const broken = `the XML is broken in ${tree.repairs} place${tree.repairs === 1 ? '' : 's'}; parsed as far as possible`;
    return { outcome: 'feed', feed: { ...feed, warnings: [...feed.warnings, broken] } };
  }
  if (tree.root.child('opml') !== undefined) {
    return { outcome: 'not_a_feed', detail: 'a list of feeds (OPML); import it instead' };
  }
  if (/<(?:html|head|body)\b/i.test(start)) return { outcome: 'page' };
  return { outcome: 'not_a_feed', detail: 'neither RSS nor Atom nor JSON Feed' };
}

/** The feed's own element, though text, other elements or a lost root stand before it. */
function feedRoot(document: XmlElement): XmlElement | null {
  for (const child of document.children) {
    switch (child.name) {
      case 'rss':
      case 'rdf:rdf':
      case 'feed':
      case 'channel':
        return child.name === 'channel' ? document : child;
      case 'rdf':
        return child;
      case 'item':
        return document;
      case 'entry':
        return child;
    }
  }
  return null;
}

type Fields = Readonly<Record<string, unknown>>;

/** JSON Feed 1.0 and 1.1. Fields of the wrong type count as missing; `null` if it is no JSON Feed at all. */
export function parseJsonFeed(text: string, options: ParseOptions): FeedDocument | null {
  if (isTooDeep(text)) return null;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isFields(json) || !Array.isArray(json.items)) return null;
  if (!String(json.version ?? '').includes('jsonfeed.org') && typeof json.title !== 'string') return null;
  const all = json.items.filter(isFields);
  const language = languageOf(string(json, 'language'));
  const author = nameOf(json);
  const home = resolveUrl(string(json, 'home_page_url'), options.url);
  const entries = all
    .slice(0, options.entryLimit)
    .map((item) => parseJsonItem(item, author, home ?? options.url, options));
  return {
    format: 'json',
    title: plainTitle(string(json, 'title') ?? '') || null,
    home,
    icon: resolveUrl(string(json, 'favicon') ?? string(json, 'icon'), options.url),
    language,
    ttl: null,
    entries,
    warnings: all.length > entries.length ? [`only the first ${entries.length} items were read`] : [],
  };
}

function parseJsonItem(
  item: Fields,
  feedAuthor: string | null,
  base: string,
  options: ParseOptions,
): FeedEntry {
  const id = (string(item, 'id') ?? number(item, 'id') ?? null)?.slice(0, 2_000) || null;
  const link =
    resolveUrl(string(item, 'url') ?? string(item, 'external_url'), base) ??
    (id !== null && /^https?:\/\//i.test(id) ? resolveUrl(id, base) : null);
  const html = string(item, 'content_html');
  const written = string(item, 'content_text');
  const plain = written ?? string(item, 'summary');
  const text =
    html === undefined
      ? (plain ?? '').replace(/\s+/g, ' ').trim().slice(0, options.textLimit)
      : plainText(html, options.textLimit);
  return {
    id,
    link,
    title:
      plainTitle(string(item, 'title') ?? '', options.titleLimit) || text.slice(0, 100) || link || id || '',
    publishedAt:
      parseDate(string(item, 'date_published') ?? '') ?? parseDate(string(item, 'date_modified') ?? ''),
    author: nameOf(item) ?? feedAuthor,
    text: text === '' ? null : text,
    content: html?.slice(0, MAX_CONTENT_LENGTH) ?? (written === undefined ? null : textToHtml(written)),
    enclosures: attachmentsOf(Array.isArray(item.attachments) ? item.attachments.filter(isFields) : [], base),
    image: resolveUrl(string(item, 'image') ?? string(item, 'banner_image') ?? imageIn(html), link ?? base),
    language: languageOf(string(item, 'language')),
    video: null,
  };
}

/** 1.1 has a list of authors, 1.0 has one; some feeds write a name instead of an object. */
function nameOf(of: Fields): string | null {
  const list: unknown[] = Array.isArray(of.authors) ? of.authors : [of.authors ?? of.author];
  const names = list.map((author) => {
    if (typeof author === 'string') return personName(author);
    return isFields(author) ? personName(string(author, 'name') ?? string(author, 'url') ?? '') : '';
  });
  return joinNames(names);
}

function string(of: Fields, name: string): string | undefined {
  const value = of[name];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function number(of: Fields, name: string): string | undefined {
  const value = of[name];
  return typeof value === 'number' ? String(value) : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_JSON_DEPTH = 100;

/** Checks the nesting of brackets before the document is parsed. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 34) at = stringEnd(text, at);
    else if (c === 91 || c === 123) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (c === 93 || c === 125) depth--;
  }
  return false;
}

function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
