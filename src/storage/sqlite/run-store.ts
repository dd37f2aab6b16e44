import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StalledLeaseDetector } from '../../scheduler/lease.ts';
import type { ActiveRun, RunEnding, RunRecord, RunStore } from '../../scheduler/run-store.ts';
import type { Clock } from '../../time/clock.ts';
import { type Migration, openDatabase, transaction } from './database.ts';

/** Schema of the runs and the leases. Append-only. */
export const RUN_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    about: 'Creates the record of runs',
    sql: `
      CREATE TABLE runs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        pipeline TEXT NOT NULL,
        owner TEXT NOT NULL,
        started_at INTEGER NOT NULL,
        lease_until INTEGER NOT NULL,
        ended_at INTEGER,
        outcome TEXT,
        summary TEXT,
        counts TEXT NOT NULL DEFAULT '{}'
      );
      CREATE INDEX idx_runs_pipeline ON runs (pipeline, id);
    `,
  },
  {
    version: 2,
    about: 'Adds leases, and which leader started a run',
    sql: `
      ALTER TABLE runs ADD COLUMN fence INTEGER;
      CREATE TABLE leases (
        name TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        token INTEGER NOT NULL,
        lease_until INTEGER NOT NULL,
        host TEXT NOT NULL,
        pid INTEGER NOT NULL,
        life TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
  {
    version: 3,
    about: 'Adds the settings of pipelines that are changed on the page',
    sql: `
      CREATE TABLE pipeline_settings (
        pipeline TEXT PRIMARY KEY,
        version INTEGER NOT NULL,
        settings TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
    `,
  },
];

/** How many finished runs of each pipeline are kept. */
const MAX_RUNS = 500;

export class SqliteRunStore implements RunStore {
  readonly #db: DatabaseSync;
  readonly #clock: Clock;
  readonly #maxRuns: number;
  readonly #stalled: StalledLeaseDetector;
  readonly #alive: StatementSync;
  readonly #expire: StatementSync;
  readonly #fence: StatementSync;
  readonly #insert: StatementSync;
  readonly #renew: StatementSync;
  readonly #end: StatementSync;
  readonly #trim: StatementSync;
  readonly #recent: StatementSync;

  constructor(path: string, clock: Clock, maxRuns = MAX_RUNS) {
    this.#db = openDatabase(path, { name: 'the record of runs', migrations: RUN_MIGRATIONS });
    this.#clock = clock;
    this.#maxRuns = maxRuns;
    this.#stalled = new StalledLeaseDetector(clock);
    this.#alive = this.#db.prepare(
      'SELECT id, lease_until FROM runs WHERE pipeline = ? AND ended_at IS NULL AND lease_until > ? ORDER BY id DESC LIMIT 1',
    );
    this.#expire = this.#db.prepare('UPDATE runs SET lease_until = 0 WHERE id = ?');
    this.#fence = this.#db.prepare(
      'SELECT fence FROM runs WHERE pipeline = ? AND fence IS NOT NULL ORDER BY id DESC LIMIT 1',
    );
    this.#insert = this.#db.prepare(
      'INSERT INTO runs (pipeline, owner, started_at, lease_until, fence) VALUES (?, ?, ?, ?, ?)',
    );
    this.#renew = this.#db.prepare(
      'UPDATE runs SET lease_until = ? WHERE id = ? AND owner = ? AND ended_at IS NULL AND lease_until > ?',
    );
    this.#end = this.#db.prepare(
      'UPDATE runs SET ended_at = ?, outcome = ?, summary = ?, counts = ? WHERE id = ? AND owner = ? AND ended_at IS NULL',
    );
    // All pipelines share one sequence of IDs, so the oldest to keep is looked up among the pipeline's own.
    this.#trim = this.#db.prepare(
      `DELETE FROM runs WHERE pipeline = ?1 AND id <=
        (SELECT id FROM runs WHERE pipeline = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)`,
    );
    this.#recent = this.#db.prepare('SELECT * FROM runs WHERE pipeline = ? ORDER BY id DESC LIMIT ?');
  }

  async begin(
    pipeline: string,
    owner: string,
    leaseMs: number,
    fence: number | null = null,
  ): Promise<ActiveRun | null> {
    return transaction(this.#db, () => {
      const now = this.#clock.now();
      const alive = this.#alive.get(pipeline, now);
      if (alive !== undefined && !this.#stalled.isOver(pipeline, Number(alive.lease_until), leaseMs))
        return null;
      if (fence !== null && fence < Number(this.#fence.get(pipeline)?.fence ?? 0)) return null;
      if (alive !== undefined) this.#expire.run(Number(alive.id));
      const id = Number(this.#insert.run(pipeline, owner, now, now + leaseMs, fence).lastInsertRowid);
      this.#trim.run(pipeline, this.#maxRuns);
      return { id, pipeline, owner };
    });
  }

  async renew(ticket: ActiveRun, leaseMs: number): Promise<boolean> {
    const now = this.#clock.now();
    return this.#renew.run(now + leaseMs, ticket.id, ticket.owner, now).changes === 1;
  }

  async leasedUntil(pipeline: string): Promise<number> {
    return Number(this.#alive.get(pipeline, this.#clock.now())?.lease_until ?? 0);
  }

  async end(ticket: ActiveRun, { outcome, summary, counts }: RunEnding): Promise<void> {
    this.#end.run(this.#clock.now(), outcome, summary, JSON.stringify(counts), ticket.id, ticket.owner);
  }

  async last(pipeline: string): Promise<RunRecord | null> {
    return (await this.recent(pipeline, 1))[0] ?? null;
  }

  async pipelines(): Promise<readonly string[]> {
    return this.#db
      .prepare('SELECT DISTINCT pipeline FROM runs ORDER BY pipeline')
      .all()
      .map((row) => String(row.pipeline));
  }

  async recent(pipeline: string, limit: number): Promise<readonly RunRecord[]> {
    return this.#recent.all(pipeline, limit).map((row) => ({
      id: Number(row.id),
      pipeline: String(row.pipeline),
      startedAt: Number(row.started_at),
      endedAt: row.ended_at === null ? null : Number(row.ended_at),
      outcome: (row.outcome ?? 'running') as RunRecord['outcome'],
      summary: row.summary as string | null,
      scheduled: row.fence !== null,
      counts: JSON.parse(String(row.counts)) as Record<string, number>,
    }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#db.close();
  }
}
