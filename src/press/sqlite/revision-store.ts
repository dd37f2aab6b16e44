import type { Connection, Row } from '../../sqlite/connection.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import type { Revision, RevisionLine, RevisionOutcome, RevisionStore, WantedRevision } from '../revisions.ts';

export class SqliteRevisionStore implements RevisionStore {
  readonly looksEveryMs = MINUTE;
  readonly #db: Connection;
  readonly #clock: Clock;

  constructor(db: Connection, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  want(wanted: WantedRevision, basedOn: number): Promise<'wanted' | 'stale'> {
    const { pipeline, message, destination, remoteId, body } = wanted;
    return this.#db.write(() => {
      const there = this.#row(wanted);
      if (Number(there?.version ?? 0) !== basedOn) return 'stale';
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

  take({ pipeline, destination }: RevisionLine, owner: string, leaseMs: number): Promise<Revision | null> {
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

  settle(revision: Revision, owner: string, outcome: RevisionOutcome): Promise<'settled' | 'stale'> {
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
      return 'settled';
    });
  }

  async forget(before: number): Promise<void> {
    await this.#db.write(() =>
      this.#db.run("DELETE FROM revisions WHERE state <> 'wanted' AND updated_at < ?", before),
    );
  }

  #row({ pipeline, message }: Pick<WantedRevision, 'pipeline' | 'message'>): Row | undefined {
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
