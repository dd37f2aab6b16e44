import { afterEach, describe, expect, it } from 'vitest';
import { type Loopback, loopback, plainFetcher } from '../../fetch/loopback.fixture.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { SourceReading, SourceState } from '../source.ts';
import { HackerNewsClient, isNeverReadable, isReadable, parseItem } from './hackernews-client.ts';
import { brokenLists, oddItems, SECONDS, story } from './hackernews-responses.testdata.ts';
import { type HackerNewsSourceOptions, hackerNewsSource } from './hackernews-source.ts';

const signal = new AbortController().signal;
const NOW = Date.UTC(2026, 10, 15);

let items = new Map<number, unknown>();
let lists: Record<string, unknown> = {};
let failing = new Set<number>();
let max = 0;
let server: Loopback | null = null;

afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  items = new Map();
  lists = {};
  failing = new Set();
  max = 0;
});

async function client(concurrency = 16): Promise<HackerNewsClient> {
  let open = 0;
  server = await loopback(async (request, response) => {
    max = Math.max(max, ++open);
    await new Promise((resolve) => setImmediate(resolve));
    open--;
    const path = request.url?.replace(/^\/v0\/|\.json$/g, '') ?? '';
    const id = Number(/^item\/(\d+)$/.exec(path)?.[1] ?? 0);
    if (failing.has(id)) return void response.writeHead(500).end();
    const answer = id > 0 ? (items.get(id) ?? null) : lists[path];
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? null));
  });
  return new HackerNewsClient({ fetcher: plainFetcher, url: server.url, concurrency });
}

describe('the client', () => {
  it('E13 returns lists, the highest ID, updates and items', async () => {
    lists = {
      newstories: [3, 2, 1],
      topstories: [2],
      beststories: [1],
      maxitem: 99,
      updates: { items: [7, 8], profiles: ['x'] },
    };
    items.set(3, story(3));
    const api = await client();
    expect(await api.list('new', signal)).toEqual({ outcome: 'ok', value: [3, 2, 1] });
    expect(await api.list('top', signal)).toEqual({ outcome: 'ok', value: [2] });
    expect(await api.list('best', signal)).toEqual({ outcome: 'ok', value: [1] });
    expect(await api.maxItem(signal)).toEqual({ outcome: 'ok', value: 99 });
    expect(await api.updates(signal)).toEqual({ outcome: 'ok', value: [7, 8] });
    expect(await api.item(3, signal)).toMatchObject({
      outcome: 'ok',
      value: { id: 3, by: 'ann', score: 10, time: SECONDS * 1000, kids: [4] },
    });
  });

  it('E14 every requested item is found, missing or failed', async () => {
    items.set(1, story(1)).set(3, story(3));
    failing.add(2);
    const answer = await (await client()).items([1, 2, 3, 4], signal);
    expect(answer.items.map((item) => item.id)).toEqual([1, 3]);
    expect(answer.missing).toEqual([4]);
    expect(answer.failed).toEqual([2]);
    expect(answer.trouble).toMatchObject({ why: 'server_error' });
  });

  it('bounds concurrent requests', async () => {
    for (let id = 1; id <= 200; id++) items.set(id, story(id));
    const answer = await (await client(5)).items([...items.keys()], signal);
    expect(answer.items).toHaveLength(200);
    expect(max).toBeLessThanOrEqual(5);
  });

  it('stops on its signal', async () => {
    const stop = new AbortController();
    const api = await client();
    stop.abort(new Error('enough'));
    await expect(api.items([1, 2, 3], stop.signal)).rejects.toThrow('enough');
  });

  for (const [name, list] of brokenLists) {
    it(`E14 a list that is ${name} is a bad answer`, async () => {
      lists = { newstories: list, maxitem: list, updates: name === 'an object' ? [] : list };
      const api = await client();
      expect(await api.list('new', signal)).toMatchObject({ outcome: 'failed', why: 'bad_answer' });
      expect(await api.maxItem(signal)).toMatchObject({ outcome: 'failed', why: 'bad_answer' });
    });
  }

  it('E14 a list with garbage in it gives its valid IDs', async () => {
    lists = { newstories: [3, null, '4', -1, 1.5, 3, {}, 5] };
    expect(await (await client()).list('new', signal)).toEqual({ outcome: 'ok', value: [3, 5] });
  });
});

describe('items', () => {
  for (const [name, json, expected] of oddItems) {
    it(`E14 ${name} is ${expected}`, () => {
      const item = parseItem(json);
      const found =
        item === null
          ? 'none'
          : isReadable(item)
            ? 'readable'
            : isNeverReadable(item)
              ? 'settled'
              : 'waiting';
      expect(found).toBe(expected);
      expect(item?.url ?? '').not.toContain('javascript');
    });
  }
});

async function source(changes: Partial<HackerNewsSourceOptions> = {}) {
  const options = {
    id: 'hn',
    name: 'Hacker News',
    list: 'new' as const,
    client: await client(),
    clock: new ManualClock(NOW),
    ...changes,
  };
  const made = hackerNewsSource(options);
  return async (state: SourceState = {}): Promise<Extract<SourceReading, { outcome: 'read' }>> => {
    const reading = await made.read(state, signal);
    if (reading.outcome !== 'read') throw new Error(JSON.stringify(reading));
    return reading;
  };
}

function ids(reading: { readonly sightings: readonly { readonly foreignId?: string }[] }): number[] {
  return reading.sightings.map((sighting) => Number(sighting.foreignId));
}

describe('the source', () => {
  it('E13 reports each story once, with its points', async () => {
    lists = { newstories: [2, 1] };
    items.set(1, story(1)).set(2, story(2, { url: undefined, text: '<p>Hello&#x27;s</p>' }));
    const read = await source();
    const first = await read();
    expect(first.sightings[0]).toMatchObject({
      url: 'https://news.ycombinator.com/item?id=2',
      excerpt: "Hello's",
      content: '<p>Hello&#x27;s</p>',
      points: 10,
      author: 'ann',
      publishedAt: SECONDS * 1000,
    });
    expect(first.sightings[1]).toMatchObject({ key: 'https://news.example/1', foreignId: '1' });
    lists = { newstories: [3, 2, 1] };
    items.set(3, story(3));
    const second = await read(first.memory);
    expect(ids(second)).toEqual([3]);
    expect(server?.requests.filter((request) => request.endsWith('/1.json'))).toHaveLength(1);
  });

  it('E14 deleted, dead, null and half-empty stories break nothing, and what is filled in later is reported then', async () => {
    lists = { newstories: [6, 5, 4, 3, 2, 1] };
    items
      .set(1, story(1))
      .set(2, { id: 2, deleted: true })
      .set(3, null)
      .set(4, { id: 4, type: 'story' })
      .set(5, story(5, { dead: true }));
    failing.add(6);
    const read = await source();
    const first = await read();
    expect(ids(first)).toEqual([1]);
    expect(first.warnings[0]).toContain('1 items could not be read');
    failing.clear();
    items.set(3, story(3)).set(4, story(4)).set(6, story(6));
    expect(ids(await read(first.memory))).toEqual([6, 4, 3]);
  });

  it('a story waits until it has its points', async () => {
    lists = { topstories: [1] };
    items.set(1, story(1, { score: 99 }));
    const read = await source({ list: 'top', minPoints: 100 });
    const first = await read();
    expect(ids(first)).toEqual([]);
    items.set(1, story(1, { score: 120 }));
    const second = await read(first.memory);
    expect(second.sightings[0]?.points).toBe(120);
    expect(ids(await read(second.memory))).toEqual([]);
  });

  it('E14 after a downtime it continues where it stopped, though the list no longer reaches there', async () => {
    for (let id = 1; id <= 1300; id++) items.set(id, id % 3 === 0 ? { id, type: 'comment' } : story(id));
    lists = { newstories: [10, 8] };
    const read = await source({ limit: 50 });
    const first = await read();
    lists = { newstories: Array.from({ length: 50 }, (_, n) => 1300 - n) };
    failing.add(500);
    items.set(100, null);
    let state = first.memory;
    const seen = new Set(ids(first));
    for (let run = 0; run < 5; run++) {
      const reading = await read(state);
      for (const id of ids(reading)) seen.add(id);
      state = reading.memory;
      failing.clear();
      items.set(100, story(100));
    }
    const expected = Array.from({ length: 1290 }, (_, n) => n + 11).filter((id) => id % 3 !== 0 || id > 1250);
    const missing = expected.filter((id) => id % 3 !== 0 && !seen.has(id));
    expect(missing).toEqual([]);
    expect(ids(await read(state))).toEqual([]);
  });

  it('X5 fails as a whole only when nothing could be read', async () => {
    lists = { newstories: [1, 2] };
    failing.add(1).add(2);
    const made = hackerNewsSource({
      id: 'hn',
      name: 'HN',
      list: 'new',
      client: await client(),
      clock: new ManualClock(NOW),
    });
    expect(await made.read({}, signal)).toMatchObject({ outcome: 'failed', why: 'server_error' });
  });
});
