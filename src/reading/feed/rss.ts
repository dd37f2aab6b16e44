import { SECOND } from '../../time/duration.ts';
import { readDate } from './dates.ts';
import { absolute, type FeedDocument, type FeedEntry, type ReadOptions } from './feed-document.ts';
import { mediaImage, mediaText } from './media.ts';
import { plainText, plainTitle } from './plain-text.ts';
import type { XmlElement } from './xml.ts';

/** RSS 0.9x, 1.0 (RDF) and 2.0: they differ in where the items lie, not in what an item is. */
export function readRss(root: XmlElement, options: ReadOptions): FeedDocument {
  const channel = root.child('channel') ?? root;
  const base = absolute(root.attr('xml:base') ?? channel.attr('xml:base'), options.url) ?? options.url;
  const home = absolute(channel.child('link')?.text(), base);
  const inside = channel.all('item');
  const items = channel === root ? inside : [...inside, ...root.all('item')];
  const entries = items.slice(0, options.entryLimit).map((item) => readItem(item, base, options));
  return {
    format: root.name === 'rdf:rdf' ? 'rdf' : 'rss',
    title: plainTitle(channel.child('title')?.markup() ?? '') || null,
    home,
    language: languageOf(channel.child('language')?.text() ?? channel.child('dc:language')?.text()),
    ttl: ttlOf(channel),
    entries,
    warnings: items.length > entries.length ? [`only the first ${entries.length} items were read`] : [],
  };
}

function readItem(item: XmlElement, feedBase: string, options: ReadOptions): FeedEntry {
  const base = absolute(item.attr('xml:base'), feedBase) ?? feedBase;
  const guid = item.child('guid');
  const id =
    (guid?.text() || item.attr('rdf:about') || item.child('atom:id')?.text() || null)?.slice(0, 2_000) ??
    null;
  const link = linkOf(item, base, guid, id);
  const markup =
    item.child('content:encoded')?.markup() ||
    item.child('description')?.markup() ||
    item.child('body')?.markup();
  const text = plainText(markup || mediaText(item) || '', options.textLimit);
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
      'dcterms:created',
      'atom:updated',
      'dcterms:modified',
    ]),
    author: authorOf(item),
    text: text === '' ? null : text,
    image: absolute(mediaImage(item) ?? imageIn(markup), link ?? base),
    language: languageOf(item.child('dc:language')?.text() ?? item.attr('xml:lang')),
    video: null,
  };
}

function titleOf(item: XmlElement, options: ReadOptions): string {
  for (const name of ['title', 'dc:title', 'itunes:title', 'media:title']) {
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
  const original = absolute(item.child('feedburner:origlink')?.text(), base);
  if (original !== null) return original;
  for (const link of item.children) {
    if (link.name !== 'link') continue;
    const address = absolute(link.text() || link.attr('href') || link.attr('rdf:resource'), base);
    if (address !== null) return address;
  }
  const alternate = item.all('atom:link').find((link) => (link.attr('rel') ?? 'alternate') === 'alternate');
  const permalink = guid?.attr('ispermalink')?.toLowerCase() === 'false' ? null : id;
  return (
    absolute(alternate?.attr('href'), base) ??
    (permalink !== null && /^(?:https?:)?\/\//i.test(permalink) ? absolute(permalink, base) : null) ??
    absolute(item.child('enclosure')?.attr('url') ?? item.child('media:content')?.attr('url'), base) ??
    absolute(item.child('comments')?.text(), base)
  );
}

function firstDate(item: XmlElement, names: readonly string[]): number | null {
  for (const name of names) {
    const date = item.child(name);
    const time = date === undefined ? null : readDate(date.text());
    if (time !== null) return time;
  }
  return null;
}

/** `mail@example.org (Name)` is a name; an address alone is better than nobody. */
function authorOf(item: XmlElement): string | null {
  for (const name of ['dc:creator', 'author', 'itunes:author', 'atom:author', 'media:credit']) {
    const author = item.child(name);
    if (author === undefined) continue;
    const named = author.child('name') ?? author.child('atom:name') ?? author;
    const text = plainTitle(named.markup(), 200);
    const inBrackets = /^[^\s@]+@[^\s@]+ ?\(([^)]{1,100})\)$/.exec(text)?.[1];
    if (text !== '') return inBrackets?.trim() || text;
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
