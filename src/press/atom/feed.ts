import { createHash } from 'node:crypto';
import { xmlText } from '../../reading/feed/plain-text.ts';
import type { Delivery } from '../outbox.ts';
import type { AtomEntry } from './publisher.ts';

export interface AtomFeedOptions {
  /** ID of the publisher. */
  readonly id: string;
  readonly title: string;
  /** Who publishes it. */
  readonly author: string;
  /** Where the feed stands: the whole address where it is known, otherwise from the root of the server on. */
  readonly self: string;
  /** How many entries it holds, the newest. */
  readonly entries: number;
}

/** What was published, as Atom (RFC 4287). The same deliveries give the same bytes. */
export function atomFeed(deliveries: readonly Delivery[], options: AtomFeedOptions): string {
  const shown = deliveries
    .filter(({ state }) => state === 'sent')
    .toSorted((a, b) => b.updatedAt - a.updatedAt || (a.key < b.key ? -1 : 1))
    .slice(0, options.entries);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <id>${stableId('feed', options.id)}</id>`,
    `  <title>${asXml(options.title)}</title>`,
    `  <updated>${time(shown[0]?.updatedAt ?? 0)}</updated>`,
    `  <author><name>${asXml(options.author)}</name></author>`,
    `  <link rel="self" type="application/atom+xml" href="${asXml(options.self)}"/>`,
    '  <generator>Kawaraban</generator>',
    ...shown.flatMap(entry),
    '</feed>',
    '',
  ].join('\n');
}

function entry(delivery: Delivery): string[] {
  const { title, url, summary, source, topics, publishedAt } = JSON.parse(delivery.body) as AtomEntry;
  return [
    '  <entry>',
    `    <id>${stableId('entry', delivery.key)}</id>`,
    `    <title>${asXml(title)}</title>`,
    `    <link rel="alternate" href="${asXml(url)}"/>`,
    `    <updated>${time(delivery.updatedAt)}</updated>`,
    `    <published>${time(publishedAt)}</published>`,
    ...(source === '' ? [] : [`    <author><name>${asXml(source)}</name></author>`]),
    ...topics.map((topic) => `    <category term="${asXml(topic)}"/>`),
    ...(summary === '' ? [] : [`    <summary>${asXml(summary)}</summary>`]),
    '  </entry>',
  ];
}

/** An ID that stays the same for ever, made from what it names: a UUID of version 8. */
function stableId(kind: string, name: string): string {
  const hex = createHash('sha256').update(`kawaraban ${kind} ${name}`).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function time(at: number): string {
  return new Date(at).toISOString();
}

/**
 * Escapes text for XML. Not by feedsmith, which writes OPML here: it puts text with markup into CDATA sections, where a
 * hostile article's tags stand as they are (X6), and pads the text around them with blanks.
 */
function asXml(text: string): string {
  return xmlText(text).replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);
}

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
