import { SECOND } from '../time/duration.ts';
import { parseDate } from './dates.ts';
import { atomAuthors, channelAuthors, rssAuthors } from './entry-authors.ts';
import {
  atomContent,
  atomPlain,
  atomText,
  atomTitle,
  describedContent,
  htmlContent,
  markupText,
  withBase,
} from './entry-content.ts';
import { enclosuresOf } from './entry-media.ts';
import { type FeedDocument, type FeedEntry, type ParseOptions, resolveUrl } from './feed.ts';
import { plainTitle } from './plain-text.ts';
import type { XmlElement } from './xml.ts';

/** RSS 0.9x, 1.0 (RDF) and 2.0: they differ in where the items lie, not in what an item is. */
export function parseRss(root: XmlElement, options: ParseOptions): FeedDocument {
  const channel = root.child('channel') ?? root;
  const written = xmlBase(channel, xmlBase(root, null, options.url), options.url);
  const home = channelLink(channel, written ?? options.url);
  const inside = channel.all('item');
  const items = channel === root ? inside : [...inside, ...root.all('item')];
  const base = written ?? home ?? options.url;
  const context = { base, isWritten: written !== null, author: channelAuthors(channel), options };
  const entries = items.slice(0, options.entryLimit).map((item) => parseRssItem(item, context));
  return {
    format: root.name === 'rdf:rdf' ? 'rdf' : 'rss',
    title: plainTitle((channel.child('title') ?? channel.child('dc:title'))?.markup() ?? '') || null,
    home,
    icon: resolveUrl(channelIcon(channel) ?? root.child('image')?.child('url')?.text(), base),
    language: languageOf(channel.child('language')?.text() ?? channel.child('dc:language')?.text()),
    ttl: ttlOf(channel),
    entries,
    warnings: items.length > entries.length ? [`only the first ${entries.length} items were read`] : [],
  };
}

/** What the items of a feed get from it. */
interface FeedContext {
  /** For relative addresses: `xml:base`, else the page of the feed, else its own address. */
  readonly base: string;
  /** Whether the base is an `xml:base`, which also counts for what the text contains. */
  readonly isWritten: boolean;
  readonly author: string | null;
  readonly options: ParseOptions;
}

/** The base that an element sets, on top of the one of the elements around it; `null` if none of them sets one. */
function xmlBase(element: XmlElement | undefined, outer: string | null, fallback: string): string | null {
  return resolveUrl(element?.attr('xml:base'), outer ?? fallback) ?? outer;
}

function channelLink(channel: XmlElement, base: string): string | null {
  for (const link of channel.children) {
    if (link.name !== 'link') continue;
    const address = resolveUrl(link.text() || link.attr('href'), xmlBase(link, base, base) ?? base);
    if (address !== null && link.attr('rel')?.toLowerCase() !== 'self') return address;
  }
  const alternate = channel
    .all('atom:link')
    .find((link) => (link.attr('rel') ?? 'alternate') === 'alternate');
  return resolveUrl(alternate?.attr('href'), base);
}

function channelIcon(channel: XmlElement): string | null {
  const itunes = channel.child('itunes:image');
  return channel.child('image')?.child('url')?.text() || itunes?.attr('href') || itunes?.text() || null;
}

function parseRssItem(item: XmlElement, context: FeedContext): FeedEntry {
  const { options } = context;
  const ownBase = xmlBase(item, context.isWritten ? context.base : null, context.base);
  const base = ownBase ?? context.base;
  const guid = item.child('guid');
  const id =
    (guid?.text() || item.attr('rdf:about') || item.child('atom:id')?.text() || null)?.slice(0, 2_000) ??
    null;
  const link = linkOf(item, base, guid, id);
  const { element: body, markup } = bodyOf(item);
  const contentBase = xmlBase(body, ownBase, base);
  const described = markup ? null : mediaText(item);
  const text = markupText(markup || described || '', options.textLimit);
  const content = htmlContent(markup, options.textLimit);
  return {
    id,
    link,
    title: titleOf(item, options) || text.slice(0, 100) || link || id || '',
    publishedAt: firstDate(item, [
      'pubdate',
      'dc:date',
      'published',
      'atom:published',
      'date',
      'dcterms:issued',
      'dcterms:created',
      'atom:updated',
      'dcterms:modified',
    ]),
    author: rssAuthors(item) ?? context.author,
    text: text === '' ? null : text,
    content: content === null ? describedContent(described) : withBase(content, contentBase),
    enclosures: enclosuresOf(item, base),
    image: resolveUrl(mediaImage(item) ?? imageIn(markup), contentBase ?? link ?? base),
    language: languageOf(item.child('dc:language')?.text() ?? item.attr('xml:lang')),
    video: null,
  };
}

function bodyOf(item: XmlElement): {
  readonly element: XmlElement | undefined;
  readonly markup: string | undefined;
} {
  for (const name of ['content:encoded', 'description', 'body', 'atom:content', 'atom:summary', 'fullitem']) {
    const element = item.child(name);
    const markup = element?.markup() ?? '';
    if (markup !== '') return { element, markup };
  }
  return { element: undefined, markup: undefined };
}

function titleOf(item: XmlElement, options: ParseOptions): string {
  for (const name of ['title', 'dc:title', 'atom:title', 'itunes:title', 'media:title']) {
    const title = plainTitle(item.child(name)?.markup() ?? '', options.titleLimit);
    if (title !== '') return title;
  }
  return '';
}

/** The link; else a guid that is an address; else what there is to listen to. */
function linkOf(
  item: XmlElement,
  base: string,
  guid: XmlElement | undefined,
  id: string | null,
): string | null {
  const original = resolveUrl(item.child('feedburner:origlink')?.text(), base);
  if (original !== null) return original;
  for (const link of item.children) {
    if (link.name !== 'link') continue;
    const linkBase = xmlBase(link, base, base) ?? base;
    const address = resolveUrl(link.text() || link.attr('href') || link.attr('rdf:resource'), linkBase);
    if (address !== null) return address;
  }
  const alternate = item.all('atom:link').find((link) => (link.attr('rel') ?? 'alternate') === 'alternate');
  const permalink = guid?.attr('ispermalink')?.toLowerCase() === 'false' ? null : id;
  return (
    resolveUrl(alternate?.attr('href'), base) ??
    (permalink !== null && /^(?:https?:)?\/\//i.test(permalink) ? resolveUrl(permalink, base) : null) ??
    resolveUrl(item.child('enclosure')?.attr('url') ?? item.child('media:content')?.attr('url'), base) ??
    resolveUrl(item.child('comments')?.text(), base)
  );
}

function firstDate(item: XmlElement, names: readonly string[]): number | null {
  for (const name of names) {
    const date = item.child(name);
    const time = date === undefined ? null : parseDate(date.text());
    if (time !== null) return time;
  }
  return null;
}

/** The first image in the text, where the feed names none. */
export function imageIn(markup: string | undefined): string | null {
  const at = markup?.indexOf('<img') ?? -1;
  if (markup === undefined || at < 0) return null;
  const tag = markup.slice(at, at + 3_000);
  return (
    /^<img\s[^>]*?\bsrc\s?=\s?["']([^"'<>\s]{1,2000})["']/i.exec(tag)?.[1]?.replaceAll('&amp;', '&') ?? null
  );
}

export function languageOf(text: string | undefined): string | null {
  const tag = text?.trim().replaceAll('_', '-');
  return tag !== undefined && /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/i.test(tag) ? tag : null;
}

const PERIODS: Readonly<Record<string, number>> = {
  hourly: 3_600 * SECOND,
  daily: 86_400 * SECOND,
  weekly: 604_800 * SECOND,
  monthly: 2_592_000 * SECOND,
  yearly: 31_536_000 * SECOND,
};

function ttlOf(channel: XmlElement): number | null {
  const minutes = Number(channel.child('ttl')?.text() || Number.NaN);
  if (minutes > 0 && minutes < 1e6) return minutes * 60 * SECOND;
  const period = PERIODS[channel.child('sy:updateperiod')?.text().toLowerCase() ?? ''];
  if (period === undefined) return null;
  const frequency = Number(channel.child('sy:updatefrequency')?.text() || 1);
  return frequency >= 1 ? period / frequency : period;
}

/** The picture that the media, podcast and enclosure elements of an item offer, as written. */
export function mediaImage(item: XmlElement): string | null {
  const group = item.child('media:group');
  for (const place of group === undefined ? [item] : [group, item]) {
    const thumbnail = deep(place, 'media:thumbnail')?.attr('url');
    if (thumbnail) return thumbnail;
    for (const content of place.all('media:content')) {
      const medium = content.attr('medium') ?? content.attr('type') ?? '';
      const url = content.attr('url');
      if (url && (medium.startsWith('image') || /\.(?:jpe?g|png|webp|gif|avif)(?:\?|$)/i.test(url)))
        return url;
    }
  }
  const itunes = item.child('itunes:image');
  const podcast = itunes?.attr('href') ?? itunes?.text();
  if (podcast) return podcast;
  for (const enclosure of item.all('enclosure')) {
    if (enclosure.attr('type')?.startsWith('image/')) return enclosure.attr('url') ?? null;
  }
  return item.child('image')?.child('url')?.text() || null;
}

/** Description from the media and podcast elements of an item, if there is no other. */
export function mediaText(item: XmlElement): string | null {
  const group = item.child('media:group') ?? item;
  return (
    group.child('media:description')?.markup() ||
    item.child('media:description')?.markup() ||
    item.child('itunes:summary')?.markup() ||
    item.child('itunes:subtitle')?.markup() ||
    item.child('atom:summary')?.markup() ||
    item.child('dc:description')?.markup() ||
    null
  );
}

function deep(place: XmlElement, name: string): XmlElement | undefined {
  return place.child(name) ?? place.child('media:content')?.child(name);
}

/** Atom 1.0 and 0.3, YouTube's channel feeds among them. */
export function parseAtom(root: XmlElement, options: ParseOptions): FeedDocument {
  const feed = root.name === 'entry' ? undefined : root;
  const written = xmlBase(root, null, options.url);
  const home = feed === undefined ? null : alternateLink(feed, written ?? options.url);
  const all = feed === undefined ? [root] : feed.all('entry');
  const base = written ?? home ?? options.url;
  const context = { base, isWritten: written !== null, author: atomAuthors(feed), options };
  const entries = all.slice(0, options.entryLimit).map((entry) => parseAtomEntry(entry, context));
  const language = languageOf(root.attr('xml:lang'));
  return {
    format: 'atom',
    title: atomTitle(atomText(feed?.child('title'))) || null,
    home,
    icon: resolveUrl(feed?.child('icon')?.text() || feed?.child('logo')?.text(), base),
    language,
    ttl: null,
    entries,
    warnings: all.length > entries.length ? [`only the first ${entries.length} entries were read`] : [],
  };
}

function parseAtomEntry(entry: XmlElement, context: FeedContext): FeedEntry {
  const { options } = context;
  const ownBase = xmlBase(entry, context.isWritten ? context.base : null, context.base);
  const base = ownBase ?? context.base;
  const id = entry.child('id')?.text().slice(0, 2_000) || null;
  const contentElement = entry.child('content');
  const content = atomText(contentElement);
  const summary = atomText(entry.child('summary'));
  const contentBase = xmlBase(content.value === '' ? entry.child('summary') : contentElement, ownBase, base);
  const body = content.value === '' ? summary : content;
  const described = body.value === '' ? mediaText(entry) : null;
  const text =
    described === null ? atomPlain(body, options.textLimit) : markupText(described, options.textLimit);
  const link =
    alternateLink(entry, base) ??
    resolveUrl(contentElement?.attr('src'), contentBase ?? base) ??
    (id !== null && /^https?:\/\//i.test(id) ? resolveUrl(id, base) : null);
  const author = atomAuthors(entry) ?? atomAuthors(entry.child('source')) ?? context.author;
  return {
    id,
    link,
    title:
      atomTitle(atomText(entry.child('title')), options.titleLimit) || text.slice(0, 100) || link || id || '',
    publishedAt: dateOf(entry),
    author,
    text: text === '' ? null : text,
    content: atomContent(content, summary, contentBase, options.textLimit) ?? describedContent(described),
    enclosures: enclosuresOf(entry, base),
    image: resolveUrl(mediaImage(entry) ?? imageIn(body.value), contentBase ?? link ?? base),
    language: languageOf(entry.attr('xml:lang') ?? contentElement?.attr('xml:lang')),
    video: videoOf(entry, author),
  };
}

/** The address for people: `alternate`, HTML before anything else; else whatever link is not about the feed itself. */
function alternateLink(element: XmlElement, base: string): string | null {
  let found: string | null = null;
  let other: string | null = null;
  for (const link of element.children) {
    if (link.name !== 'link') continue;
    const href = link.attr('href');
    const linkBase = xmlBase(link, base, base) ?? base;
    const address = resolveUrl(href === undefined ? link.text() : href, linkBase);
    if (address === null) continue;
    const rel = (link.attr('rel') ?? 'alternate').toLowerCase();
    const type = link.attr('type') ?? 'text/html';
    if (rel === 'alternate' && /html/i.test(type)) return address;
    if (rel === 'alternate') found ??= address;
    else if (rel === 'related' || rel === 'enclosure' || rel === 'via') other ??= address;
  }
  return found ?? other;
}

function dateOf(entry: XmlElement): number | null {
  for (const name of [
    'published',
    'issued',
    'created',
    'updated',
    'modified',
    'dc:date',
    'pubdate',
    'dcterms:issued',
    'dcterms:created',
    'dcterms:modified',
  ]) {
    const time = parseDate(entry.child(name)?.text() ?? '');
    if (time !== null) return time;
  }
  return null;
}

function videoOf(entry: XmlElement, author: string | null): FeedEntry['video'] {
  const videoId = entry.child('yt:videoid')?.text();
  const channelId = entry.child('yt:channelid')?.text();
  if (!videoId || !channelId) return null;
  return { videoId, channelId, channelTitle: author ?? channelId };
}
