import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../app/app.ts';
import { loadConfig } from '../../config/config.ts';
import type { Drop, User } from '../../social/social-store.ts';
import { SqliteSocialStore } from '../../storage/sqlite/social-store.ts';
import { systemClock } from '../../time/clock.ts';
import { homeTimeline } from '../../timelines/timeline-store.ts';
import { type CliOutput, cli as run } from '../cli.fixture.ts';
import { loadApp } from '../command.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'kawaraban-timeline-cli-'));
  writeFileSync(join(cwd, 'kawaraban.yaml'), 'timelines: {}\nserver: { port: 0 }\n');
});
afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

const cli = (...args: string[]): Promise<CliOutput> => run(args, { cwd });
async function json<T>(...args: string[]): Promise<T> {
  const result = await cli(...args, '--json');
  expect(result.code, result.err).toBe(0);
  return JSON.parse(result.out) as T;
}
const post = async (as: string, text: string): Promise<Drop> =>
  (await json<{ drop: Drop }>('drop', 'post', text, '--as', as)).drop;

describe('C26 timelines from the command line', () => {
  it('C26 shows the state of one user’s timeline', async () => {
    const ann = await json<User>('users', 'add', 'ann', '--display-name', 'Ann of the Hill');
    await json('users', 'add', 'daily', '--kind', 'pipeline');
    await json('users', 'follow', 'ann', 'daily');
    const first = await post('daily', 'one');
    const second = await post('daily', 'two');
    const state = await json<{ newest: Drop[] }>('timeline', 'show', 'ann');
    expect(state).toMatchObject({ user: ann, following: 1, followers: 0, blocked: 0 });
    expect(state.newest.map(({ id }) => id)).toEqual([second.id, first.id]);
    const shown = await cli('timeline', 'show', 'ann', '--limit', '1');
    expect(shown.out).toContain('Ann of the Hill (ann, person)');
    expect(shown.out).toContain('two');
    expect(shown.out).not.toContain('one');
    expect((await cli('drop', 'delete', second.id)).out).toBe('Deleted.\n');
    expect((await json<{ newest: Drop[] }>('timeline', 'show', 'ann')).newest).toHaveLength(1);
  });

  it('lists sources among the users, lets people follow them, and creates none by hand', async () => {
    await json('users', 'add', 'ann');
    const store = SqliteSocialStore.open({ path: join(cwd, 'data', 'social.db'), clock: systemClock });
    await store.addUser({ name: 'wire', displayName: 'The Wire', kind: 'source' });
    await store[Symbol.asyncDispose]();
    expect((await cli('users', 'list')).out).toMatch(/wire +The Wire +source/);
    expect((await cli('users', 'follow', 'ann', 'wire')).out).toBe('ann follows wire.\n');
    const refused = await cli('users', 'add', 'herald', '--kind', 'source');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('person, pipeline') });
  });

  it('blocks in both directions, and reports why a user cannot be followed', async () => {
    for (const name of ['ann', 'ben']) await json('users', 'add', name);
    await json('users', 'follow', 'ann', 'ben');
    expect((await cli('users', 'block', 'ben', 'ann')).out).toBe('ben has blocked ann.\n');
    await post('ben', 'not for ann');
    expect((await json<{ newest: Drop[] }>('timeline', 'show', 'ann')).newest).toEqual([]);
    const refused = await cli('users', 'follow', 'ann', 'ben');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('has blocked the other') });
    expect(await json('users', 'unblock', 'ben', 'ann')).toMatchObject({ changed: true });
    expect((await cli('users', 'unfollow', 'ann', 'ben')).out).toContain('Nothing changed');
    expect((await cli('users', 'list')).out).toMatch(/ann .*person.*ben/s);
  });

  it('posts an idempotency key once', async () => {
    await json('users', 'add', 'ann');
    const once = (text: string) =>
      json<{ drop: Drop; created: boolean }>('drop', 'post', text, '-a', 'ann', '--once', 'k');
    const first = await once('a');
    expect(await once('b')).toEqual({ drop: first.drop, created: false });
  });

  it.each([
    [['drop', 'post', 'x', '--as', 'unknown'], 66, 'there is no user "unknown"'],
    [['drop', 'post', 'x'], 2, '--as'],
    [['drop', 'post', ' ', '--as', 'ann'], 2, 'a drop needs a text or a title'],
    [['drop', 'post', 'x', '--as', 'ann', '--url', 'javascript:alert(1)'], 2, 'http or https'],
    [['drop', 'delete', 'nothing'], 66, 'there is no drop "nothing"'],
    [['users', 'add', 'two words'], 2, 'cannot be a user'],
    [['users', 'add', 'ann'], 2, 'already'],
    [['users', 'follow', 'ann', 'unknown'], 66, 'there is no user "unknown"'],
    [['timeline', 'show', 'unknown'], 66, 'there is no user "unknown"'],
    [['timeline', 'show', 'ann', '--limit', '0'], 2, '1 to 100'],
    [['timeline', 'clear'], 2, '--all'],
    [['timeline', 'rebuild', 'ann', '--all'], 2, '--all'],
  ])('refuses %j with a sentence', async (args, code, words) => {
    await json('users', 'add', 'ann');
    const result = await cli(...args);
    expect(result.err).toContain(words);
    expect(result.code).toBe(code);
    expect(await json<Drop[]>('users', 'list')).toHaveLength(1);
  });
});

describe('beside a running newsroom', () => {
  let app: App;
  beforeEach(async () => {
    const config = loadConfig(join(cwd, 'kawaraban.yaml'), {});
    if (!config.ok) throw new Error('the configuration is not in order');
    app = await loadApp(config.config);
  });
  afterEach(async () => {
    await app[Symbol.asyncDispose]();
  });

  const home = async (user: User): Promise<string[]> => {
    const answer = await app.newsroom.timelines.page(homeTimeline(user.id));
    return answer.ok ? answer.page.entries.map(({ id }) => id) : [];
  };

  it('C13 posts, follows, blocks and deletions on the command line reach its timelines', async () => {
    const ann = await json<User>('users', 'add', 'ann');
    await json('users', 'add', 'ben');
    expect(await home(ann)).toEqual([]);
    const drop = await post('ben', 'hello');
    await json('users', 'follow', 'ann', 'ben');
    await expect.poll(() => home(ann)).toEqual([drop.id]);
    const local = await app.newsroom.timelines.page('timeline:local');
    expect(local.ok && local.page.entries.map(({ id }) => id)).toEqual([drop.id]);
    const next = await post('ben', 'again');
    await expect.poll(() => home(ann)).toEqual([next.id, drop.id]);
    await cli('drop', 'delete', drop.id);
    await expect.poll(() => home(ann)).toEqual([next.id]);
    await json('users', 'block', 'ann', 'ben');
    await expect.poll(() => home(ann)).toEqual([]);
  });

  it('C26 clears and rebuilds one timeline, or all', async () => {
    const users = [await json<User>('users', 'add', 'ann'), await json<User>('users', 'add', 'ben')];
    for (const user of users) await home(user);
    const kept = () =>
      Promise.all(users.map((user) => app.timelineAdmin.show(user.id, 1).then((s) => s?.kept)));
    const sizes = () => Promise.all(users.map((user) => sizeOf(user)));
    const sizeOf = (user: User) => app.engine.timelines.store.size(homeTimeline(user.id));
    expect(await kept()).toEqual([0, 0]);
    expect((await cli('timeline', 'clear', 'ann')).out).toBe('1 timeline cleared.\n');
    await expect.poll(sizes).toEqual([null, 0]);
    expect((await cli('timeline', 'clear', '--all')).out).toBe('4 timelines cleared.\n');
    await expect.poll(sizes).toEqual([null, null]);
    expect(await json('timeline', 'rebuild', '--all')).toEqual({ rebuilt: 4 });
    await expect.poll(sizes).toEqual([0, 0]);
  });
});
