import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../telemetry/logger.ts';
import { MINUTE } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { Change } from '../../timelines/change-feed.ts';
import { describeChangeFeed } from '../../timelines/contract/change-feed-contract.ts';
import { openDatabase } from './database.ts';
import { SOCIAL_MIGRATIONS } from './social-migrations.ts';
import { SqliteSocialStore } from './social-store.ts';

let folder: string;
let path: string;
let clock: ManualClock;
const opened: SqliteSocialStore[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kawaraban-changes-'));
  path = join(folder, 'social.db');
  clock = new ManualClock();
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const open = (): SqliteSocialStore => {
  const store = SqliteSocialStore.open({ path, clock });
  opened.push(store);
  return store;
};

describeChangeFeed('SQLite', async () => ({
  feed: open().changes,
  another: async () => open().changes,
  passTime: (ms) => clock.advance(ms),
  async [Symbol.asyncDispose]() {},
}));

/** Runs a change in a process that is killed as soon as it is stored. */
const KILLED = `
  const [path, what, ...ids] = process.argv.slice(1);
  const { SqliteSocialStore } = await import('${new URL('./social-store.ts', import.meta.url)}');
  const { systemClock: clock } = await import('${new URL('../../time/clock.ts', import.meta.url)}');
  const store = SqliteSocialStore.open({ path, clock });
  if (what === 'post') await store.post({ userId: ids[0], visibility: 'public', text: 'last words' });
  else await store[what](...ids);
  process.kill(process.pid, 'SIGKILL');
`;

describe('the changes of a SQLite social store', () => {
  /** Relays until the end of the test. */
  const relay = (store: SqliteSocialStore, durable: boolean) => {
    const taken: Change[] = [];
    const stopping = new AbortController();
    const accept = async ({ change }: { readonly change: Change }): Promise<void> => void taken.push(change);
    const running = store.changes.relay({ durable, log: silentLogger, accept }, stopping.signal);
    return {
      taken,
      async [Symbol.asyncDispose]() {
        stopping.abort();
        await running;
      },
    };
  };
  const person = async (store: SqliteSocialStore, name: string): Promise<string> =>
    (await store.addUser({ name, displayName: name, kind: 'person' })).id;
  const rows = (): number => {
    const db = new DatabaseSync(path);
    const { n } = db.prepare('SELECT count(*) AS n FROM changes').get() as { n: number };
    db.close();
    return n;
  };
  const killedWhile = async (...what: readonly string[]): Promise<void> => {
    const args = ['--input-type=module', '-e', KILLED, path, ...what];
    const program = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    expect(await once(program, 'exit')).toEqual([null, 'SIGKILL']);
  };

  it('C12 changes of a killed process are relayed by the next one, once and in order', async () => {
    const store = open();
    const [ann, ben] = [await person(store, 'ann'), await person(store, 'ben')];
    const { drop } = await store.post({ userId: ben, visibility: 'public', text: 'first' });
    await killedWhile('follow', ann, ben);
    await killedWhile('deleteDrop', drop.id);
    await killedWhile('post', ben);
    await killedWhile('unfollow', ann, ben);
    await using started = relay(open(), true);
    await expect.poll(() => started.taken.length).toBe(5);
    const [last] = await store.getDropsByUserId(ben, { limit: 1 });
    expect(started.taken).toEqual([
      expect.objectContaining({ type: 'drop_created', drop_id: drop.id }),
      { type: 'followed', user_id: ann, author_id: ben },
      { type: 'drop_deleted', drop_id: drop.id, user_id: ben },
      expect.objectContaining({ type: 'drop_created', drop_id: last?.id, user_id: ben }),
      { type: 'unfollowed', user_id: ann, author_id: ben },
    ]);
    await expect.poll(rows).toBe(0);
  }, 240_000);

  it('C6 changes of another process reach in-memory timelines, from the opening of the store on', async () => {
    const theirs = open();
    const [ann, ben] = [await person(theirs, 'ann'), await person(theirs, 'ben')];
    await theirs.post({ userId: ben, visibility: 'public', text: 'before' });
    const ours = open();
    await using running = relay(ours, false);
    await using other = relay(theirs, false);
    await theirs.follow(ann, ben);
    const { drop } = await theirs.post({ userId: ben, visibility: 'followers', text: 'after' });
    await theirs.deleteDrop(drop.id);
    await theirs.block(ben, ann);
    await clock.advance(300);
    const expected = [
      { type: 'followed', user_id: ann, author_id: ben },
      expect.objectContaining({ type: 'drop_created', drop_id: drop.id, visibility: 'followers' }),
      { type: 'drop_deleted', drop_id: drop.id, user_id: ben },
      { type: 'unfollowed', user_id: ann, author_id: ben },
    ];
    await expect.poll(() => running.taken).toEqual(expected);
    expect(other.taken.slice(1)).toEqual(expected);
  });

  it('C26 a request to clear timelines reaches the other processes and not the one that made it', async () => {
    const [ours, theirs] = [open(), open()];
    await using running = relay(ours, false);
    await using other = relay(theirs, false);
    const request = { type: 'clear_timelines', timelines: ['timeline:local'], rebuild: true } as const;
    await theirs.changes.append(request);
    await theirs.changes.append({ type: 'ap_drop_received', drop_id: 'r', created_at: 1 });
    await clock.advance(300);
    await expect.poll(() => running.taken).toMatchObject([request, { drop_id: 'r' }]);
    expect(other.taken).toMatchObject([{ drop_id: 'r' }]);
  });

  it('has no entries for changes without effect', async () => {
    const store = open();
    const ann = await person(store, 'ann');
    await store.follow(ann, ann);
    await store.unfollow(ann, 'unknown');
    await store.deleteDrop('nothing');
    await expect(store.post({ userId: 'unknown', visibility: 'public', text: 'x' })).rejects.toThrow();
    expect(rows()).toBe(0);
  });

  it('keeps rows for other processes for some minutes only', async () => {
    const store = open();
    await using running = relay(store, false);
    const ann = await person(store, 'ann');
    const post = async (): Promise<void> => {
      await store.post({ userId: ann, visibility: 'public', text: 'x' });
    };
    for (let n = 0; n < 20; n++) await post();
    await expect.poll(() => running.taken.length).toBe(20);
    expect(rows()).toBe(20);
    await clock.advance(11 * MINUTE);
    await post();
    await expect.poll(rows).toBe(1);
  });

  it('X17 C12 changes that an earlier version had not relayed are relayed, except deleted drops', async () => {
    const [ann, ben] = ['0190a000-0000-7000-8000-000000000001', '0190a000-0000-7000-8000-000000000002'];
    const db = openDatabase(path, { name: 'it', migrations: SOCIAL_MIGRATIONS.slice(0, 5) });
    const unannounced = [
      { kind: 'followed', userId: ann, authorId: ben },
      { kind: 'posted', dropId: 'd1' },
      { kind: 'posted', dropId: 'gone' },
      { kind: 'deleted', dropId: 'gone', userId: ben },
      { kind: 'unfollowed', userId: ann, authorId: ben },
    ];
    db.exec(`
      INSERT INTO users VALUES ('${ann}', 'ann', 'Ann', 'person', 1), ('${ben}', 'ben', 'Ben', 'person', 2);
      INSERT INTO drops (id, user_id, visibility, created_at, text, deleted_at)
        VALUES ('d1', '${ben}', 'followers', 4, 'said', NULL), ('gone', '${ben}', 'public', 5, '', 6);`);
    const insert = db.prepare('INSERT INTO unannounced (change, notice) VALUES (?, ?)');
    for (const [n, change] of unannounced.entries()) insert.run(`${n}`, JSON.stringify(change));
    db.close();
    await using started = relay(open(), true);
    await expect
      .poll(() => started.taken)
      .toEqual([
        { type: 'followed', user_id: ann, author_id: ben },
        { type: 'drop_created', drop_id: 'd1', user_id: ben, visibility: 'followers', created_at: 4 },
        { type: 'drop_deleted', drop_id: 'gone', user_id: ben },
        { type: 'unfollowed', user_id: ann, author_id: ben },
      ]);
  });
});
