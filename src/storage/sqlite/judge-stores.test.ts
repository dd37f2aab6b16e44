import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { budgetStoreContract } from '../../judge/contract/budget-store.ts';
import { judgeFailureStoreContract, verdictCacheContract } from '../../judge/contract/judge-stores.ts';
import { NewerSchemaError } from './database.ts';
import { JUDGE_MIGRATIONS, openSqliteJudgeStores } from './judge-stores.ts';

const folder = () => mkdtemp(join(tmpdir(), 'kawaraban-judge-'));

budgetStoreContract('SQLite', async () => {
  const home = await folder();
  return {
    async open() {
      const stores = openSqliteJudgeStores(join(home, 'judge.db'));
      return { ...stores.budgets, [Symbol.asyncDispose]: () => stores[Symbol.asyncDispose]() };
    },
    shared: true,
    [Symbol.asyncDispose]: () => rm(home, { recursive: true }),
  };
});

verdictCacheContract('SQLite', async () => {
  const home = await folder();
  const stores = openSqliteJudgeStores(join(home, 'judge.db'));
  return {
    cache: stores.verdicts,
    async [Symbol.asyncDispose]() {
      await stores[Symbol.asyncDispose]();
      await rm(home, { recursive: true });
    },
  };
});

judgeFailureStoreContract('SQLite', async () => {
  const home = await folder();
  const stores = openSqliteJudgeStores(join(home, 'judge.db'));
  return {
    failures: stores.failures,
    async [Symbol.asyncDispose]() {
      await stores[Symbol.asyncDispose]();
      await rm(home, { recursive: true });
    },
  };
});

describe('the file of the judges', () => {
  it('A5 survives restarts', async () => {
    const home = await folder();
    const path = join(home, 'judge.db');
    const first = openSqliteJudgeStores(path);
    await first.verdicts.save({ version: 'v', topics: [] }, 1);
    await first[Symbol.asyncDispose]();
    const second = openSqliteJudgeStores(path);
    expect(await second.verdicts.at('v')).toEqual({ version: 'v', topics: [] });
    await second[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  });

  it('X17 continues a file of the version without judge failures', async () => {
    const home = await folder();
    const path = join(home, 'judge.db');
    const older = new DatabaseSync(path);
    older.exec(`${JUDGE_MIGRATIONS[0]?.sql ?? ''}; PRAGMA user_version = 1`);
    older.exec("INSERT INTO judge_interests VALUES ('v', '[]', 1)");
    older.close();
    const stores = openSqliteJudgeStores(path);
    expect(await stores.verdicts.at('v')).toEqual({ version: 'v', topics: [] });
    expect(await stores.failures.lastFailure('a/m')).toBeNull();
    await stores[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  });

  it('X17 refuses a file of a newer program', async () => {
    const home = await folder();
    const path = join(home, 'judge.db');
    const newer = new DatabaseSync(path);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    expect(() => openSqliteJudgeStores(path)).toThrow(NewerSchemaError);
    await rm(home, { recursive: true });
  });
});
