import { shorten } from '../../item/shorten.ts';
import { plainLine } from '../plain-text.ts';
import type { Content, Publisher } from '../publisher.ts';

export const ATOM_VERSION = 'atom-1';
const MOST_TITLE = 500;
const MOST_SUMMARY = 10_000;

/** What one entry says; the body of the message. */
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
 * A feed of our own. There is nothing to send: what the outbox has as sent is the feed, so that it can neither miss nor repeat
 * anything. See `atomFeed` for how it reads.
 */
export function atomPublisher(id: string): Publisher {
  return {
    id,
    abilities: {
      nativeIdempotencyMs: Number.POSITIVE_INFINITY,
      canReadBack: false,
      itemsPerMessage: 1,
    },
    render: (content) => ({ body: JSON.stringify(entryOf(content)), templateVersion: ATOM_VERSION }),
    send: async ({ key }) => ({ outcome: 'sent', remoteId: key }),
    readBack: async () => ({ outcome: 'cannot_tell', detail: 'sending the same key again is safe' }),
  };
}

function entryOf({ items: [first] }: Content): AtomEntry {
  if (first === undefined) throw new TypeError('an entry is made of one item');
  const { item, summary } = first;
  return {
    title: shorten(plainLine(item.title), MOST_TITLE) || item.url,
    url: item.url,
    summary: shorten(plainLine(summary ?? ''), MOST_SUMMARY),
    source: plainLine(item.sourceName),
    topics: (item.verdict?.topics ?? []).map(plainLine).filter((topic) => topic !== ''),
    publishedAt: item.publishedAt,
  };
}
