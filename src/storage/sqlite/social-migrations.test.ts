import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../time/manual-clock.ts';
import { openDatabase } from './database.ts';
import { SOCIAL_MIGRATIONS } from './social-migrations.ts';
import { SqliteSocialStore } from './social-store.ts';

const ANN = '0190a000-0000-7000-8000-000000000001';
const DAILY = '0190a000-0000-7000-8000-000000000002';
const DROP = '0190a000-0000-7000-8000-000000000003';

describe('the social store of an earlier program', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-social-'));
    path = join(folder, 'social.db');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A file of an earlier version. */
  function leave(version: number): void {
    const db = openDatabase(path, { name: 'it', migrations: SOCIAL_MIGRATIONS.slice(0, version) });
    db.exec(`
      INSERT INTO users VALUES ('${ANN}', 'ann', 'Ann', 'person', 1), ('${DAILY}', 'daily', 'Daily', 'pipeline', 2);
      INSERT INTO follows VALUES ('${ANN}', '${DAILY}', 3);
      INSERT INTO drops (id, user_id, visibility, created_at, text, dedupe_key)
        VALUES ('${DROP}', '${DAILY}', 'public', 4, 'text', 'once');`);
    if (version >= 2) db.exec(`INSERT INTO blocks VALUES ('${DAILY}', '${ANN}', 5)`);
    db.close();
  }

  function inspect<T>(work: (db: DatabaseSync) => T): T {
    const db = new DatabaseSync(path);
    try {
      return work(db);
    } finally {
      db.close();
    }
  }
  const schema = (db: DatabaseSync): unknown =>
    db.prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name").all();

  for (const { version } of SOCIAL_MIGRATIONS.slice(0, -1))
    it(`X17 a file of version ${version} keeps its users, follows and drops`, async () => {
      leave(version);
      const store = SqliteSocialStore.open({ path, clock: new ManualClock() });
      expect((await store.listUsers()).map(({ name, kind }) => [name, kind])).toEqual([
        ['ann', 'person'],
        ['daily', 'pipeline'],
      ]);
      expect(await store.getFollowersPage(DAILY, { limit: 1000 })).toEqual([ANN]);
      expect(await store.getBlockedList(DAILY)).toEqual(version >= 2 ? [ANN] : []);
      expect((await store.getDrops([DROP]))[0]).toMatchObject({ text: 'text', userId: DAILY });
      const again = { userId: DAILY, visibility: 'public', text: 'text', dedupeKey: 'once' } as const;
      expect(await store.post(again)).toMatchObject({ created: false });
      expect(await store.addUser({ name: 'wire', displayName: 'Wire', kind: 'source' })).toMatchObject({
        kind: 'source',
      });
      await store[Symbol.asyncDispose]();

      expect(inspect((db) => db.prepare('PRAGMA foreign_key_check').all())).toEqual([]);
      const migrated = inspect(schema);
      path = join(folder, 'fresh.db');
      await SqliteSocialStore.open({ path, clock: new ManualClock() })[Symbol.asyncDispose]();
      expect(migrated).toEqual(inspect(schema));
    });

  it('X17 foreign keys are enforced again after the migration', () => {
    leave(1);
    const db = openDatabase(path, { name: 'it', migrations: SOCIAL_MIGRATIONS });
    expect(() => db.exec(`INSERT INTO follows VALUES ('${ANN}', 'unknown', 1)`)).toThrow(/FOREIGN KEY/);
    db.exec(`DELETE FROM drops; DELETE FROM users WHERE id = '${DAILY}'`);
    expect(db.prepare('SELECT count(*) AS n FROM follows').get()).toEqual({ n: 0 });
    db.close();
  });
});
