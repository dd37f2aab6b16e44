import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Sighting } from '../../src/item/item.ts';
import { v1Items } from '../../src/storage/sqlite/ledger/migrations.ts';
import { toTimestamp } from '../../src/storage/sqlite/ledger/rows.ts';
import { known, mixed } from './articles.ts';

let files = 0;

/** URLs a second: the contract's table alone, one prepared statement, one transaction per batch, nothing else. */
export function bareLoop(folder: string, count: number): number {
  files += 1;
  const db = new DatabaseSync(join(folder, `bare-${files}.db`));
  try {
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    db.exec(v1Items.sql);
    const insert = db.prepare(
      `INSERT INTO items (url, title, published_at, status, reason, retry_count, created_at, last_checked_at)
       VALUES (?, ?, ?, 0, 0, 0, ?, ?) ON CONFLICT DO NOTHING`,
    );
    const admit = (batch: readonly Sighting[]): number => {
      const now = toTimestamp(Date.now());
      let found = 0;
      db.exec('BEGIN IMMEDIATE');
      for (const { key, title, publishedAt } of batch)
        found += Number(insert.run(key, title, toTimestamp(publishedAt), now, now).changes);
      db.exec('COMMIT');
      return found;
    };
    admit([...known(count)]);
    db.exec('PRAGMA wal_checkpoint(RESTART)');
    const batches = mixed(count, 10_000_000);
    const began = performance.now();
    for (const batch of batches) admit(batch);
    return count / ((performance.now() - began) / 1000);
  } finally {
    db.close();
  }
}
