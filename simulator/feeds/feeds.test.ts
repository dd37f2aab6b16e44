import { parseAtomFeed, parseJsonFeed, parseRdfFeed, parseRssFeed } from 'feedsmith';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR } from '../../src/time/duration.ts';
import { ManualClock } from '../../src/time/manual-clock.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { OUTLETS } from '../world/outlet.ts';
import { encode } from './encode.ts';
import { feedPath } from './feeds.ts';
import { ODD_FEEDS } from './malformed.ts';

const clock = new ManualClock(Date.UTC(2026, 5, 1, 12));
let sim: Simulator;

beforeAll(async () => {
  sim = await startSimulator({ clock });
});

afterAll(async () => {
  await sim[Symbol.asyncDispose]();
});

async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${sim.urls.feeds}${path}`, { headers, redirect: 'manual' });
}

async function decoded(path: string, encoding = 'utf-8'): Promise<string> {
  return new TextDecoder(encoding, { fatal: true }).decode(await (await get(path)).arrayBuffer());
}

function pathOf(id: string): string {
  const outlet = OUTLETS.find((each) => each.id === id);
  if (!outlet) throw new Error(id);
  return feedPath(outlet);
}

describe('formats', () => {
  it('serves RSS 2.0 with guid, date and category', async () => {
    const feed = parseRssFeed(await decoded(pathOf('byte-herald')));
    expect(feed.items).toHaveLength(20);
    expect(feed.items?.[0]).toMatchObject({
      guid: { isPermaLink: true },
      link: expect.stringContaining(sim.urls.pages),
    });
    expect(Date.parse(String(feed.items?.[0]?.pubDate))).toBeLessThanOrEqual(clock.now());
  });

  it('serves RSS 0.91, which has neither guid nor date', async () => {
    const text = await decoded(pathOf('harbour-post'));
    expect(text).toContain('<rss version="0.91">');
    expect(text).not.toMatch(/<guid|<pubDate/);
    expect(parseRssFeed(text).items).toHaveLength(20);
  });

  it('serves a Japanese ministry’s RDF with dc:date in its own time zone', async () => {
    const text = await decoded(pathOf('shomusho'));
    expect(text).toMatch(/<dc:date>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00<\/dc:date>/);
    const feed = parseRdfFeed(text);
    expect(feed.items).toHaveLength(20);
    expect(feed.title).toBe('庶務省 新着情報');
  });

  it('serves Atom and JSON Feed', async () => {
    const atom = parseAtomFeed(await decoded(pathOf('open-ledger')));
    expect(atom.entries?.[0]?.id).toMatch(/^tag:open-ledger\.example/);
    const json = parseJsonFeed(await decoded(pathOf('orbit-weekly')));
    expect(json.items).toHaveLength(20);
  });

  it('serves Shift_JIS and EUC-JP, named in the XML declaration alone', async () => {
    for (const [id, encoding, name] of [
      ['machi-shimbun', 'shift_jis', 'まち新聞'],
      ['keizai-dayori', 'euc-jp', '経済だより'],
    ] as const) {
      expect((await get(pathOf(id))).headers.get('content-type')).not.toContain('charset');
      const text = await decoded(pathOf(id), encoding);
      expect(text.toLowerCase()).toContain(`encoding="${encoding}"`);
      expect(text).toContain(name);
      expect(text).not.toContain('&#');
    }
  });
});

describe('encode', () => {
  it('gives back what the platform decodes, and references for what the encoding cannot represent', () => {
    const text = 'かなカナ漢字「」、。ｶﾅ　①〜Abc';
    for (const encoding of ['shift_jis', 'euc-jp'] as const) {
      const bytes = encode(text, encoding);
      expect(new TextDecoder(encoding).decode(bytes).replaceAll(/&#\d+;/g, '')).toMatch(
        /^かなカナ漢字「」、。ｶﾅ　①/,
      );
      expect(new TextDecoder(encoding).decode(encode('a😀b', encoding))).toBe('a&#128512;b');
    }
  });
});

describe('over time', () => {
  it('grows by one item an hour and keeps the others as they were', async () => {
    const before = parseRssFeed(await decoded(pathOf('byte-herald')));
    clock.jump(HOUR);
    const after = parseRssFeed(await decoded(pathOf('byte-herald')));
    expect(after.items?.slice(1)).toEqual(before.items?.slice(0, 19));
    expect(after.items?.[0]?.guid).not.toEqual(before.items?.[0]?.guid);
  });

  it('is the same world for the same seed, and another for another', async () => {
    const twin = await startSimulator({ clock });
    const other = await startSimulator({ clock, seed: 2 });
    const titles = async (base: string): Promise<unknown> =>
      parseRssFeed(await (await fetch(`${base}${pathOf('byte-herald')}`)).text()).items?.map(
        (item) => item.title,
      );
    expect(await titles(twin.urls.feeds)).toEqual(await titles(sim.urls.feeds));
    expect(await titles(other.urls.feeds)).not.toEqual(await titles(sim.urls.feeds));
    await twin[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  it('answers 304 to an ETag or a date it knows, until something is new', async () => {
    const first = await get(pathOf('open-ledger'));
    const etag = first.headers.get('etag') ?? '';
    const modified = first.headers.get('last-modified') ?? '';
    expect((await get(pathOf('open-ledger'), { 'if-none-match': etag })).status).toBe(304);
    expect((await get(pathOf('open-ledger'), { 'if-none-match': `W/${etag}` })).status).toBe(304);
    expect((await get(pathOf('open-ledger'), { 'if-modified-since': modified })).status).toBe(304);
    expect(
      (await get(pathOf('open-ledger'), { 'if-none-match': '"x"', 'if-modified-since': modified })).status,
    ).toBe(200);
    clock.jump(HOUR);
    expect((await get(pathOf('open-ledger'), { 'if-none-match': etag })).status).toBe(200);
  });

  it('grows at the configured interval', async () => {
    const lively = await startSimulator({ clock, grow: { everyMs: 1000 } });
    const outlet = OUTLETS[0];
    if (!outlet) throw new Error('no outlets');
    const before = lively.world.latest(outlet, clock.now(), 1)[0]?.number ?? 0;
    const after = lively.world.latest(outlet, clock.now() + 1000 * OUTLETS.length, 1)[0]?.number;
    expect(after).toBe(before + 1);
    await lively[Symbol.asyncDispose]();
  });
});

describe('odd feeds', () => {
  it('answers each of them as its name says', async () => {
    const statuses: Record<string, number> = {};
    for (const name of ODD_FEEDS) {
      statuses[name] = (await get(`/odd/${name}${name === 'slow.xml' ? '?ms=1' : ''}`)).status;
    }
    expect(statuses).toMatchObject({
      'moved.xml': 301,
      'moved-for-now.xml': 302,
      'gone.xml': 410,
      'limited.xml': 429,
      'error.xml': 503,
      'broken.xml': 200,
    });
    expect((await get('/odd/limited.xml')).headers.get('retry-after')).toBe('120');
    expect((await get('/odd/moved.xml')).headers.get('location')).toBe(
      `${sim.urls.feeds}/byte-herald/feed.xml`,
    );
    expect((await get('/odd/none.xml')).status).toBe(404);
  });

  it('has guid problems of both kinds, and titles that are edited', async () => {
    const guids = async (name: string): Promise<(string | undefined)[]> =>
      parseRssFeed(await decoded(`/odd/${name}`)).items?.map((item) => item.guid?.value) ?? [];
    expect(new Set(await guids('one-guid.xml')).size).toBe(1);
    const before = await guids('changing-guids.xml');
    clock.jump(1000);
    expect(await guids('changing-guids.xml')).not.toEqual(before);
    expect(await decoded('/odd/edited-titles.xml')).toContain('(updated 1×)');
  });

  it('has what no strict parser accepts, and what no parser should expand', async () => {
    expect(await decoded('/odd/broken.xml')).toMatch(/News & Views <br>/);
    expect(await decoded('/odd/cut-short.xml')).not.toContain('</rss>');
    expect(await decoded('/odd/entity-bomb.xml')).toContain('<!ENTITY a9');
    expect(await decoded('/odd/no-dates.xml')).not.toContain('pubDate');
    expect(await decoded('/odd/relative-links.xml')).toContain(`xml:base="${sim.urls.pages}/"`);
  });

  it('has a page whose head names its feed', async () => {
    const page = await decoded('/byte-herald/');
    expect(page).toContain('<link rel="alternate" type="application/rss+xml"');
    expect(page).toContain('href="/byte-herald/feed.xml"');
  });

  it('refuses other methods and unknown places', async () => {
    expect((await fetch(`${sim.urls.feeds}/byte-herald/feed.xml`, { method: 'POST' })).status).toBe(405);
    expect((await get('/nobody/feed.xml')).status).toBe(404);
  });
});

describe('a feed made by hand', () => {
  it('grows item by item, with pages behind them', async () => {
    const feed = sim.feeds.create({ id: 'mine', title: 'Mine', format: 'atom' });
    feed.publish({ title: 'First', text: ['One paragraph.', 'Another.'] });
    const link = feed.publish({ title: 'Second', guid: 'tag:mine,2' });
    const entries = parseAtomFeed(await (await fetch(feed.url)).text()).entries;
    expect(entries?.map((entry) => entry.title?.value)).toEqual(['Second', 'First']);
    expect(entries?.[0]?.id).toBe('tag:mine,2');
    expect(await (await fetch(link)).text()).toContain('<h1>Second</h1>');
  });

  it('serves exactly what was put', async () => {
    const url = sim.feeds.put('/exact.xml', {
      status: 200,
      headers: { 'content-type': 'text/xml' },
      body: '<x/>',
    });
    expect(await (await fetch(url)).text()).toBe('<x/>');
  });
});
