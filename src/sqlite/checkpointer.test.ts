import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Checkpointer } from './checkpointer.ts';
import { Connection } from './connection.ts';
import { openDatabase } from './database.ts';

const MIGRATIONS = [{ version: 1, sql: 'CREATE TABLE a (x INTEGER PRIMARY KEY, y TEXT)' }];
const PAGE = 'x'.repeat(3000);

vi.setConfig({ testTimeout: 60_000 });

describe('the copying of the log', () => {
  let folder: string;
  const open: AsyncDisposable[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-checkpointer-'));
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  function connect(name: string): Connection {
    const path = join(folder, name);
    const db = new Connection(openDatabase(path, { name, migrations: MIGRATIONS }), path);
    open.push(db);
    return db;
  }
  /** Pages in the log, and those of them that are in the file too. */
  function log(db: Connection): { pages: number; copied: number } {
    const found = db.get('PRAGMA wal_checkpoint(NOOP)');
    return { pages: Number(found?.log), copied: Number(found?.checkpointed) };
  }
  async function write(db: Connection, rows: number): Promise<void> {
    for (let n = 0; n < rows; n++)
      await db.write(() => db.run('INSERT INTO a (y) VALUES (?)', `${PAGE}${n}`));
  }

  it('begins when the log is long, for each file, and is done elsewhere', async () => {
    const [one, two] = [connect('one.db'), connect('two.db')];
    await write(one, 40);
    expect(log(one).copied).toBe(0);
    await Promise.all([write(one, 4500), write(two, 4500)]);
    await expect.poll(() => log(one).copied, { timeout: 30_000 }).toBeGreaterThan(3000);
    await expect.poll(() => log(two).copied, { timeout: 30_000 }).toBeGreaterThan(3000);
  });

  it('lets go of a file that is closed, while it goes on for another', async () => {
    const [one, two] = [connect('one.db'), connect('two.db')];
    await Promise.all([write(one, 4500), write(two, 4500)]);
    await one[Symbol.asyncDispose]();
    // Whoever has it open last takes the log away.
    expect(existsSync(join(folder, 'one.db-wal'))).toBe(false);
    await write(two, 4500);
    await expect.poll(() => log(two).copied, { timeout: 30_000 }).toBeGreaterThan(4000);
    const alone = new DatabaseSync(join(folder, 'one.db'));
    expect(alone.prepare('SELECT count(*) AS n FROM a').get()).toMatchObject({ n: 4500 });
    alone.close();
  });

  it('survives a file that cannot be opened', async () => {
    const lost = new Checkpointer(join(folder, 'no', 'such', 'folder.db'));
    lost.ask();
    const db = connect('one.db');
    await write(db, 4500);
    await expect.poll(() => log(db).copied, { timeout: 30_000 }).toBeGreaterThan(3000);
    await lost[Symbol.asyncDispose]();
  });
});
