import { createHash } from 'node:crypto';
import { xmlText } from '../../feeds/plain-text.ts';
import { shorten } from '../../item/shorten.ts';
import type { Delivery } from '../../outbox/outbox.ts';
import { plainLine } from '../plain-text.ts';
import type { Content, Publisher } from '../publisher.ts';

export const ATOM_VERSION = 'atom-1';
const MAX_TITLE = 500;
const MAX_SUMMARY = 10_000;

/** One entry; the body of the message. */
export interface AtomEntry {
  readonly title: string;
  readonly url: string;
  readonly summary: string;
  readonly source: string;
  readonly topics: readonly string[];
  /** Of the article, in milliseconds since the epoch. */
  readonly publishedAt: number;
}

/**
 * The instance's own feed. Nothing is sent: the feed is generated from the sent messages of the outbox, so it can neither
 * miss nor repeat an entry. See `atomFeed` for the format.
 */
export function atomPublisher(id: string): Publisher {
  return {
    id,
    abilities: {
      nativeIdempotencyMs: Number.POSITIVE_INFINITY,
      canReadBack: false,
      itemsPerMessage: 1,
    },
    render: (content) => ({ body: JSON.stringify(atomEntryOf(content)), templateVersion: ATOM_VERSION }),
    send: async ({ key }) => ({ outcome: 'sent', remoteId: key }),
    readBack: async () => ({ outcome: 'cannot_tell', detail: 'sending the same key again is safe' }),
  };
}

function atomEntryOf({ items: [first] }: Content): AtomEntry {
  if (first === undefined) throw new TypeError('an entry is made of one item');
  const { item, summary } = first;
  return {
    title: shorten(plainLine(item.title), MAX_TITLE) || item.url,
    url: item.url,
    summary: shorten(plainLine(summary ?? ''), MAX_SUMMARY),
    source: plainLine(item.sourceName),
    topics: (item.verdict?.topics ?? []).map(plainLine).filter((topic) => topic !== ''),
    publishedAt: item.publishedAt,
  };
}

export interface AtomFeedOptions {
  /** ID of the publisher. */
  readonly id: string;
  readonly title: string;
  /** Who publishes it. */
  readonly author: string;
  /** Address of the feed: absolute where it is known, otherwise relative to the root of the server. */
  readonly self: string;
  /** Maximum number of entries; the newest are kept. */
  readonly entries: number;
}

/** The published items as Atom (RFC 4287). The same deliveries give the same bytes. */
export function atomFeed(deliveries: readonly Delivery[], options: AtomFeedOptions): string {
  const shown = deliveries
    .filter(({ state }) => state === 'sent')
    .toSorted((a, b) => b.updatedAt - a.updatedAt || (a.key < b.key ? -1 : 1))
    .slice(0, options.entries);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>${stableId('feed', options.id)}</id>`,
    `  <title>${escapeXml(options.title)}</title>`,
    `  <updated>${isoTime(shown[0]?.updatedAt ?? 0)}</updated>`,
    `  <author><name>${escapeXml(options.author)}</name></author>`,
    `  <link rel="self" type="application/atom+xml" href="${escapeXml(options.self)}"/>`,
    '  <generator>Kawaraban</generator>',
    ...shown.flatMap(entryXml),
    '</feed>',
    '',
  ].join('\n');
}

function entryXml(delivery: Delivery): string[] {
  const { title, url, summary, source, topics, publishedAt } = JSON.parse(delivery.body) as AtomEntry;
  return [
    '  <entry>',
    `    <id>${stableId('entry', delivery.key)}</id>`,
    `    <title>${escapeXml(title)}</title>`,
    `    <link rel="alternate" href="${escapeXml(url)}"/>`,
    `    <updated>${isoTime(delivery.updatedAt)}</updated>`,
    `    <published>${isoTime(publishedAt)}</published>`,
    ...(source === '' ? [] : [`    <author><name>${escapeXml(source)}</name></author>`]),
    ...topics.map((topic) => `    <category term="${escapeXml(topic)}"/>`),
    ...(summary === '' ? [] : [`    <summary>${escapeXml(summary)}</summary>`]),
    '  </entry>',
  ];
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
