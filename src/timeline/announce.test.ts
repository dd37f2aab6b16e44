import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteSocialStore } from '../social/sqlite/sqlite-social-store.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { announceWaiting } from './announce.ts';
import { announcing } from './announcing-store.ts';
import type { DropEvent, EventLog } from './event-log.ts';

/** Does all that is announced, in a program of its own that is killed after the change is stored and before it is told. */
const KILLED = `
  const [path, what, ...ids] = process.argv.slice(1);
  const { SqliteSocialStore } = await import('${new URL('../social/sqlite/sqlite-social-store.ts', import.meta.url)}');
  const { announcing } = await import('${new URL('./announcing-store.ts', import.meta.url)}');
  const { systemClock: clock } = await import('${new URL('../time/clock.ts', import.meta.url)}');
  const store = SqliteSocialStore.open({ path, clock });
  const log = { append: () => process.kill(process.pid, 'SIGKILL') };
  const told = announcing(store, log);
  if (what === 'post') await told.post({ userId: ids[0], visibility: 'public', text: 'last words' });
  else await told[what](...ids);
`;

describe('what a killed program did not announce', () => {
  let folder: string;
  let path: string;
  let clock: ManualClock;
  let store: SqliteSocialStore;
  let told: DropEvent[];
  let away: boolean;
  const log: Pick<EventLog, 'append'> = {
    async append(event) {
      if (away) throw new Error('away');
      told.push(event);
    },
  };
  const events = log as EventLog;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kawaraban-announce-'));
    path = join(folder, 'social.db');
    clock = new ManualClock();
    store = SqliteSocialStore.open({ path, clock });
    told = [];
    away = false;
  });
  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const killedWhile = async (...what: readonly string[]): Promise<void> => {
    const args = ['--input-type=module', '-e', KILLED, path, ...what];
    const program = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    expect(await once(program, 'exit')).toEqual([null, 'SIGKILL']);
  };
  const start = async (): Promise<void> => {
    const stop = new AbortController();
    const done = announceWaiting(store, events, { clock, log: silentLogger }, stop.signal);
    await expect.poll(() => clock.sleeping).toBeGreaterThan(0);
    stop.abort();
    await done;
  };

  it('C12 is announced at the next start, in order and once', async () => {
    const [ann, ben] = [await person('ann'), await person('ben')];
    const { drop } = await store.post({ userId: ben, visibility: 'public', text: 'first' });
    await store.unannounced.announced({ kind: 'posted', dropId: drop.id });
    await killedWhile('follow', ann, ben);
    await killedWhile('deleteDrop', drop.id);
    await killedWhile('post', ben);
    await killedWhile('unfollow', ann, ben);
    await start();
    const [last] = await store.getDropsByUserId(ben, { limit: 1 });
    expect(told).toEqual([
      { type: 'followed', user_id: ann, author_id: ben },
      { type: 'drop_deleted', drop_id: drop.id, user_id: ben },
      expect.objectContaining({ type: 'drop_created', drop_id: last?.id, user_id: ben }),
      { type: 'unfollowed', user_id: ann, author_id: ben },
    ]);
    await start();
    expect(told).toHaveLength(4);
  }, 240_000);

  it('C12 is tried again every minute while the log of events is away', async () => {
    const ann = await person('ann');
    away = true;
    const post = announcing(store, events).post({ userId: ann, visibility: 'public', text: 'x' });
    await expect(post).rejects.toThrow('away');
    const stop = new AbortController();
    const done = announceWaiting(store, events, { clock, log: silentLogger }, stop.signal);
    await expect.poll(() => clock.sleeping).toBe(1);
    expect(told).toEqual([]);
    away = false;
    await clock.advance(MINUTE);
    await expect.poll(() => told.length).toBe(1);
    stop.abort();
    await done;
  });

  it('is nothing where everything was announced', async () => {
    const [ann, ben] = [await person('ann'), await person('ben')];
    const social = announcing(store, events);
    await social.follow(ann, ben);
    const { drop } = await social.post({ userId: ben, visibility: 'public', text: 'x' });
    await social.deleteDrop(drop.id);
    await social.block(ann, ben);
    expect(told.map(({ type }) => type)).toEqual(['followed', 'drop_created', 'drop_deleted', 'unfollowed']);
    expect(await store.unannounced.waiting()).toEqual([]);
  });

  const person = async (name: string): Promise<string> =>
    (await store.addUser({ name, displayName: name, kind: 'person' })).id;
});
