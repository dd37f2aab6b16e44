// A worker in a process of its own, for tests: `worker.ts <emulator> <project> <layout> <owner> all|hold|work`.
import { FirestoreConnection } from '../../connection.ts';
import { silentEvents } from '../../../../telemetry/events.ts';
import { systemClock } from '../../../../time/clock.ts';
import { POLICY } from '../../../../ledger/contract/worker.ts';
import { workAs, type WorkerMode } from '../../../../ledger/contract/worker.ts';
import { openFirestoreLedger } from '../open-ledger.ts';

const [emulator = '', project = '', layout = '', owner = '', mode = ''] = process.argv.slice(2);
const connection = new FirestoreConnection({ project, emulator, clock: systemClock, events: silentEvents });
const stores = openFirestoreLedger({
  connection,
  layout: layout as 'items' | 'videos',
  clock: systemClock,
  policy: POLICY,
});
await workAs(stores, owner, mode as WorkerMode);
await connection[Symbol.asyncDispose]();
