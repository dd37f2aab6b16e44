import { randomUUID } from 'node:crypto';
import { traceHeaders } from '../../telemetry/tracing.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import {
  type Change,
  type ChangeFeed,
  type ChangeSink,
  type FeedChange,
  RelayLoop,
} from '../../timelines/change-feed.ts';
import type { Connection, Row } from './connection.ts';

/** Poll interval for changes of other processes. */
const POLL_MS = 300;
const BATCH = 500;
/** Retention of rows for other processes with in-memory timelines, which poll continuously. */
const KEEP_MS = 10 * MINUTE;
const PRUNE_EVERY_MS = MINUTE;

/** Change feed in the table `changes` of the social store's file. */
export class SqliteChangeFeed implements ChangeFeed {
  readonly betweenProcesses = true;
  readonly #db: Connection;
  readonly #clock: Clock;
  readonly #loop: RelayLoop;
  readonly #process = randomUUID();
  /** The last row that the sink received, or the last one when the file was opened. */
  #position: number;
  #hasOwn = true;
  #version = -1;
  #prunedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Connection, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#loop = new RelayLoop(clock);
    this.#position = Number(db.get('SELECT max(seq) AS seq FROM changes')?.seq ?? 0);
  }

  /**
   * Call it before a transaction, and the function that it returns inside: the row is written with the change, under the
   * trace of the caller.
   */
  writer(): (change: Change) => void {
    const traceparent = traceHeaders().traceparent ?? null;
    return (change) => {
      const sql = 'INSERT INTO changes (at, change, traceparent) VALUES (?, ?, ?)';
      this.#db.run(sql, this.#clock.now(), JSON.stringify(change), traceparent);
      // The transaction is synchronous: by then it has ended.
      queueMicrotask(() => {
        this.#hasOwn = true;
        this.#loop.wake();
      });
    };
  }

  async append(change: Change): Promise<void> {
    const write = this.writer();
    // A request concerns only other processes: this one has handled it already.
    const stored = change.type === 'clear_timelines' ? { ...change, by: this.#process } : change;
    await this.#db.write(() => write(stored));
  }

  async relay(sink: ChangeSink, signal: AbortSignal): Promise<void> {
    if (sink.durable) this.#position = 0;
    await this.#loop.run(() => this.#pass(sink), sink.log, signal);
  }

  async waiting(): Promise<number> {
    const sql = 'SELECT count(*) AS n FROM changes WHERE seq > ?';
    const [row] = await this.#db.retryWhileBusy(() => this.#db.all(sql, this.#position));
    return Number(row?.n ?? 0);
  }

  async #pass(sink: ChangeSink): Promise<number> {
    // Changes only when another connection has committed: no reads until then.
    const version = Number(this.#db.get('PRAGMA data_version')?.data_version);
    if (!this.#hasOwn && version === this.#version) return POLL_MS;
    this.#hasOwn = false;
    try {
      while (await this.#relayBatch(sink));
    } catch (error) {
      this.#hasOwn = true;
      throw error;
    }
    this.#version = version;
    return POLL_MS;
  }

  /** Whether there may be more. */
  async #relayBatch(sink: ChangeSink): Promise<boolean> {
    const sql = 'SELECT seq, at, change, traceparent FROM changes WHERE seq > ? ORDER BY seq LIMIT ?';
    const rows = await this.#db.retryWhileBusy(() => this.#db.all(sql, this.#position, BATCH));
    if (rows.length === 0) return false;
    try {
      for (const row of rows) {
        const entry = toChange(row);
        if (!('by' in entry.change && entry.change.by === this.#process)) await sink.accept(entry);
        this.#position = Number(row.seq);
      }
    } finally {
      await this.#prune(sink.durable);
    }
    return rows.length === BATCH;
  }

  async #prune(durable: boolean): Promise<void> {
    const now = this.#clock.monotonic();
    if (!durable && now - this.#prunedAt < PRUNE_EVERY_MS) return;
    this.#prunedAt = now;
    const before = durable ? Number.MAX_SAFE_INTEGER : this.#clock.now() - KEEP_MS;
    const sql = 'DELETE FROM changes WHERE seq <= ? AND at < ?';
    await this.#db.write(() => this.#db.run(sql, this.#position, before));
  }
}

function toChange(row: Row): FeedChange {
  return {
    change: JSON.parse(String(row.change)) as Change,
    at: Number(row.at),
    trace: typeof row.traceparent === 'string' ? { traceparent: row.traceparent } : {},
  };
}
