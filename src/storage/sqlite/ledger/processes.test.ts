import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { processesContract } from '../../../ledger/contract/processes.ts';
import { POLICY } from '../../../ledger/contract/worker.ts';
import { systemClock } from '../../../time/clock.ts';
import { openSqliteLedger } from './ledger.ts';

const WORKER = join(import.meta.dirname, 'testdata', 'worker.ts');

processesContract(
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-processes-'));
    const file = join(folder, 'l.db');
    const stores = openSqliteLedger(file, { clock: systemClock, policy: POLICY, retryTimeoutMs: 60_000 });
    return {
      ...stores,
      worker: (owner, mode) => [WORKER, file, owner, mode],
      check: () =>
        expect(stores.connection.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]),
      async [Symbol.asyncDispose]() {
        await stores[Symbol.asyncDispose]();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
  { items: 2_000, killedAfter: [1, 7, 60] },
);
