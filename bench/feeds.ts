// Reading feeds and grouping stories (X5, X3), beside the bare parser library and the promised limits.
import { parseFeed } from 'feedsmith';
import { PARSE_DEFAULTS, parseFeedDocument } from '../src/feeds/parse-feed.ts';
import { itemKey } from '../src/item/identity.ts';
import type { ItemKey } from '../src/item/item.ts';
import { StoryGroups } from '../src/same-story/same-story.ts';
import { toSightings } from '../src/sources/feed/feed-sightings.ts';
import { type BenchOptions, type Result, result } from './bench.ts';

export const about = 'reading a 200-item feed to items; grouping 100,000 titles';

export async function run({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  log('reading a feed of 200 items');
  const reading = readingAFeed(quick ? 30 : 150);
  log('grouping 100,000 titles');
  return [reading, ...grouping()];
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

function grouping(): Result[] {
  const titles = Array.from({ length: 100_000 }, (_, n) => headline(n));
  globalThis.gc?.();
  const before = memory();
  const groups = new StoryGroups();
  const started = process.cpuUsage();
  let joined = 0;
  for (const [n, title] of titles.entries()) {
    const placed = groups.add({ key: `k${n}` as ItemKey, title, publishedAt: n * 1000 });
    if (placed.members.length > 1) joined++;
  }
  // CPU time of one thread: on an idle machine the wall time, on a busy one still the work it took.
  const { user, system } = process.cpuUsage(started);
  const seconds = (user + system) / 1e6;
  const megabytes = (memory() - before) / 2 ** 20;
  if (joined < 20_000) throw new Error(`only ${joined} titles found their group`);
  return [
    result({
      name: 'grouping 100,000 titles, processor time',
      ours: seconds,
      unit: 's',
      limit: { name: 'promised', value: 10 },
      goal: 'within 10 s',
      met: seconds <= 10,
    }),
    result({
      name: 'grouping 100,000 titles, memory',
      ours: megabytes,
      unit: 'MiB',
      limit: { name: 'promised', value: 200 },
      goal: 'within 200 MB',
      met: megabytes <= 200,
    }),
  ];
}

function timed(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Garbage included: what the process really uses. */
function memory(): number {
  const { heapUsed, arrayBuffers, external } = process.memoryUsage();
  return heapUsed + Math.max(arrayBuffers, external);
}

const PLACES =
  'Larkfield Tolmin Norland Askel Orta Pinehurst Belmar Senn Halden Ruvel Ostrava Kestrel Amsel Dalton Quill Vellum'.split(
    ' ',
  );
const THINGS =
  'bridge ferry glacier museum railway harbour hospital library festival reactor satellite vaccine orchard market tunnel school'.split(
    ' ',
  );
const DEEDS =
  'closes reopens floods expands collapses wins loses votes protests strikes burns freezes melts grows shrinks moves'.split(
    ' ',
  );
const REASONS =
  'storm budget election strike drought outage verdict inspection celebration shortage merger heatwave leak rumour'.split(
    ' ',
  );
const JAPANESE = '港 橋 鉄道 病院 図書館 美術館 学校 市場 空港 工場 農園 原発 衛星 薬 祭り 新幹線'.split(' ');
const HAPPENED = '閉鎖 再開 拡張 延期 中止 完成 火災 停電 増便 値上げ 移転 統合 公開 承認'.split(' ');

/** Every fourth title repeats a story in slightly other words; half of the stories are Japanese. */
function headline(n: number): string {
  const story = n % 4 === 3 ? n - 1 - (n % 3) : n;
  const pick = (list: readonly string[], salt: number): string =>
    list[(Math.imul(story + 1, 2654435761) >>> salt) % list.length] ?? '';
  const again = story !== n;
  if (story % 2 === 0) {
    const text = `${pick(PLACES, 3)} ${pick(THINGS, 7)} ${pick(DEEDS, 11)} after ${pick(REASONS, 15)} in district ${story % 9973}`;
    return again ? `${text} - Daily` : text;
  }
  const mark = again ? 'が' : '、';
  return `${pick(JAPANESE, 4)}${story % 9967}号${mark}${pick(HAPPENED, 9)}へ　${pick(JAPANESE, 17)}の${pick(HAPPENED, 21)}受け`;
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
