import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const db = new DatabaseSync(String(workerData), { timeout: 0 });
let requested = false;
/** A thread takes 10 to 20 MB of memory: it ends when there is nothing to do, and another one is started when there is. */
const ended = setTimeout(close, 10_000);

function close(): void {
  clearTimeout(ended);
  db.close();
  parentPort?.close();
}

parentPort?.on('message', (message: unknown) => {
  if (message === 'close') {
    close();
    return;
  }
  ended.refresh();
  if (requested) return;
  requested = true;
  setImmediate(() => {
    requested = false;
    // Passive: blocks no reader or writer, and leaves pages still being read to the next checkpoint.
    if (db.isOpen) db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
  });
});
