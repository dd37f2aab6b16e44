import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leaseStoreContract } from '../../scheduler/contract/lease-store.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { type ProcessIdentity, SqliteLeaseStore, thisProcess } from './lease-store.ts';
import { RUN_MIGRATIONS, SqliteRunStore } from './run-store.ts';

leaseStoreContract('SQLite', async (clock) => {
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-leases-'));
  const mine = new SqliteLeaseStore(join(folder, 'runs.db'), clock);
  const theirs = new SqliteLeaseStore(join(folder, 'runs.db'), clock);
  return {
    mine,
    theirs,
    dispose: async () => {
      await mine[Symbol.asyncDispose]();
      await theirs[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

describe('leases in a file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-leases-'));
    file = join(folder, 'runs.db');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const a: ProcessIdentity = { host: 'here', pid: 7, life: '1', isAlive: () => true };

  it.each([
    ['is acquired at once after its process has ended', { ...a, pid: 8, isAlive: () => false }, true],
    ['is waited for where its process lives', { ...a, pid: 8 }, false],
    ['is waited for on another machine', { ...a, host: 'there', isAlive: () => false }, false],
  ])('C24 a lease %s', async (_, b, gets) => {
    const clock = new ManualClock();
    const mine = new SqliteLeaseStore(file, clock, a);
    const theirs = new SqliteLeaseStore(file, clock, b);
    const first = await mine.acquire('scheduler', 'a', 1000);
    const second = await theirs.acquire('scheduler', 'b', 1000);
    expect(second !== null).toBe(gets);
    if (first === null) throw new Error('no lease');
    expect(await mine.renew(first, 1000)).toBe(!gets);
    for (const store of [mine, theirs]) await store[Symbol.asyncDispose]();
  });

  it('distinguishes processes that reuse a PID', () => {
    const { pid, life, isAlive } = thisProcess();
    expect(isAlive(pid, life)).toBe(true);
    expect(isAlive(pid, 'an earlier life')).toBe(false);
    expect(isAlive(process.ppid, 'any')).toBe(true);
    expect(isAlive(2 ** 22 + 1, 'any')).toBe(false);
  });

  it('X17 a record of runs of version 1 keeps its runs', async () => {
    const old = new DatabaseSync(file);
    old.exec(`${RUN_MIGRATIONS[0]?.sql}; PRAGMA user_version = 1`);
    old.exec(
      "INSERT INTO runs (pipeline, owner, started_at, lease_until, ended_at, outcome, summary) VALUES ('m', 'a', 1, 2, 3, 'done', 'two posted')",
    );
    old.close();
    const runs = new SqliteRunStore(file, new ManualClock());
    expect(await runs.last('m')).toMatchObject({ summary: 'two posted', scheduled: false, startedAt: 1 });
    expect(await runs.begin('m', 'a', 1000, 1)).not.toBeNull();
    await runs[Symbol.asyncDispose]();
  });
});
