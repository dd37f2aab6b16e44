import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SeededNewsroom, seedNewsroom } from '../../../test/web/seeded-newsroom.ts';
import { type Authenticator, type Identity, scopesOf } from '../../auth/identity.ts';
import { Revocations } from '../../auth/revocations.ts';
import { StoryFile } from '../../storage/sqlite/story-file.ts';
import { expectedBest, sampleStories, sampleStory } from '../../stories/contract/sample-stories.ts';
import type { Story } from '../../stories/story.ts';
import { StoryLists } from '../../stories/story-lists.ts';
import { StoryReader } from '../../stories/story-reader.ts';
import { StorySets } from '../../stories/story-sets.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { systemClock } from '../../time/clock.ts';
import { DAY, MINUTE } from '../../time/duration.ts';
import { csrfKey } from './csrf.ts';
import { type RunningServer, startServer } from './server.ts';

let newsroom: SeededNewsroom;
let server: RunningServer;
let without: RunningServer;
let file: StoryFile;
let storySets: StorySets;
let stories: Story[];
const revocations = new Revocations({ clock: systemClock });
const identityOf = (name: string): Identity => ({
  userId: name,
  name,
  role: 'reader',
  scopes: scopesOf('reader'),
  expiresAt: Date.now() + 10 * MINUTE,
  credential: 'token',
  id: name,
});
const authenticator: Authenticator = {
  authenticate: async ({ authorization }) =>
    authorization === undefined
      ? { kind: 'guest' }
      : { kind: 'known', identity: identityOf(authorization.slice('Bearer '.length)) },
};

const SET = { name: 'hackernews', title: 'Hacker News', comments: 'http://hn.example/item?id=' };

beforeAll(async () => {
  const clock = systemClock;
  file = StoryFile.open(':memory:', clock);
  const store = await file.storeOf('hackernews');
  stories = sampleStories(1200, Date.now() - MINUTE, 6);
  await store.upsert(stories.map((one) => ({ story: one })));
  const times = { Day: 30 * MINUTE, Week: DAY, Month: DAY, Year: DAY, All: DAY };
  const lists = new StoryLists({ store, clock, timesToLive: times, size: 2000 });
  const reader = new StoryReader({ set: 'hackernews', store, lists, clock });
  const work = () => Promise.reject(new Error('no worker here'));
  storySets = new StorySets({
    sets: [{ ...SET, store, lists, reader, sync: work }],
    pageSize: 30,
    clock,
    measure: async (some) => ({ value: await some(), used: { reads: 0, writes: 0 } }),
  });
  newsroom = await seedNewsroom({ drops: 1 });
  const csrf = csrfKey(new Uint8Array(32).fill(7));
  const auth = { authenticator, csrf, revocations, guests: true };
  const options = { host: '127.0.0.1', port: 0, log: silentLogger, auth };
  server = await startServer({ ...options, newsroom: { ...newsroom, stories: storySets } });
  without = await startServer({ ...options, newsroom });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await without[Symbol.asyncDispose]();
  await revocations[Symbol.asyncDispose]();
  await newsroom[Symbol.asyncDispose]();
  await file[Symbol.asyncDispose]();
});

const ask = (path: string, who?: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${server.url}/api/v1${path}`, {
    ...init,
    headers: {
      ...(who === undefined ? {} : { authorization: `Bearer ${who}` }),
      ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...init.headers,
    },
  });
const send = (method: string, path: string, body: unknown, who?: string): Promise<Response> =>
  ask(path, who, { method, body: typeof body === 'string' ? body : JSON.stringify(body) });
// biome-ignore lint/suspicious/noExplicitAny: answers are compared by their shape
const json = async (path: string, who?: string): Promise<any> => (await ask(path, who)).json();
const idsOf = (body: { stories: { id: number }[] }): number[] => body.stories.map(({ id }) => id);

describe('GET /api/v1/stories', () => {
  it('E7 returns a page of a timespan, of the default size or up to 500', async () => {
    const order = expectedBest(stories, null, 2000);
    const body = await json('/stories?timespan=All');
    expect(idsOf(body)).toEqual(order.slice(0, 30));
    expect(Object.keys(body.stories[0]).sort()).toEqual(
      ['by', 'descendants', 'id', 'score', 'time', 'title', 'url'].sort(),
    );
    expect(idsOf(await json('/stories?timespan=All&limit=500&skip=100'))).toEqual(order.slice(100, 600));
    expect(await json('/stories/sets')).toEqual({ sets: [SET] });
  });

  it('E7 pages by token to the end', async () => {
    const seen: number[] = [];
    for (let page = ''; ; ) {
      const body = await json(`/stories?timespan=Week&limit=400${page}`);
      seen.push(...idsOf(body));
      if (body.next === null) break;
      page = `&page=${body.next}`;
    }
    expect(seen).toEqual(expectedBest(stories, null, 2000));
  });

  it.each([
    ['timespan=Moon', 'timespan', 'must be one of Day, Week, Month, Year, All'],
    ['timespan=day', 'timespan', 'must be one of Day, Week, Month, Year, All'],
    ['limit=501', 'limit', 'must be a whole number from 1 to 500'],
    ['limit=0', 'limit', 'must be a whole number from 1 to 500'],
    ['limit=ten', 'limit', 'must be a whole number from 1 to 500'],
    ['skip=-1', 'skip', 'must be a whole number from 0 to 10000'],
    ['skip=10001', 'skip', 'must be a whole number from 0 to 10000'],
    ['page=nonsense', 'page', 'is not from an earlier answer about this list'],
    ['since=5', 'since', 'is not a known field'],
  ])('E7 %s is rejected with the accepted values', async (query, field, detail) => {
    const answer = await ask(`/stories?${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ field, detail }] });
  });

  it('E7 a list has an ETag, and 304 is answered for it', async () => {
    const first = await ask('/stories?timespan=Week&limit=5');
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/".+"$/);
    const again = await ask('/stories?timespan=Week&limit=5', undefined, {
      headers: { 'if-none-match': tag },
    });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    const other = await ask('/stories?timespan=Week&limit=6', undefined, {
      headers: { 'if-none-match': tag },
    });
    expect(other.status).toBe(200);
    const [set] = storySets.sets;
    await set?.store.upsert([{ story: sampleStory(99_999, { time: Date.now(), score: 1_000_000 }) }]);
    const changed = await ask('/stories?timespan=Week&limit=5', undefined, {
      headers: { 'if-none-match': tag },
    });
    expect(changed.status).toBe(200);
    await set?.store.remove([99_999]);
  });

  it('E15 lists the known sets when an unknown one is requested', async () => {
    const answer = await ask('/stories?set=evening');
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('there are hackernews') });
  });

  it('there are no sets if stories are not enabled', async () => {
    const answer = await fetch(`${without.url}/api/v1/stories/sets`);
    expect(await answer.json()).toEqual({ sets: [] });
    expect((await fetch(`${without.url}/api/v1/stories`)).status).toBe(404);
  });
});

describe('/api/v1/hidden', () => {
  it('E3 E11 a hidden story is hidden for this user only, in every form of the request', async () => {
    const order = expectedBest(stories, null, 2000);
    const [a = 0, b = 0, c = 0, ...rest] = order;
    for (const body of [{ id: a }, { id: a }, { ids: [b, c, b], set: 'hackernews' }])
      expect((await send('POST', '/hidden', body, 'ann')).status).toBe(204);
    expect(idsOf(await json('/stories?timespan=All&limit=5', 'ann'))).toEqual(rest.slice(0, 5));
    expect(idsOf(await json('/stories?timespan=All&limit=5'))).toEqual(order.slice(0, 5));
    expect(idsOf(await json('/stories?timespan=All&limit=5', 'bob'))).toEqual(order.slice(0, 5));
    const { hidden } = await json('/hidden', 'ann');
    expect(new Set(hidden.map(({ id }: { id: number }) => id))).toEqual(new Set([a, b, c]));
    expect((await ask(`/hidden/${a}?set=hackernews`, 'ann', { method: 'DELETE' })).status).toBe(204);
    expect((await ask(`/hidden/${a}`, 'ann', { method: 'DELETE' })).status).toBe(204);
    expect((await send('DELETE', '/hidden', { ids: [b, c] }, 'ann')).status).toBe(204);
    expect(idsOf(await json('/stories?timespan=All&limit=5', 'ann'))).toEqual(order.slice(0, 5));
  });

  it('E3 pages through hidden stories', async () => {
    const ids = Array.from({ length: 25_000 }, (_, n) => 1_000_000 + n);
    expect((await send('POST', '/hidden', { ids }, 'carl')).status).toBe(204);
    const seen: number[] = [];
    for (let after = ''; ; ) {
      const { hidden, next } = await json(`/hidden?limit=10000${after}`, 'carl');
      seen.push(...hidden.map(({ id }: { id: number }) => id));
      if (next === null) break;
      after = `&after=${next}`;
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(ids);
  });

  it.each([
    [{ id: -1 }],
    [{ id: 1.5 }],
    [{ id: '1' }],
    [{ id: 2 ** 53 }],
    [{ ids: [1, null] }],
    [{ ids: 7 }],
    [{}],
    ['not json'],
    [[1, 2]],
  ])('E3 %j is refused, and nothing is hidden', async (body) => {
    expect((await send('POST', '/hidden', body, 'dora')).status).toBe(400);
    expect((await json('/hidden', 'dora')).hidden).toEqual([]);
  });

  it('E3 requires a signed-in user', async () => {
    expect((await ask('/hidden')).status).toBe(401);
    expect((await send('POST', '/hidden', { id: 1 })).status).toBe(401);
    expect((await ask('/hidden/1', undefined, { method: 'DELETE' })).status).toBe(401);
    expect((await ask('/hidden/-1', 'ann', { method: 'DELETE' })).status).toBe(400);
    expect((await ask('/hidden/x', 'ann', { method: 'DELETE' })).status).toBe(400);
  });
});
