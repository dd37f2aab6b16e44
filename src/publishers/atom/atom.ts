import { writeAtom } from '../../feeds/write-atom.ts';
import type { Enclosure } from '../../item/item.ts';
import { shorten } from '../../item/shorten.ts';
import type { Delivery } from '../../outbox/outbox.ts';
import { plainLine } from '../plain-text.ts';
import type { Content, Publisher } from '../publisher.ts';

export const ATOM_VERSION = 'atom-1';
const MAX_TITLE = 500;
const MAX_SUMMARY = 10_000;

/** One entry; the body of the message. */
export interface AtomMessage {
  readonly title: string;
  readonly url: string;
  readonly summary: string;
  readonly source: string;
  readonly topics: readonly string[];
  /** Of the article, in milliseconds since the epoch. */
  readonly publishedAt: number;
  /** Absent if there are none. */
  readonly enclosures?: readonly Enclosure[];
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
      takesEnclosures: true,
    },
    render: (content) => ({ body: JSON.stringify(atomMessageOf(content)), templateVersion: ATOM_VERSION }),
    send: async ({ key }) => ({ outcome: 'sent', remoteId: key }),
    readBack: async () => ({ outcome: 'cannot_tell', detail: 'sending the same key again is safe' }),
  };
}

function atomMessageOf({ items: [first] }: Content): AtomMessage {
  if (first === undefined) throw new TypeError('an entry is made of one item');
  const { item, summary, enclosures = [] } = first;
  return {
    title: shorten(plainLine(item.title), MAX_TITLE) || item.url,
    url: item.url,
    summary: shorten(plainLine(summary ?? ''), MAX_SUMMARY),
    source: plainLine(item.sourceName),
    topics: (item.verdict?.topics ?? []).map(plainLine).filter((topic) => topic !== ''),
    publishedAt: item.publishedAt,
    ...(enclosures.length > 0 && { enclosures }),
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

/** The published items as a feed. The same deliveries give the same bytes. */
export function atomFeed(deliveries: readonly Delivery[], options: AtomFeedOptions): string {
  const shown = deliveries
    .filter(({ state }) => state === 'sent')
    .toSorted((a, b) => b.updatedAt - a.updatedAt || (a.key < b.key ? -1 : 1))
    .slice(0, options.entries);
  return writeAtom({
    name: options.id,
    title: options.title,
    author: options.author,
    self: options.self,
    updatedAt: shown[0]?.updatedAt ?? 0,
    entries: shown.map(({ key, updatedAt, body }) => {
      const { source, topics, ...entry } = JSON.parse(body) as AtomMessage;
      return { ...entry, name: key, updatedAt, author: source, categories: topics };
    }),
  });
}
