import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../database.ts';
import { LEDGER_MIGRATIONS } from './migrations.ts';

const golden = join(import.meta.dirname, 'testdata', 'schema.sql');

describe('the schema', () => {
  const db = openDatabase(':memory:', { name: 'the test', migrations: LEDGER_MIGRATIONS });
  afterAll(() => db.close());

  it('X17 equals the golden file', () => {
    expect(`${dumpSchema(db)}\n`).toBe(readFileSync(golden, 'utf8'));
  });

  it('B1 has the table items, column by column', () => {
    const columns = db
      .prepare('SELECT name, type, "notnull" AS required, pk FROM pragma_table_info(\'items\')')
      .all()
      .map(({ name, type, required, pk }) => [name, type, required, pk]);
    expect(columns).toEqual([
      ['id', 'INTEGER', 0, 1],
      ['url', 'TEXT', 1, 0],
      ['title', 'TEXT', 1, 0],
      ['published_at', 'TIMESTAMP', 1, 0],
      ['status', 'INTEGER', 1, 0],
      ['reason', 'INTEGER', 0, 0],
      ['retry_count', 'INTEGER', 1, 0],
      ['created_at', 'TIMESTAMP', 1, 0],
      ['last_checked_at', 'TIMESTAMP', 1, 0],
    ]);
    const { sql } = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'items'").get() ?? {};
    expect(sql).toMatch(/id INTEGER PRIMARY KEY AUTOINCREMENT/);
    expect(sql).toMatch(/url TEXT NOT NULL UNIQUE/);
  });

  it('B2 has its three indexes', () => {
    const indexes = db
      .prepare(
        "SELECT name, \"unique\" AS only FROM pragma_index_list('items') WHERE origin = 'c' ORDER BY name",
      )
      .all()
      .map(({ name, only }) => [name, only, columnsOf(String(name))]);
    expect(indexes).toEqual([
      ['idx_items_status_last_checked_at', 0, ['status', 'last_checked_at']],
      ['idx_items_status_published_at', 0, ['status', 'published_at']],
      ['idx_items_url', 1, ['url']],
    ]);
  });

  function columnsOf(index: string): unknown[] {
    return db
      .prepare('SELECT name FROM pragma_index_info(?) ORDER BY seqno')
      .all(index)
      .map(({ name }) => name);
  }
});

/** The output of `sqlite3 file .schema`, in a fixed order. */
function dumpSchema(db: DatabaseSync): string {
  return db
    .prepare(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY tbl_name, type DESC, name",
    )
    .all()
    .map(({ sql }) => `${String(sql)};`)
    .join('\n');
}
