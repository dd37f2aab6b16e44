import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, type Loopback, loopback, plainFetcher } from '../../fetch/loopback.fixture.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { Source, SourceReading, SourceState } from '../source.ts';
import { feedSource } from './feed-source.ts';

const signal = new AbortController().signal;
const clock = new ManualClock(Date.UTC(2026, 10, 15, 12));
let servers: Loopback[] = [];

afterEach(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]();
  servers = [];
});

async function serving(answer: Answer, path = '/feed'): Promise<{ source: Source; server: Loopback }> {
  const server = await loopback(answer);
  servers.push(server);
  const source = feedSource({
    id: 'news',
    name: 'The News',
    url: `${server.url}${path}`,
    fetcher: plainFetcher,
    clock,
  });
  return { source, server };
}

function rss(...items: { guid?: string; link?: string; title?: string; date?: string }[]): string {
  const written = items.map(
    (item) =>
      `<item><title>${item.title ?? 'A title'}</title>${item.link ? `<link>${item.link}</link>` : ''}` +
      `${item.guid ? `<guid isPermaLink="false">${item.guid}</guid>` : ''}${item.date ? `<pubDate>${item.date}</pubDate>` : ''}</item>`,
  );
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><link>https://news.example/</link>${written.join('')}</channel></rss>`;
}

function readOf(reading: SourceReading): Extract<SourceReading, { outcome: 'read' }> {
  if (reading.outcome !== 'read') throw new Error(`expected a reading, got ${JSON.stringify(reading)}`);
  return reading;
}

describe('reading a feed', () => {
  it('X5 returns the conditional-GET markers and uses them only when given', async () => {
    const markers: (string | undefined)[] = [];
    const { source } = await serving((request, response) => {
      markers.push(request.headers['if-none-match']);
      if (request.headers['if-none-match'] === '"v1"') {
        response.statusCode = 304;
        return;
      }
      response.setHeader('etag', '"v1"');
      response.end(rss({ link: 'https://news.example/1' }));
    });
    const first = readOf(await source.read({}, signal));
    expect(first.sightings.map((s) => s.url)).toEqual(['https://news.example/1']);
    // Not stored by the caller: the next reading must fetch everything again.
    expect((await source.read({}, signal)).outcome).toBe('read');
    expect((await source.read(first.memory, signal)).outcome).toBe('unchanged');
    expect(markers).toEqual([undefined, undefined, '"v1"']);
  });

  it('X5 detects an unchanged feed whose server ignores conditional requests', async () => {
    const { source } = await serving(
      (_, response) => void response.end(rss({ link: 'https://news.example/1' })),
    );
    const first = readOf(await source.read({}, signal));
    expect((await source.read(first.memory, signal)).outcome).toBe('unchanged');
  });

  it('R10 Q6 sightings carry the content and the enclosures of the feed', async () => {
    const { source } = await serving((_, response) => {
      response.end(
        `<rss xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><item><link>https://news.example/1</link><description>Short</description><content:encoded><![CDATA[<p>Long</p>]]></content:encoded><enclosure url="https://news.example/1.mp3" type="audio/mpeg" length="7"/></item><item><link>https://news.example/2</link><description>Short</description></item></channel></rss>`,
      );
    });
    const [first, second] = readOf(await source.read({}, signal)).sightings;
    expect(first).toMatchObject({
      content: '<p>Long</p>',
      enclosures: [
        {
          url: 'https://news.example/1.mp3',
          type: 'audio/mpeg',
          lengthBytes: 7,
          durationSeconds: null,
        },
      ],
    });
    expect(second).not.toHaveProperty('content');
    expect(second).not.toHaveProperty('enclosures');
  });

  it('X5 a permanent redirect is followed and stored', async () => {
    const { source, server } = await serving((request, response) => {
      if (request.url === '/feed') response.writeHead(301, { location: '/new' }).end();
      else response.end(rss({ link: 'https://news.example/1' }));
    });
    const first = readOf(await source.read({}, signal));
    expect(first.movedTo).toBe(`${server.url}/new`);
    await source.read(first.memory, signal);
    expect(server.requests).toEqual(['GET /feed', 'GET /new', 'GET /new']);
  });

  it('X5 a temporary redirect is followed and not stored', async () => {
    const { source, server } = await serving((request, response) => {
      if (request.url === '/feed') response.writeHead(302, { location: '/for-now' }).end();
      else response.end(rss({ link: 'https://news.example/1' }));
    });
    const first = readOf(await source.read({}, signal));
    expect(first.movedTo).toBeUndefined();
    await source.read(first.memory, signal);
    expect(server.requests[2]).toBe('GET /feed');
  });

  it('X5 Q3 a page that names its feed leads to the feed, and the next reading goes there directly', async () => {
    const { source, server } = await serving((request, response) => {
      if (request.url === '/atom.xml') response.end(rss({ link: '/relative' }));
      else
        response.end(
          '<!doctype html><html><head><link rel="alternate" type="application/rss+xml" href="/atom.xml"></head></html>',
        );
    }, '/');
    const first = readOf(await source.read({}, signal));
    expect(first.sightings[0]?.url).toBe('https://news.example/relative');
    expect(first.warnings[0]).toContain('/atom.xml');
    await source.read(first.memory, signal);
    expect(server.requests).toEqual(['GET /', 'GET /atom.xml', 'GET /atom.xml']);
  });

  it('X5 a page without a feed, and other responses that are none, are distinguished in plain words', async () => {
    const { source } = await serving((_, response) => void response.end('<html><body>Hello</body></html>'));
    expect(await source.read({}, signal)).toEqual({
      outcome: 'failed',
      why: 'not_a_feed',
      detail: 'a web page that links to no feed',
    });
    for (const [status, why] of [
      [404, 'not_found'],
      [410, 'gone'],
      [403, 'forbidden'],
      [503, 'server_error'],
      [418, 'bad_answer'],
    ] as const) {
      const failing = await serving((_, response) => void response.writeHead(status).end());
      expect(await failing.source.read({}, signal)).toMatchObject({ outcome: 'failed', why });
    }
    const limited = await serving(
      (_, response) => void response.writeHead(429, { 'retry-after': '120' }).end(),
    );
    expect(await limited.source.read({}, signal)).toMatchObject({
      outcome: 'failed',
      why: 'rate_limited',
      retryAt: 120_000,
    });
  });

  it('X5 X23 reports how long a response stays fresh and how often the feed publishes, also when it is unchanged', async () => {
    const feed = rss(
      { link: 'https://news.example/1', date: 'Sun, 15 Nov 2026 11:00:00 GMT' },
      { link: 'https://news.example/2', date: 'Sun, 15 Nov 2026 09:00:00 GMT' },
    ).replace('<title>News', '<ttl>30</ttl><title>News');
    const { source } = await serving((request, response) => {
      if (request.headers['if-none-match'] === '"1"') return void response.writeHead(304).end();
      response.setHeader('etag', '"1"');
      response.setHeader('cache-control', 'public, max-age=600');
      response.end(feed);
    });
    const first = readOf(await source.read({}, signal));
    const hour = 3_600_000;
    const newestAt = clock.now() - hour;
    const hints = { freshForMs: hour / 2, gapMs: 2 * hour, newestAt, oldestAt: newestAt - 2 * hour };
    expect(first.hints).toEqual(hints);
    expect(await source.read(first.memory, signal)).toMatchObject({ outcome: 'unchanged', hints });
    const all = readOf(await source.read(first.memory, signal, { full: true }));
    expect(all.sightings).toHaveLength(2);
  });

  it('X5 reads Shift_JIS and EUC-JP', async () => {
    const eucJp = Buffer.from('c6fccbdcb8ec', 'hex');
    const [before, after] =
      '<?xml version="1.0" encoding="EUC-JP"?><rss><channel><item><title>@</title><link>https://a.example/1</link></item></channel></rss>'.split(
        '@',
      );
    const { source } = await serving(
      (_, response) =>
        void response.end(Buffer.concat([Buffer.from(before ?? ''), eucJp, Buffer.from(after ?? '')])),
    );
    expect(readOf(await source.read({}, signal)).sightings[0]?.title).toBe('日本語');
    const shiftJis = Buffer.from('93fa967b8cea', 'hex');
    const headerOnly = await serving((_, response) => {
      response.setHeader('content-type', 'application/rss+xml; charset=Shift_JIS');
      response.end(
        Buffer.concat([
          Buffer.from('<rss><channel><item><title>'),
          shiftJis,
          Buffer.from('</title><link>https://a.example/1</link></item></channel></rss>'),
        ]),
      );
    });
    expect(readOf(await headerOnly.source.read({}, signal)).sightings[0]?.title).toBe('日本語');
  });

  it('X5 a reading that is stopped ends with the reason it was stopped for', async () => {
    const { source } = await serving(() => new Promise(() => {}));
    const stop = new AbortController();
    const reading = source.read({}, stop.signal);
    stop.abort(new Error('closing down'));
    await expect(reading).rejects.toThrow('closing down');
  });
});

/** Reads successive editions of one feed; returns for each the titles that a ledger would admit as new. */
async function newsOf(editions: readonly string[]): Promise<string[][]> {
  let edition = 0;
  const { source } = await serving((_, response) => void response.end(editions[edition]));
  const ledger = new Set<string>();
  let state: SourceState = {};
  const news: string[][] = [];
  for (; edition < editions.length; edition++) {
    const reading = await source.read(state, signal);
    if (reading.outcome === 'read') {
      const fresh = reading.sightings.filter((s) => !ledger.has(s.key));
      for (const s of fresh) ledger.add(s.key);
      news.push(fresh.filter((s) => !reading.known?.has(s.key)).map((s) => s.title));
      state = reading.memory;
    } else news.push([]);
  }
  return news;
}

/** The keys of the items of each edition. */
async function keysOf(editions: readonly string[]): Promise<string[][]> {
  let edition = '';
  const { source } = await serving((_, response) => void response.end(edition));
  let state: SourceState = {};
  const keys: string[][] = [];
  for (edition of editions) {
    const reading = readOf(await source.read(state, signal));
    keys.push(reading.sightings.map(({ key }) => key));
    state = reading.memory;
  }
  return keys;
}

describe('the identity of items', () => {
  const link = (n: number): string => `https://news.example/${n}`;

  it('X19 one guid for every item hides nothing', async () => {
    const item = (n: number) => ({ guid: 'tag:same', link: link(n), title: `T${n}` });
    expect(await newsOf([rss(item(1), item(2)), rss(item(3), item(1), item(2))])).toEqual([
      ['T1', 'T2'],
      ['T3'],
    ]);
  });

  it('X19 guids that change with every reading repeat nothing', async () => {
    const item = (n: number, salt: string) => ({ guid: `${salt}-${n}`, link: link(n), title: `T${n}` });
    expect(
      await newsOf([rss(item(1, 'a'), item(2, 'a')), rss(item(3, 'b'), item(1, 'b'), item(2, 'b'))]),
    ).toEqual([['T1', 'T2'], ['T3']]);
  });

  it('X19 guids that are positions in the feed neither repeat nor hide', async () => {
    const at = (guid: number, n: number) => ({ guid: String(guid), link: link(n), title: `T${n}` });
    expect(
      await newsOf([
        rss(at(1, 12), at(2, 11), at(3, 10)),
        rss(at(1, 13), at(2, 12), at(3, 11)),
        rss(at(1, 14), at(2, 13), at(3, 12)),
      ]),
    ).toEqual([['T12', 'T11', 'T10'], ['T13'], ['T14']]);
  });

  it('X19 edited titles and reordered dates repeat nothing', async () => {
    const item = (n: number, title: string, date: string) => ({ guid: `g${n}`, link: link(n), title, date });
    expect(
      await newsOf([
        rss(item(1, 'One', 'Sun, 15 Nov 2026 08:00:00 GMT'), item(2, 'Two', 'Sun, 15 Nov 2026 07:00:00 GMT')),
        rss(
          item(2, 'Two (updated)', 'Sun, 15 Nov 2026 09:00:00 GMT'),
          item(1, 'One', 'Sat, 14 Nov 2026 08:00:00 GMT'),
        ),
      ]),
    ).toEqual([['One', 'Two'], []]);
  });

  it('X19 items that share one address are identified by their guids', async () => {
    const item = (n: number) => ({ guid: `g${n}`, link: 'https://news.example/live', title: `T${n}` });
    expect(await newsOf([rss(item(1), item(2)), rss(item(3), item(2), item(1))])).toEqual([
      ['T1', 'T2'],
      ['T3'],
    ]);
  });

  it('X19 items with neither address nor guid of their own are identified by their titles', async () => {
    const item = (n: number) => ({ guid: 'x', link: 'https://news.example/live', title: `T${n}` });
    expect(await newsOf([rss(item(1), item(2)), rss(item(3), item(2), item(1))])).toEqual([
      ['T1', 'T2'],
      ['T3'],
    ]);
    const bare = (n: number) => ({ title: `T${n}` });
    expect(await newsOf([rss(bare(1), bare(2)), rss(bare(3), bare(2))])).toEqual([['T1', 'T2'], ['T3']]);
  });

  it('X19 addresses with a new session number at every reading repeat nothing and hide nothing', async () => {
    const item = (n: number, session: string) => ({
      guid: `g${n}`,
      link: `${link(n)}?session=${session}`,
      title: `T${n}`,
    });
    expect(
      await newsOf([
        rss(item(1, 'a'), item(2, 'a')),
        rss(item(3, 'b'), item(1, 'b'), item(2, 'b')),
        rss(item(4, 'c'), item(3, 'c'), item(1, 'c')),
      ]),
    ).toEqual([['T1', 'T2'], ['T3'], ['T4']]);
  });

  it('X19 one item that moves to another address under the same guid is not repeated', async () => {
    const item = (n: number, path = '') => ({ guid: `g${n}`, link: `${link(n)}${path}`, title: `T${n}` });
    expect(
      await newsOf([
        rss(item(1), item(2), item(3)),
        rss(item(1), item(2, '-better-slug'), item(3)),
        rss(item(4), item(1), item(2, '-better-slug')),
      ]),
    ).toEqual([['T1', 'T2', 'T3'], [], ['T4']]);
  });

  it('X19 a feed that lists one item at a time, always at the same address, hides nothing', async () => {
    const item = (n: number) => ({ guid: `g${n}`, link: 'https://news.example/', title: `T${n}` });
    expect(await newsOf([rss(item(1)), rss(item(2)), rss(item(3))])).toEqual([['T1'], ['T2'], ['T3']]);
  });

  it('X19 two items with one link are distinguished, and every other item keeps its key', async () => {
    const item = (n: number) => ({ guid: `g${n}`, link: link(n), title: `T${n}` });
    const shared = (n: number) => ({ guid: `g${n}`, link: link(1), title: `T${n}` });
    const editions = [
      rss(item(1), item(2), item(3)),
      rss(shared(4), item(1), item(2), item(3)),
      rss(shared(5), shared(4), item(1), item(2)),
      rss(item(6), shared(5), shared(4)),
      rss(shared(7), item(6)),
    ];
    expect(await newsOf(editions)).toEqual([['T1', 'T2', 'T3'], ['T4'], ['T5'], ['T6'], ['T7']]);
    const keys = await keysOf(editions);
    expect(keys[2]).toEqual([`${link(1)}#item=g5`, `${link(1)}#item=g4`, link(1), link(2)]);
    expect(keys[4]).toEqual([`${link(1)}#item=g7`, link(6)]);
  });

  it('X19 X22 where two of many items share a link from the start, the older one has the link as its key', async () => {
    const item = (n: number) => ({ guid: `g${n}`, link: link(n), title: `T${n}` });
    const pair = [
      { guid: 'new', link: link(9), title: 'Newer', date: 'Sun, 15 Nov 2026 09:00:00 GMT' },
      { guid: 'old', link: link(9), title: 'Older', date: 'Sun, 15 Nov 2026 08:00:00 GMT' },
    ];
    const [keys, again] = await keysOf([
      rss(...pair, item(1), item(2), item(3)),
      rss(...pair.toReversed(), item(1), item(2), item(3)),
    ]);
    expect(keys).toEqual([`${link(9)}#item=new`, link(9), link(1), link(2), link(3)]);
    expect(again).toEqual([link(9), `${link(9)}#item=new`, link(1), link(2), link(3)]);
  });

  it('X19 guids that change with every reading repeat nothing, also where two items share a link', async () => {
    const item = (n: number, salt: string, at = n) => ({
      guid: `${salt}-${n}`,
      link: link(at),
      title: `T${n}`,
    });
    const edition = (salt: string) => rss(item(4, salt, 1), item(1, salt), item(2, salt), item(3, salt));
    expect(await newsOf([edition('a'), edition('b'), edition('c')])).toEqual([
      ['T4', 'T1', 'T2', 'T3'],
      [],
      [],
    ]);
  });

  it('X19 an item that is listed twice is one item', async () => {
    const item = (n: number, title = `T${n}`) => ({ guid: `g${n}`, link: link(n), title });
    expect(
      await newsOf([
        rss(item(1), item(2), item(3)),
        rss(item(1, 'T1 (live)'), item(1), item(2)),
        rss({ guid: 'other', link: link(1), title: 'T1' }, item(1), item(2)),
      ]),
    ).toEqual([['T1', 'T2', 'T3'], [], []]);
  });

  it('X19 a feed that starts to share addresses repeats nothing and hides nothing', async () => {
    const item = (n: number) => ({ guid: `g${n}`, link: link(n), title: `T${n}` });
    const shared = (n: number) => ({ guid: `g${n}`, link: 'https://news.example/live', title: `T${n}` });
    expect(
      await newsOf([
        rss(item(1), item(2)),
        rss(shared(4), shared(3), item(2), item(1)),
        rss(shared(5), shared(4), shared(3), item(2)),
      ]),
    ).toEqual([['T1', 'T2'], ['T4', 'T3'], ['T5']]);
  });

  it('X19 an item that moves to another address after its title was edited is not repeated', async () => {
    const item = (n: number, path = '', title = `T${n}`) => ({
      guid: `g${n}`,
      link: `${link(n)}${path}`,
      title,
    });
    expect(
      await newsOf([
        rss(item(1), item(2), item(3)),
        rss(item(1, '', 'Edited'), item(2), item(3)),
        rss(item(1, '-moved', 'Edited'), item(2), item(3)),
      ]),
    ).toEqual([['T1', 'T2', 'T3'], [], []]);
  });

  it('X19 other rules of identity give other keys, and still nothing floods out', async () => {
    let edition = rss(
      { guid: 'a', link: `${link(1)}?utm_source=x`, title: 'A' },
      { link: `${link(2)}?utm_source=x`, title: 'B' },
    );
    const { source, server } = await serving((_, response) => void response.end(edition));
    const first = readOf(await source.read({}, signal));
    edition = edition.replace('<item>', `<item><title>New</title><link>${link(3)}</link></item><item>`);
    const strict = feedSource({
      id: 'news',
      name: 'The News',
      url: `${server.url}/feed`,
      fetcher: plainFetcher,
      clock,
      identityRules: { trackingParameters: false },
    });
    const second = readOf(await strict.read(first.memory, signal));
    expect(second.sightings.filter((s) => !second.known?.has(s.key)).map((s) => s.title)).toEqual(['New']);
    expect(second.sightings.map((s) => s.key)).toContain(`${link(1)}?utm_source=x`);
    expect(second.memory.identity).toBe('link');
  });

  it('X19 the reason of the decision is stored in the state, in words for people', async () => {
    const { source } = await serving(
      (_, response) => void response.end(rss({ guid: 'a', link: link(1) }, { guid: 'b', link: link(2) })),
    );
    const { memory } = readOf(await source.read({}, signal));
    expect(memory).toMatchObject({
      identity: 'link',
      identityCertain: true,
      identityWhy: 'every item has its own address',
    });
  });
});
