import { createHash } from 'node:crypto';
import type { Enclosure } from '../item/item.ts';
import { xmlText } from './plain-text.ts';

export interface AtomFeed {
  /** What it is the feed of; its permanent ID is derived from it. */
  readonly name: string;
  readonly title: string;
  /** Who publishes it. */
  readonly author: string;
  /** Address of the feed: absolute where it is known, otherwise relative to the root of the server. */
  readonly self: string;
  readonly updatedAt: number;
  readonly entries: readonly AtomEntry[];
}

/** All texts are plain. Times are in milliseconds since the epoch. */
export interface AtomEntry {
  /** Names the entry for good; its permanent ID is derived from it. */
  readonly name: string;
  readonly title: string;
  readonly url: string;
  readonly updatedAt: number;
  readonly publishedAt: number;
  readonly author: string;
  readonly categories: readonly string[];
  readonly summary: string;
  readonly enclosures?: readonly Enclosure[];
}

/** A feed as Atom (RFC 4287). The same feed gives the same bytes. */
export function writeAtom(feed: AtomFeed): string {
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    hasDurations(feed)
      ? '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">'
      : '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>${stableId('feed', feed.name)}</id>`,
    `  <title>${escapeXml(feed.title)}</title>`,
    `  <updated>${isoTime(feed.updatedAt)}</updated>`,
    `  <author><name>${escapeXml(feed.author)}</name></author>`,
    `  <link rel="self" type="application/atom+xml" href="${escapeXml(feed.self)}"/>`,
    '  <generator>Kawaraban</generator>',
    ...feed.entries.flatMap(entryXml),
    '</feed>',
    '',
  ].join('\n');
}

function hasDurations({ entries }: AtomFeed): boolean {
  return entries.some(({ enclosures = [] }) =>
    enclosures.some(({ durationSeconds }) => durationSeconds !== null),
  );
}

function entryXml({
  name,
  title,
  url,
  updatedAt,
  publishedAt,
  author,
  categories,
  summary,
  enclosures = [],
}: AtomEntry): string[] {
  return [
    '  <entry>',
    `    <id>${stableId('entry', name)}</id>`,
    `    <title>${escapeXml(title)}</title>`,
    `    <link rel="alternate" href="${escapeXml(url)}"/>`,
    ...enclosures.map(enclosureXml),
    `    <updated>${isoTime(updatedAt)}</updated>`,
    `    <published>${isoTime(publishedAt)}</published>`,
    ...(author === '' ? [] : [`    <author><name>${escapeXml(author)}</name></author>`]),
    ...categories.map((category) => `    <category term="${escapeXml(category)}"/>`),
    ...(summary === '' ? [] : [`    <summary>${escapeXml(summary)}</summary>`]),
    '  </entry>',
  ];
}

function enclosureXml({ url, type, lengthBytes, durationSeconds }: Enclosure): string {
  const attributes = [
    `href="${escapeXml(url)}"`,
    ...(type === null ? [] : [`type="${escapeXml(type)}"`]),
    ...(lengthBytes === null ? [] : [`length="${lengthBytes}"`]),
  ];
  const link = `    <link rel="enclosure" ${attributes.join(' ')}/>`;
  // Atom itself has no duration; that of Media RSS is the one which readers know.
  if (durationSeconds === null) return link;
  const medium = type === null ? '' : ` type="${escapeXml(type)}"`;
  return `${link}\n    <media:content url="${escapeXml(url)}"${medium} duration="${Math.round(durationSeconds)}"/>`;
}

/** A permanent ID, derived from what it names: a UUID of version 8. */
function stableId(kind: string, name: string): string {
  const hex = createHash('sha256').update(`kawaraban ${kind} ${name}`).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/**
 * Escapes text for XML. Not by feedsmith, which writes OPML here: it puts text with markup into CDATA sections, where a
 * hostile article's tags stay unescaped (X6), and pads the text around them with blanks.
 */
function escapeXml(text: string): string {
  return xmlText(text).replace(/[&<>"']/g, (sign) => XML_ENTITIES[sign] ?? sign);
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
