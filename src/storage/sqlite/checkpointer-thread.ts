import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const db = new DatabaseSync(String(workerData), { timeout: 0 });
let requested = false;

parentPort?.on('message', (message: unknown) => {
  if (message === 'close') {
    db.close();
    parentPort?.close();
    return;
  }
  if (requested) return;
  requested = true;
  setImmediate(() => {
    requested = false;
    // Passive: blocks no reader or writer, and leaves pages still being read to the next checkpoint.
    if (db.isOpen) db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
  });
});
