import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { openDatabase } from '../../sqlite/database.ts';
import type { SourceMemory, SourceTrouble } from '../source.ts';
import type { ClaimedSource, SourceRecord, SourceStore } from '../source-store.ts';
import { SOURCE_MIGRATIONS } from './migrations.ts';

type Row = Readonly<Record<string, SQLOutputValue>>;

/** What is remembered of the sources, in a file of its own that all pipelines share. */
export class SqliteSourceStore implements SourceStore, AsyncDisposable {
  readonly #db: DatabaseSync;
  readonly #load: StatementSync;
  readonly #save: StatementSync;
  readonly #list: StatementSync;
  readonly #remove: StatementSync;

  constructor(path: string) {
    this.#db = openDatabase(path, { name: 'the memory of the sources', migrations: SOURCE_MIGRATIONS });
    this.#load = this.#db.prepare('SELECT * FROM sources WHERE source_id = ?');
    this.#list = this.#db.prepare('SELECT * FROM sources ORDER BY source_id');
    this.#remove = this.#db.prepare('DELETE FROM sources WHERE source_id = ?');
    this.#save = this.#db.prepare(`
      INSERT OR REPLACE INTO sources (source_id, memory, moved_to, last_tried_at, last_success_at, trouble_why,
        trouble_detail, trouble_at, failures_in_a_row, next_at, items_seen, baseline_taken_at, reported)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  }

  async load(sourceId: string): Promise<SourceRecord | null> {
    const row = this.#load.get(sourceId);
    return row === undefined ? null : fromRow(row);
  }

  async save(record: SourceRecord): Promise<void> {
    this.#save.run(
      record.sourceId,
      JSON.stringify(record.memory),
      record.movedTo,
      record.lastTriedAt,
      record.lastSuccessAt,
      record.lastTrouble?.why ?? null,
      record.lastTrouble?.detail ?? null,
      record.lastTrouble?.at ?? null,
      record.failuresInARow,
      record.nextAt,
      record.itemsSeen,
      record.baselineTakenAt,
      record.reported,
    );
  }

  /** One machine: a command beside the running program may read a source too, which admission makes harmless. */
  async claim(sourceId: string): Promise<ClaimedSource> {
    return { record: await this.load(sourceId) };
  }

  async list(): Promise<readonly SourceRecord[]> {
    return this.#list.all().map(fromRow);
  }

  async remove(sourceId: string): Promise<void> {
    this.#remove.run(sourceId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
  }
}

function fromRow(row: Row): SourceRecord {
  const why = text(row.trouble_why) as SourceTrouble | null;
  return {
    sourceId: text(row.source_id) ?? '',
    memory: JSON.parse(text(row.memory) ?? '{}') as SourceMemory,
    movedTo: text(row.moved_to),
    lastTriedAt: whole(row.last_tried_at),
    lastSuccessAt: whole(row.last_success_at),
    lastTrouble:
      why === null ? null : { why, detail: text(row.trouble_detail) ?? '', at: whole(row.trouble_at) ?? 0 },
    failuresInARow: whole(row.failures_in_a_row) ?? 0,
    nextAt: whole(row.next_at),
    itemsSeen: whole(row.items_seen) ?? 0,
    baselineTakenAt: whole(row.baseline_taken_at),
    reported: text(row.reported),
  };
}

function text(value: SQLOutputValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function whole(value: SQLOutputValue | undefined): number | null {
  return typeof value === 'number' ? value : null;
}
