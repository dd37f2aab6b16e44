// A worker in a process of its own, for tests: `worker.ts <file> <owner> all|hold|work`.
import { systemClock } from '../../../time/clock.ts';
import { POLICY } from '../../contract/policy.ts';
import { workAs, type WorkerMode } from '../../contract/worker.ts';
import { openSqliteLedger } from '../open.ts';

const [file = '', owner = '', mode = ''] = process.argv.slice(2);
const memory = openSqliteLedger(file, { clock: systemClock, policy: POLICY, patienceMs: 120_000 });
await workAs(memory, owner, mode as WorkerMode);
