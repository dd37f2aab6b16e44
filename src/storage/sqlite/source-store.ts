import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type {
  ClaimedSource,
  SourceErrorKind,
  SourceRecord,
  SourceState,
  SourceStore,
} from '../../sources/source.ts';
import { type Migration, openDatabase } from './database.ts';

type Row = Readonly<Record<string, SQLOutputValue>>;

/** Source states, in a file shared by all pipelines. */
export class SqliteSourceStore implements SourceStore, AsyncDisposable {
  readonly #db: DatabaseSync;
  readonly #load: StatementSync;
  readonly #save: StatementSync;
  readonly #list: StatementSync;
  readonly #remove: StatementSync;

  constructor(path: string) {
    this.#db = openDatabase(path, { name: 'the source states', migrations: SOURCE_MIGRATIONS });
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

  /** No lease on one machine: a concurrent command may read a source too, which admission makes harmless. */
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
  const why = textColumn(row.trouble_why) as SourceErrorKind | null;
  return {
    sourceId: textColumn(row.source_id) ?? '',
    memory: JSON.parse(textColumn(row.memory) ?? '{}') as SourceState,
    movedTo: textColumn(row.moved_to),
    lastTriedAt: integerColumn(row.last_tried_at),
    lastSuccessAt: integerColumn(row.last_success_at),
    lastTrouble:
      why === null
        ? null
        : { why, detail: textColumn(row.trouble_detail) ?? '', at: integerColumn(row.trouble_at) ?? 0 },
    failuresInARow: integerColumn(row.failures_in_a_row) ?? 0,
    nextAt: integerColumn(row.next_at),
    itemsSeen: integerColumn(row.items_seen) ?? 0,
    baselineTakenAt: integerColumn(row.baseline_taken_at),
    reported: textColumn(row.reported),
  };
}

function textColumn(value: SQLOutputValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function integerColumn(value: SQLOutputValue | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

/** The schema of `sources.db`, step by step. Append-only. */
export const SOURCE_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    about: 'Creates the states of sources',
    sql: `
      CREATE TABLE sources (
        source_id         TEXT PRIMARY KEY,
        memory            TEXT NOT NULL,
        moved_to          TEXT,
        last_tried_at     INTEGER,
        last_success_at   INTEGER,
        trouble_why       TEXT,
        trouble_detail    TEXT,
        trouble_at        INTEGER,
        failures_in_a_row INTEGER NOT NULL DEFAULT 0,
        next_at           INTEGER,
        items_seen        INTEGER NOT NULL DEFAULT 0,
        baseline_taken_at INTEGER
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    version: 2,
    about: 'Adds what each source reported, so that its items are counted once',
    sql: 'ALTER TABLE sources ADD COLUMN reported TEXT;',
  },
  {
    version: 3,
    about: 'Adds the sources that are added and changed on the page',
    sql: `
      CREATE TABLE source_catalogue (
        source_id TEXT PRIMARY KEY,
        version   INTEGER NOT NULL,
        content   TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE source_catalogue_revision (revision INTEGER NOT NULL) STRICT;
      INSERT INTO source_catalogue_revision VALUES (0);
    `,
  },
  {
    version: 4,
    about: 'Adds the icons of sources',
    sql: `
      CREATE TABLE source_icons (
        source_id  TEXT PRIMARY KEY,
        hash       TEXT,
        expires_at INTEGER NOT NULL,
        type       TEXT,
        bytes      BLOB
      ) STRICT;
    `,
  },
];
