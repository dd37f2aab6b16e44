import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entryStoreContract } from '../../../reader/contract/entry-store.ts';
import { newEntry, T0 } from '../../../reader/contract/entry-store-subject.ts';
import { DAY } from '../../../time/duration.ts';
import { NewerSchemaError } from '../database.ts';
import { SqliteEntryStore } from './entry-store.ts';

entryStoreContract('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kawaraban-reader-'));
  const opened: SqliteEntryStore[] = [];
  const open = (): SqliteEntryStore => {
    const store = new SqliteEntryStore(join(folder, 'reader.db'));
    opened.push(store);
    return store;
  };
  return {
    store: open(),
    reopen: async () => open(),
    dispose: async () => {
      for (const store of opened) await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
});

describe('the entry store on SQLite', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kawaraban-reader-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('X17 refuses a file that a newer program wrote', () => {
    const db = new DatabaseSync(join(folder, 'reader.db'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(() => new SqliteEntryStore(join(folder, 'reader.db'))).toThrow(NewerSchemaError);
  });

  it('Q6 continues the articles of a program that stored one file of each', async () => {
    const file = join(folder, 'reader.db');
    const recording = { url: 'https://example.org/a.mp3', type: null, lengthBytes: 7, durationSeconds: 61 };
    const entry = newEntry('Episode', { enclosures: [recording] });
    const store = new SqliteEntryStore(file);
    const [added] = await store.add([entry, newEntry('Text')], T0, () => null);
    await store[Symbol.asyncDispose]();
    const db = new DatabaseSync(file);
    // As version 0.2.0 wrote it.
    db.prepare('UPDATE entries SET enclosure = ? WHERE id = ?').run(
      JSON.stringify(recording),
      added?.entry.id ?? 0,
    );
    db.close();
    await using later = new SqliteEntryStore(file);
    expect((await later.get(added?.entry.id ?? 0))?.enclosures).toEqual([recording]);
    expect((await later.add([entry], T0 + 1, () => null))[0]?.outcome).toBe('known');
  });

  it('R7 counts what is stored after a change failed in the middle', async () => {
    await using store = new SqliteEntryStore(join(folder, 'reader.db'));
    await store.add([newEntry('One')], T0, () => null);
    expect(await store.unreadCounts('ann', ['a', 'b'])).toMatchObject({ all: 1 });
    const broken = store.add([newEntry('Two'), newEntry('Three', { sourceId: 'b' })], T0, ({ title }) => {
      if (title === 'Three') throw new Error('no story');
      return null;
    });
    await expect(broken).rejects.toThrow('no story');
    expect(await store.unreadCounts('ann', ['a', 'b'])).toEqual({ all: 1, bySource: { a: 1 } });
    await store.add([newEntry('Four', { sourceId: 'b' })], T0, () => null);
    expect(await store.unreadCounts('ann', ['a', 'b'])).toEqual({ all: 2, bySource: { a: 1, b: 1 } });
  });

  it('R11 keeps the order of arrival of more articles of one time than have a place', async () => {
    await using store = new SqliteEntryStore(join(folder, 'reader.db'));
    const titles = Array.from({ length: 2_100 }, (_, n) => `n${n}`);
    await store.add(
      titles.map((title) => newEntry(title)),
      T0,
      () => null,
    );
    const listed: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await store.list(
        'ann',
        {},
        { order: 'oldest', limit: 200, ...(cursor !== undefined && { cursor }) },
      );
      listed.push(...page.entries.map(({ entry }) => entry.title));
      cursor = page.next;
    }
    expect(listed).toEqual(titles);
  });

  it('R8 R15 removes marks that others contain once they cannot be undone', async () => {
    const path = join(folder, 'reader.db');
    await using store = new SqliteEntryStore(path);
    const limits = { entriesMs: null, textsMs: null, keepPerSource: 0 };
    for (let day = 0; day < 5; day++) {
      await store.add(
        [newEntry(`n${day}`), newEntry(`m${day}`, { sourceId: 'b' })],
        T0 + day * DAY,
        () => null,
      );
      const upTo = await store.newestId();
      await store.change('ann', { kind: 'readAll', upTo, sourceIds: ['a', 'b'] }, T0 + day * DAY);
    }
    await store.add([newEntry('last')], T0 + 5 * DAY, () => null);
    await store.sweep(limits, T0 + 6 * DAY);
    const db = new DatabaseSync(path, { readOnly: true });
    expect(db.prepare('SELECT count(*) AS n FROM marks').get()?.n).toBe(2);
    db.close();
    expect(await store.unreadCounts('ann', ['a', 'b'])).toEqual({ all: 1, bySource: { a: 1 } });
  });
});
