import { hostname } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import {
  type Lease,
  type LeaseHolder,
  type LeaseStore,
  StalledLeaseDetector,
} from '../../scheduler/lease.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import { openDatabase, transaction } from './database.ts';
import { RUN_MIGRATIONS } from './run-store.ts';

/** Identity of a process on its machine. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** Distinguishes processes that reuse a PID: in a container each one is PID 1. */
  readonly life: string;
  /** Whether that very process still runs, as far as this machine can tell. */
  isAlive(pid: number, life: string): boolean;
}

export function thisProcess(): ProcessIdentity {
  const me = { host: hostname(), pid: process.pid, life: String(Math.round(performance.timeOrigin)) };
  return { ...me, isAlive: (pid, life) => (pid === me.pid ? life === me.life : exists(pid)) };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // No permission to signal it: it exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Leases in the file of the runs. Processes that share it usually run on one machine: the lease of a holder whose process
 * has ended on this machine is free before it expires.
 */
export class SqliteLeaseStore implements LeaseStore {
  readonly timing = { leaseMs: 30 * SECOND, renewIntervalMs: 10 * SECOND, pollIntervalMs: 5 * SECOND };
  readonly #db: DatabaseSync;
  readonly #clock: Clock;
  readonly #stalled: StalledLeaseDetector;
  readonly #process: ProcessIdentity;

  constructor(path: string, clock: Clock, me: ProcessIdentity = thisProcess()) {
    this.#db = openDatabase(path, { name: 'the leases', migrations: RUN_MIGRATIONS });
    this.#clock = clock;
    this.#stalled = new StalledLeaseDetector(clock);
    this.#process = me;
  }

  async acquire(name: string, owner: string, leaseMs: number): Promise<Lease | null> {
    return transaction(this.#db, () => {
      const now = this.#clock.now();
      const current = this.#db.prepare('SELECT * FROM leases WHERE name = ?').get(name);
      const isOver =
        current === undefined || this.#stalled.isOver(name, Number(current.lease_until), leaseMs);
      if (!isOver && !this.#isDead(current)) return null;
      const token = Number(current?.token ?? 0) + 1;
      const { host, pid, life } = this.#process;
      this.#db
        .prepare('INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?, ?)')
        .run(name, owner, token, now + leaseMs, host, pid, life);
      return { name, owner, token };
    });
  }

  async renew({ name, owner, token }: Lease, leaseMs: number): Promise<boolean> {
    const now = this.#clock.now();
    const renewed = this.#db
      .prepare(
        'UPDATE leases SET lease_until = ? WHERE name = ? AND owner = ? AND token = ? AND lease_until > ?',
      )
      .run(now + leaseMs, name, owner, token, now);
    return renewed.changes === 1;
  }

  async release({ name, owner, token }: Lease): Promise<void> {
    this.#db
      .prepare('UPDATE leases SET lease_until = 0 WHERE name = ? AND owner = ? AND token = ?')
      .run(name, owner, token);
  }

  async holder(name: string): Promise<LeaseHolder | null> {
    const row = this.#db.prepare('SELECT * FROM leases WHERE name = ?').get(name);
    if (row === undefined || Number(row.lease_until) <= this.#clock.now() || this.#isDead(row)) return null;
    return { name, owner: String(row.owner), token: Number(row.token), until: Number(row.lease_until) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#db.close();
  }

  #isDead(row: Record<string, unknown>): boolean {
    const { host, isAlive } = this.#process;
    return row.host === host && !isAlive(Number(row.pid), String(row.life));
  }
}
