import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeSocialStore } from '../../social/contract/social-store.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { SqliteSocialStore } from './social-store.ts';

describeSocialStore('SQLite', async (clock) => SqliteSocialStore.open({ path: ':memory:', clock }));

describe('the file of the social store', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kawaraban-social-'));
    path = join(folder, 'social.db');
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  it('continues after a restart, with IDs above the newest even when the clock was set back', async () => {
    const clock = new ManualClock();
    const first = SqliteSocialStore.open({ path, clock });
    const user = await first.addUser({ name: 'daily', displayName: 'Daily', kind: 'pipeline' });
    const before = (await first.post({ userId: user.id, visibility: 'public', text: 'one' })).drop;
    await first[Symbol.asyncDispose]();
    clock.jump(-3_600_000);
    const second = SqliteSocialStore.open({ path, clock });
    const after = (await second.post({ userId: user.id, visibility: 'public', text: 'two' })).drop;
    expect(after.id > before.id).toBe(true);
    expect((await second.recentPublic(10)).map((ref) => ref.id)).toEqual([after.id, before.id]);
    await second[Symbol.asyncDispose]();
  });

  it('refuses a file of a newer program and leaves it unchanged', () => {
    const db = new DatabaseSync(path);
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(() => SqliteSocialStore.open({ path, clock: new ManualClock() })).toThrow(/schema 99/);
    const again = new DatabaseSync(path);
    expect(again.prepare('SELECT count(*) AS n FROM sqlite_master').get()?.n).toBe(0);
    again.close();
  });

  it('reports a file that is no database', async () => {
    await writeFile(path, 'this is not a database, it is a letter to my aunt'.repeat(50));
    expect(() => SqliteSocialStore.open({ path, clock: new ManualClock() })).toThrow(/not a database/);
  });
});
