import { DatabaseSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';
import type { CheckpointWord } from './checkpointer.ts';

const files = new Map<string, DatabaseSync>();
const asked = new Set<string>();

parentPort?.on('message', ({ word, path }: CheckpointWord) => {
  switch (word) {
    case 'checkpoint':
      if (asked.size === 0) setImmediate(checkpointAll);
      asked.add(path);
      return;
    case 'close':
      asked.delete(path);
      files.get(path)?.close();
      files.delete(path);
      parentPort?.postMessage(path);
      return;
    case 'end':
      parentPort?.close();
  }
});

function checkpointAll(): void {
  for (const path of asked) {
    try {
      checkpoint(path);
    } catch {
      // A full disk or a file that is gone: whoever writes there meets it too, and says so.
    }
  }
  asked.clear();
}

function checkpoint(path: string): void {
  const db = files.get(path) ?? new DatabaseSync(path, { timeout: 0 });
  files.set(path, db);
  // Passive: it stands in nobody's way, and what is still being read is left for the next time.
  db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
}
