// Reading feeds (X5), beside the bare parser library.
import { parseFeed } from 'feedsmith';
import { PARSE_DEFAULTS, parseFeedDocument } from '../src/feeds/parse-feed.ts';
import { itemKey } from '../src/item/identity.ts';
import type { ItemKey } from '../src/item/item.ts';
import { toSightings } from '../src/sources/feed/feed-sightings.ts';
import { type BenchOptions, type Result, result } from './bench.ts';

export const about = 'reading a 200-item feed to items';

export async function run({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  log('reading a feed of 200 items');
  return [readingAFeed(quick ? 30 : 150)];
}

/** To sightings with keys, dates and plain text; the library only parses. */
function readingAFeed(rounds: number): Result {
  const xml = feedOf(200);
  const url = 'https://harbour.example/feed';
  const keyOf = (address: string, foreignId?: string): ItemKey | null => {
    const found = itemKey(address, foreignId === undefined ? {} : { foreignId });
    return found.outcome === 'identified' ? found.key : null;
  };
  const context = {
    sourceId: 'a',
    sourceName: 'A',
    feedUrl: url,
    now: Date.UTC(2026, 10, 15),
    keyOf,
    rules: '',
    identity: 'auto' as const,
    language: null,
  };
  const ours = (): number => {
    const reading = parseFeedDocument(xml, { ...PARSE_DEFAULTS, url });
    if (reading.outcome !== 'feed') throw new Error(reading.outcome);
    return toSightings(reading.feed, {}, context).sightings.length;
  };
  const theirs = (): string => parseFeed(xml).format;
  if (ours() !== 200) throw new Error('not every item was read');
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds + 20; round++) {
    // Alternating, so that other load on the machine affects both.
    const pair = [timed(ours), timed(theirs)] as const;
    if (round < 20) continue;
    times[0].push(pair[0]);
    times[1].push(pair[1]);
  }
  const [mine, peer] = [1000 / median(times[0]), 1000 / median(times[1])];
  return result({
    name: 'feeds of 200 items read to sightings',
    ours: mine,
    unit: 'feeds/s',
    peer: { name: 'feedsmith, parsing only', value: peer },
    goal: 'at least 0.8× the parser library',
    met: mine >= 0.8 * peer,
  });
}

function timed(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function feedOf(items: number): string {
  const paragraph =
    'The harbour authority said on Sunday that the <b>ferry</b> service would resume &amp; run as normal. '.repeat(
      12,
    );
  const written = Array.from(
    { length: items },
    (_, n) =>
      `<item><title>Ferry news number ${n} &amp; more</title><link>https://harbour.example/news/2026/11/${n}?utm_source=rss</link>` +
      `<guid isPermaLink="false">tag:${n}</guid><pubDate>Sun, 15 Nov 2026 08:30:00 GMT</pubDate><dc:creator>Writer ${n}</dc:creator>` +
      `<category>ferry</category><description>Short &lt;b&gt;summary&lt;/b&gt; ${n}</description>` +
      `<content:encoded><![CDATA[<p>${paragraph}</p><p>${paragraph}</p>]]></content:encoded><media:thumbnail url="https://cdn.example/${n}.jpg"/></item>`,
  );
  return `<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>Harbour News</title><link>https://harbour.example/</link>${written.join('')}</channel></rss>`;
}
