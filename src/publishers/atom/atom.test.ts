import fc from 'fast-check';
import { parseFeed } from 'feedsmith';
import { describe, expect, it } from 'vitest';
import { PARSE_DEFAULTS, parseFeedDocument } from '../../feeds/parse-feed.ts';
import type { ItemKey } from '../../item/item.ts';
import { hostileArticles } from '../../judge/injection/corpus.ts';
import type { Delivery } from '../../outbox/outbox.ts';
import { sampleContent, sampleItem } from '../contract/sample-content.ts';
import { type AtomFeedOptions, atomFeed, atomPublisher } from './atom.ts';

const publisher = atomPublisher('news');
const options: AtomFeedOptions = {
  id: 'news',
  title: 'News & views',
  author: 'Kawaraban',
  self: 'https://here.example/feeds/news.atom',
  entries: 50,
};
const AT = Date.UTC(2026, 4, 2);

function delivery(
  n: number,
  title = `Title ${n}`,
  summary = 'A summary.',
  change: Partial<Delivery> = {},
): Delivery {
  const url = `https://example.org/${n}?a=1&b=2`;
  const item = sampleItem({ url, title, key: url as ItemKey });
  const { body } = publisher.render({ pipeline: 'p', items: [{ item, summary, alsoSeenIn: [] }] });
  const times = { createdAt: AT, firstTriedAt: AT, updatedAt: AT + n, dueAt: null };
  const sent = { state: 'sent', remoteId: `k${n}`, remoteUrl: null, detail: null, attempts: 1 } as const;
  return { key: `k${n}`, itemKeys: [item.key], destination: 'news', body, ...sent, ...times, ...change };
}

function read(text: string) {
  const reading = parseFeedDocument(text, { ...PARSE_DEFAULTS, url: 'https://here.example/feeds/news.atom' });
  if (reading.outcome !== 'feed') throw new Error(reading.outcome);
  return reading.feed;
}

describe('the Atom feed of what was published', () => {
  it('lists each item once, the newest first, up to the limit', () => {
    const text = atomFeed(
      [1, 3, 2].map((n) => delivery(n)),
      { ...options, entries: 2 },
    );
    expect(read(text)).toMatchObject({
      format: 'atom',
      title: 'News & views',
      warnings: [],
      entries: [
        { title: 'Title 3', link: 'https://example.org/3?a=1&b=2', text: 'A summary.', author: 'A Source' },
        { title: 'Title 2' },
      ],
    });
    expect(text).toContain(`<updated>${new Date(AT + 3).toISOString()}</updated>`);
  });

  it('Q6 carries the enclosures of an item', () => {
    const recording = {
      url: 'https://cast.example/1.mp3?a=1&b="2"',
      type: 'audio/mpeg',
      lengthBytes: 46_000_000,
      durationSeconds: 2_893,
    };
    const notes = { url: 'https://cast.example/1.pdf', type: null, lengthBytes: null, durationSeconds: null };
    const item = { ...sampleContent().items[0], item: sampleItem(), summary: null, alsoSeenIn: [] };
    const { body } = publisher.render({
      pipeline: 'p',
      items: [{ ...item, enclosures: [recording, notes] }],
    });
    const text = atomFeed([delivery(1, 'a', 'b', { body }), delivery(2)], options);
    expect(text).toContain('<link rel="enclosure" href="https://cast.example/1.pdf"/>');
    expect(text).toContain('type="audio/mpeg" length="46000000"/>');
    const { entries } = read(text);
    expect(entries.map(({ enclosures }) => enclosures.map(({ url }) => url))).toEqual([
      [],
      [new URL(recording.url).href, notes.url],
    ]);
    expect(entries[1]?.enclosures[0]).toMatchObject({ lengthBytes: 46_000_000, durationSeconds: 2_893 });
  });

  it('omits what was not sent', () => {
    const text = atomFeed([delivery(1, 'a', 'b', { state: 'parked' })], options);
    expect(read(text).entries).toEqual([]);
  });

  it('has IDs that stay, whatever else changes, and no two alike', () => {
    const ids = (text: string): string[] => [...text.matchAll(/<id>(.*?)<\/id>/g)].map(([, id = '']) => id);
    const before = ids(atomFeed([delivery(1), delivery(2)], options));
    const after = ids(
      atomFeed([delivery(1, 'Another title'), delivery(2)], { ...options, title: 'Renamed' }),
    );
    expect(after).toEqual(before);
    expect(new Set(before).size).toBe(3);
    for (const id of before)
      expect(id).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('an empty feed is valid', () => {
    expect(parseFeed(atomFeed([], options))).toMatchObject({
      format: 'atom',
      feed: { title: { value: 'News & views' } },
    });
  });

  it('X6 stays well-formed whatever titles and summaries hold, and another reader sees the same', () => {
    const words = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constantFrom(']]><x a="', '&#0;', '\uD800'),
    );
    fc.assert(
      fc.property(words, words, (title, summary) => {
        const text = atomFeed([delivery(1, title, summary)], options);
        const { entries, warnings } = read(text);
        expect(warnings).toEqual([]);
        expect(entries).toHaveLength(1);
        expect(entries[0]?.link).toBe('https://example.org/1?a=1&b=2');
        expect(parseFeed(text)).toMatchObject({
          format: 'atom',
          feed: { entries: [{ id: entries[0]?.id }] },
        });
      }),
      { numRuns: 100 },
    );
  });

  it('X6 a hostile article appears as plain text', async () => {
    const hostile = await hostileArticles();
    const text = atomFeed(
      hostile.map(({ article }, n) => delivery(n, article.title, article.text)),
      options,
    );
    expect(read(text).entries).toHaveLength(Math.min(50, hostile.length));
    expect(text).not.toMatch(/<(?:script|img|iframe)/i);
  });

  it('X2 sending again adds no second entry', async () => {
    const { body } = publisher.render(sampleContent());
    const message = { key: 'k', itemKeys: [], body, firstTriedAt: null };
    expect(await publisher.send(message)).toEqual(await publisher.send(message));
    expect(publisher.abilities.nativeIdempotencyMs).toBe(Number.POSITIVE_INFINITY);
  });
});
