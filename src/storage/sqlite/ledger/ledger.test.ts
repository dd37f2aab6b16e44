import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { ledgerContract } from '../../../ledger/contract/ledger.ts';
import { messageOrderContract } from '../../../outbox/contract/message-order.ts';
import { openSqliteLedger } from './ledger.ts';

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
  messageOrderContract(() => {
    files += 1;
    const file = join(folder, `${files}.db`);
    return (options) => openSqliteLedger(file, options);
  });
});
