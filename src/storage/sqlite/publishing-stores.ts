import type {
  DayCounter,
  PublishingStores,
  RequestedRevision,
  Revision,
  RevisionOutcome,
  RevisionStore,
  RevisionTarget,
} from '../../outbox/publishing-stores.ts';
import type { Clock } from '../../time/clock.ts';
import { DAY, MINUTE } from '../../time/duration.ts';
import { Connection, type Row } from './connection.ts';
import { type Migration, openDatabase } from './database.ts';

export const PUBLISHING_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    about: 'Creates daily counts and edits of messages',
    sql: `
CREATE TABLE day_counts (
  destination TEXT NOT NULL,
  day INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (destination, day)
) WITHOUT ROWID;

CREATE TABLE revisions (
  pipeline TEXT NOT NULL,
  message TEXT NOT NULL,
  destination TEXT NOT NULL,
  remote_id TEXT NOT NULL,
  body TEXT NOT NULL,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  detail TEXT,
  due_at INTEGER,
  updated_at INTEGER NOT NULL,
  owner TEXT,
  held_until INTEGER,
  PRIMARY KEY (pipeline, message)
) WITHOUT ROWID;
CREATE INDEX idx_revisions_wanted ON revisions (pipeline, destination, updated_at) WHERE state = 'wanted';
CREATE INDEX idx_revisions_settled ON revisions (updated_at) WHERE state <> 'wanted';
`,
  },
];

export function createSqliteDayCounter(db: Connection): DayCounter {
  return {
    tryIncrement: (destination, day, most) =>
      db.write(() => {
        const row = db.get('SELECT n FROM day_counts WHERE destination = ? AND day = ?', destination, day);
        if (Number(row?.n ?? 0) >= most) return false;
        db.run('DELETE FROM day_counts WHERE destination = ? AND day < ?', destination, day - 7 * DAY);
        db.run(
          `INSERT INTO day_counts (destination, day, n) VALUES (?, ?, 1)
           ON CONFLICT (destination, day) DO UPDATE SET n = n + 1`,
          destination,
          day,
        );
        return true;
      }),
    decrement: (destination, day) =>
      db.write(() => {
        db.run(
          'UPDATE day_counts SET n = n - 1 WHERE destination = ? AND day = ? AND n > 0',
          destination,
          day,
        );
      }),
  };
}

export class SqliteRevisionStore implements RevisionStore {
  readonly pollIntervalMs = MINUTE;
  readonly #db: Connection;
  readonly #clock: Clock;

  constructor(db: Connection, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  request(revision: RequestedRevision, basedOn: number): Promise<'wanted' | 'stale'> {
    const { pipeline, message, destination, remoteId, body } = revision;
    return this.#db.write(() => {
      const current = this.#row(revision);
      if (Number(current?.version ?? 0) !== basedOn) return 'stale';
      this.#db.run(
        `INSERT INTO revisions (pipeline, message, destination, remote_id, body, version, state, attempts, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, 'wanted', 0, ?)
         ON CONFLICT (pipeline, message) DO UPDATE SET body = excluded.body, version = excluded.version, state = 'wanted',
           attempts = 0, detail = NULL, due_at = NULL, updated_at = excluded.updated_at`,
        pipeline,
        message,
        destination,
        remoteId,
        body,
        basedOn + 1,
        this.#clock.now(),
      );
      return 'wanted';
    });
  }

  of(pipeline: string, messages: readonly string[]): Promise<ReadonlyMap<string, Revision>> {
    return this.#db.read(() => {
      const found = new Map<string, Revision>();
      for (const message of messages) {
        const row = this.#row({ pipeline, message });
        if (row !== undefined) found.set(message, revisionOf(row));
      }
      return found;
    });
  }

  claimNext(
    { pipeline, destination }: RevisionTarget,
    owner: string,
    leaseMs: number,
  ): Promise<Revision | null> {
    return this.#db.write(() => {
      const now = this.#clock.now();
      const row = this.#db.get(
        `SELECT * FROM revisions WHERE pipeline = ? AND destination = ? AND state = 'wanted'
           AND (due_at IS NULL OR due_at <= ?) AND (owner IS NULL OR held_until <= ?)
         ORDER BY updated_at LIMIT 1`,
        pipeline,
        destination,
        now,
        now,
      );
      if (row === undefined) return null;
      this.#db.run(
        'UPDATE revisions SET owner = ?, held_until = ?, attempts = attempts + 1 WHERE pipeline = ? AND message = ?',
        owner,
        now + leaseMs,
        pipeline,
        String(row.message),
      );
      return { ...revisionOf(row), attempts: Number(row.attempts) + 1 };
    });
  }

  finish(revision: Revision, owner: string, outcome: RevisionOutcome): Promise<'finished' | 'stale'> {
    return this.#db.write(() => {
      const row = this.#row(revision);
      if (row === undefined || row.owner !== owner) return 'stale';
      const { pipeline, message, version } = revision;
      if (Number(row.version) !== version) {
        this.#db.run(
          'UPDATE revisions SET owner = NULL, held_until = NULL WHERE pipeline = ? AND message = ?',
          pipeline,
          message,
        );
        return 'stale';
      }
      this.#db.run(
        `UPDATE revisions SET state = ?, detail = ?, due_at = ?, updated_at = ?, owner = NULL, held_until = NULL
         WHERE pipeline = ? AND message = ?`,
        outcome.state,
        outcome.detail,
        outcome.state === 'wanted' ? outcome.dueAt : null,
        this.#clock.now(),
        pipeline,
        message,
      );
      return 'finished';
    });
  }

  async purge(before: number): Promise<void> {
    await this.#db.write(() =>
      this.#db.run("DELETE FROM revisions WHERE state <> 'wanted' AND updated_at < ?", before),
    );
  }

  #row({ pipeline, message }: Pick<RequestedRevision, 'pipeline' | 'message'>): Row | undefined {
    return this.#db.get('SELECT * FROM revisions WHERE pipeline = ? AND message = ?', pipeline, message);
  }
}

function revisionOf(row: Row): Revision {
  return {
    pipeline: String(row.pipeline),
    message: String(row.message),
    destination: String(row.destination),
    remoteId: String(row.remote_id),
    body: String(row.body),
    version: Number(row.version),
    state: row.state as Revision['state'],
    attempts: Number(row.attempts),
    detail: row.detail as string | null,
    dueAt: row.due_at === null ? null : Number(row.due_at),
    updatedAt: Number(row.updated_at),
  };
}

/** Opens the publishing stores in a file. Several processes may share it. */
export function openSqlitePublishingStores(path: string, clock: Clock): PublishingStores {
  const database = openDatabase(path, { name: 'the publishing stores', migrations: PUBLISHING_MIGRATIONS });
  const connection = new Connection(database, path);
  return {
    revisions: new SqliteRevisionStore(connection, clock),
    counter: createSqliteDayCounter(connection),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
