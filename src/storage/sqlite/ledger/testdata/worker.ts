// A worker in a process of its own, for tests: `worker.ts <file> <owner> all|hold|work`.
import { systemClock } from '../../../../time/clock.ts';
import { POLICY } from '../../../../ledger/contract/worker.ts';
import { workAs, type WorkerMode } from '../../../../ledger/contract/worker.ts';
import { openSqliteLedger } from '../ledger.ts';

const [file = '', owner = '', mode = ''] = process.argv.slice(2);
const stores = openSqliteLedger(file, { clock: systemClock, policy: POLICY, retryTimeoutMs: 120_000 });
await workAs(stores, owner, mode as WorkerMode);
