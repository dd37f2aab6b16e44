import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { sourceCatalogueContract } from '../../sources/contract/source-catalogue-store.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { SqliteSourceCatalogueStore } from './source-catalogue-store.ts';
import { SOURCE_MIGRATIONS, SqliteSourceStore } from './source-store.ts';

/** Sleeps for a moment only. */
const quickClock: Pick<Clock, 'sleep'> = { sleep: (_, signal) => systemClock.sleep(1, signal) };

sourceCatalogueContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kawaraban-catalogue-'));
  const open = (): SqliteSourceCatalogueStore => {
    const store = new SqliteSourceCatalogueStore(join(folder, 'sources.db'), quickClock);
    stores.push(store);
    return store;
  };
  const stores: SqliteSourceCatalogueStore[] = [];
  return {
    store: open(),
    reopen: async () => open(),
    dispose: async () => {
      for (const store of stores) await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
});

it('X17 a file of the version before keeps its source states', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kawaraban-catalogue-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'sources.db');
  const db = new DatabaseSync(path);
  for (const { version, sql } of SOURCE_MIGRATIONS.slice(0, 2))
    db.exec(`PRAGMA user_version = ${version}; ${sql}`);
  db.exec("INSERT INTO sources (source_id, memory, items_seen) VALUES ('herald', '{}', 7)");
  db.close();
  const catalogue = new SqliteSourceCatalogueStore(path);
  const records = new SqliteSourceStore(path);
  expect(await catalogue.list()).toEqual([]);
  expect(await records.list()).toMatchObject([{ sourceId: 'herald', itemsSeen: 7 }]);
  await Promise.all([catalogue, records].map((store) => store[Symbol.asyncDispose]()));
});

it('R2 a record that cannot be read has empty settings', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kawaraban-catalogue-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'sources.db');
  const opened = new SqliteSourceCatalogueStore(path);
  const db = new DatabaseSync(path);
  db.exec("INSERT INTO source_catalogue VALUES ('broken', 3, '{not json')");
  db.close();
  expect(await opened.list()).toMatchObject([{ id: 'broken', version: 3, settings: {} }]);
  await opened[Symbol.asyncDispose]();
});
