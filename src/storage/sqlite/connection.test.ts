import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Connection, StoreBusyError, StoreError } from './connection.ts';
import { openDatabase } from './database.ts';

const MIGRATIONS = [{ version: 1, about: 'Creates a', sql: 'CREATE TABLE a (x INTEGER PRIMARY KEY)' }];

describe('a connection', () => {
  let folder: string;
  let file: string;
  let db: Connection;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-connection-'));
    file = join(folder, 'a.db');
    const opened = openDatabase(file, { name: 'the test', migrations: MIGRATIONS });
    db = new Connection(opened, file, { busyTimeoutMs: 1, retryTimeoutMs: 200 });
  });
  afterEach(async () => {
    await db[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  const insert = (x: number) => (): number => db.run('INSERT INTO a VALUES (?)', x);
  const count = (): Promise<number> => db.read(() => Number(db.get('SELECT count(*) AS n FROM a')?.n));

  it('a failing write does not affect others in the same transaction', async () => {
    const outcomes = await Promise.allSettled([
      db.write(insert(1)),
      db.write(() => {
        insert(2)();
        throw new Error('no');
      }),
      db.write(insert(1)),
      db.write(insert(3)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(outcomes[2]).toMatchObject({ reason: expect.any(StoreError) });
    expect(await count()).toBe(2);
  });

  it('a single failing write leaves nothing', async () => {
    await expect(
      db.write(() => {
        insert(5)();
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await count()).toBe(0);
  });

  it('a durable write is stored', async () => {
    await db.writeDurably(insert(1));
    expect(await count()).toBe(1);
  });

  it('waits for another writer without blocking the event loop, and fails after the timeout', async () => {
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 5);
    try {
      await expect(db.write(insert(1))).rejects.toThrow(StoreBusyError);
      expect(turns).toBeGreaterThan(3);
      const patient = db.write(insert(1));
      other.exec('COMMIT');
      await patient;
    } finally {
      clearInterval(ticking);
      other.close();
    }
    expect(await count()).toBe(1);
  });

  it('consecutive writes yield to the event loop', async () => {
    let ticked = false;
    const tick = setImmediate(() => {
      ticked = true;
    });
    for (let x = 1; x <= 20_000 && !ticked; x++) await db.write(insert(x));
    clearImmediate(tick);
    expect(ticked).toBe(true);
  });

  it('refuses work after it was closed, and finishes pending work', async () => {
    const last = db.write(insert(1));
    const closing = db[Symbol.asyncDispose]();
    await last;
    await closing;
    await expect(db.write(insert(2))).rejects.toThrow('is closed');
  });
});
