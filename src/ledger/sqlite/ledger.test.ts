import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { ledgerContract } from '../contract/all.ts';
import { oneInstantContract } from '../contract/one-instant.ts';
import { openSqliteLedger } from './open.ts';

describe('the SQLite ledger', () => {
  let folder = '';
  let files = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-ledger-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  ledgerContract((options) => {
    files += 1;
    return openSqliteLedger(join(folder, `${files}.db`), options);
  });
  oneInstantContract(() => {
    files += 1;
    const file = join(folder, `${files}.db`);
    return (options) => openSqliteLedger(file, options);
  });
});
