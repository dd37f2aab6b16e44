import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR, SECOND } from '../../src/time/duration.ts';
import { ManualClock } from '../../src/time/manual-clock.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import type { HackerNewsItem } from './item.ts';

const clock = new ManualClock(Date.UTC(2026, 5, 1, 12));
let sim: Simulator;

beforeAll(async () => {
  sim = await startSimulator({ clock });
});

afterAll(async () => {
  await sim[Symbol.asyncDispose]();
});

async function get<T>(name: string): Promise<T> {
  return (await (await fetch(`${sim.urls.hackernews}/v0/${name}.json`)).json()) as T;
}

/** The latest items, gaps included. */
function latest(count: number): (HackerNewsItem | null)[] {
  const max = sim.hackernews.maxItem(clock.now());
  return Array.from({ length: count }, (_, back) => sim.hackernews.item(max - back, clock.now()));
}

describe('Hacker News', () => {
  it('has a page of comments for each item', async () => {
    const story = latest(200).find((item) => item?.type === 'story' && item.title !== undefined);
    const answer = await fetch(`${sim.urls.hackernews}/item?id=${story?.id}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('The simulated Hacker News');
    expect((await fetch(`${sim.urls.hackernews}/item?id=0`)).status).toBe(404);
  });

  it('counts up, and has no items of the future', async () => {
    const max = await get<number>('maxitem');
    expect(await get('item/999999999999')).toBeNull();
    expect(await get(`item/${max + 1}`)).toBeNull();
    clock.jump(30 * SECOND);
    expect(await get('maxitem')).toBe(max + 1);
  });

  it('has stories, comments, jobs, polls, gaps, and deleted, dead and half-empty ones', () => {
    const items = latest(2000);
    const has = (test: (item: HackerNewsItem) => unknown): boolean =>
      items.some((item) => item !== null && test(item));
    expect(items).toContain(null);
    for (const type of ['story', 'comment', 'job', 'poll'])
      expect(has((item) => item.type === type)).toBe(true);
    expect(has((item) => item.deleted && item.title === undefined)).toBe(true);
    expect(has((item) => item.dead)).toBe(true);
    for (const field of ['by', 'title', 'score', 'time', 'url'] as const) {
      expect(has((item) => item.type === 'story' && !item.deleted && item[field] === undefined)).toBe(true);
    }
    expect(has((item) => item.title?.startsWith('Ask HN') && item.url === undefined)).toBe(true);
  });

  it('answers for its first items too, which are older than any article', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => n + 1);
    const answers = await Promise.all(ids.map((id) => fetch(`${sim.urls.hackernews}/v0/item/${id}.json`)));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('lists new, top and best stories, and what changed', async () => {
    const fresh = await get<number[]>('newstories');
    expect(fresh).toHaveLength(500);
    expect(fresh).toEqual([...fresh].sort((a, b) => b - a));
    const best = await get<number[]>('beststories');
    expect(best).toHaveLength(200);
    const scores = best.map((id) => sim.hackernews.item(id, clock.now())?.score ?? 0);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(await get<number[]>('topstories')).toHaveLength(500);
    const updates = await get<{ items: number[]; profiles: string[] }>('updates');
    expect(updates.items.length).toBeGreaterThan(10);
    expect(updates.profiles.length).toBeGreaterThan(0);
  });

  it('lets scores grow, and links to pages that are there', async () => {
    const [id = 0] = await get<number[]>('beststories');
    const before = await get<HackerNewsItem>(`item/${id}`);
    clock.jump(6 * HOUR);
    const after = await get<HackerNewsItem>(`item/${id}`);
    expect(after.score).toBeGreaterThan(before.score ?? 0);
    expect(after).toMatchObject({ id, title: before.title, time: before.time });
    const linked = latest(200).find((item) => item?.url !== undefined);
    expect((await fetch(linked?.url ?? '')).status).toBe(200);
  });

  it('serves what a test sets', async () => {
    sim.hackernews.set(4_294_967_296, { id: 4_294_967_296, type: 'story', title: 'Large' });
    expect(await get('item/4294967296')).toMatchObject({ title: 'Large' });
    expect(await get('maxitem')).toBe(4_294_967_296);
    sim.hackernews.set(1, null);
    expect(await get('item/1')).toBeNull();
  });

  it('refuses other paths as Firebase does', async () => {
    const answer = await fetch(`${sim.urls.hackernews}/v0/secrets.json`);
    expect([answer.status, await answer.json()]).toEqual([401, { error: 'Permission denied' }]);
    const pretty = await fetch(`${sim.urls.hackernews}/v0/updates.json?print=pretty`);
    expect(await pretty.text()).toContain('{\n  "items"');
  });
});
