import { readDate } from './dates.ts';
import { absolute, type FeedDocument, type FeedEntry, type ReadOptions } from './feed-document.ts';
import { mediaImage, mediaText } from './media.ts';
import { plainText, plainTitle } from './plain-text.ts';
import { imageIn, languageOf } from './rss.ts';
import type { XmlElement } from './xml.ts';

/** Atom 1.0 and 0.3, YouTube's channel feeds among them. */
export function readAtom(root: XmlElement, options: ReadOptions): FeedDocument {
  const feed = root.name === 'entry' ? undefined : root;
  const base = absolute(root.attr('xml:base'), options.url) ?? options.url;
  const all = feed === undefined ? [root] : feed.all('entry');
  const author = feed?.child('author');
  const entries = all.slice(0, options.entryLimit).map((entry) => readEntry(entry, base, author, options));
  const language = languageOf(root.attr('xml:lang'));
  return {
    format: 'atom',
    title: plainTitle(feed?.child('title')?.markup() ?? '') || null,
    home: feed === undefined ? null : alternate(feed, base),
    language,
    ttl: null,
    entries,
    warnings: all.length > entries.length ? [`only the first ${entries.length} entries were read`] : [],
  };
}

function readEntry(
  entry: XmlElement,
  feedBase: string,
  feedAuthor: XmlElement | undefined,
  options: ReadOptions,
): FeedEntry {
  const base = absolute(entry.attr('xml:base'), feedBase) ?? feedBase;
  const id = entry.child('id')?.text().slice(0, 2_000) || null;
  const content = entry.child('content');
  const contentBase = absolute(content?.attr('xml:base'), base) ?? base;
  const markup = content?.markup() || entry.child('summary')?.markup();
  const text = plainText(markup || mediaText(entry) || '', options.textLimit);
  const link =
    alternate(entry, base) ??
    absolute(content?.attr('src'), base) ??
    (id !== null && /^https?:\/\//i.test(id) ? absolute(id, base) : null);
  const video = videoOf(entry, feedAuthor);
  return {
    id,
    link,
    title:
      plainTitle(entry.child('title')?.markup() ?? '', options.titleLimit) ||
      text.slice(0, 100) ||
      link ||
      id ||
      '',
    publishedAt: dateOf(entry),
    author: personName(entry.child('author') ?? entry.child('source')?.child('author') ?? feedAuthor, entry),
    text: text === '' ? null : text,
    image: absolute(mediaImage(entry) ?? imageIn(markup), contentBase),
    language: languageOf(entry.attr('xml:lang') ?? content?.attr('xml:lang')),
    video,
  };
}

/** The address for people: `alternate`, HTML before anything else; else whatever link is not about the feed itself. */
function alternate(element: XmlElement, base: string): string | null {
  let found: string | null = null;
  let other: string | null = null;
  for (const link of element.children) {
    if (link.name !== 'link') continue;
    const href = link.attr('href');
    const address = absolute(href === undefined ? link.text() : href, base);
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
  for (const name of ['published', 'issued', 'created', 'updated', 'modified', 'dc:date', 'pubdate']) {
    const time = readDate(entry.child(name)?.text() ?? '');
    if (time !== null) return time;
  }
  return null;
}

function personName(person: XmlElement | undefined, entry: XmlElement): string | null {
  const named = person?.child('name') ?? person?.child('email') ?? person ?? entry.child('dc:creator');
  return plainTitle(named?.markup() ?? '', 200) || null;
}

function videoOf(entry: XmlElement, feedAuthor: XmlElement | undefined): FeedEntry['video'] {
  const videoId = entry.child('yt:videoid')?.text();
  const channelId = entry.child('yt:channelid')?.text();
  if (!videoId || !channelId) return null;
  return {
    videoId,
    channelId,
    channelTitle: personName(entry.child('author') ?? feedAuthor, entry) ?? channelId,
  };
}
