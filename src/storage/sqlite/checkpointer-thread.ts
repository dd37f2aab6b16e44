import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const db = new DatabaseSync(String(workerData), { timeout: 0 });
let asked = false;

parentPort?.on('message', (word: unknown) => {
  if (word === 'close') {
    db.close();
    parentPort?.close();
    return;
  }
  if (asked) return;
  asked = true;
  setImmediate(() => {
    asked = false;
    // Passive: blocks no reader or writer, and leaves pages still being read to the next checkpoint.
    if (db.isOpen) db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
  });
});
