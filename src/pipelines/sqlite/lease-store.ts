import type { DatabaseSync } from 'node:sqlite';
import { openDatabase, transaction } from '../../sqlite/database.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { Holder, Lease, LeaseStore } from '../lease-store.ts';
import { StalledLeases } from '../stalled-leases.ts';
import { RUN_MIGRATIONS } from './migrations.ts';
import { type Process, thisProcess } from './process.ts';

/**
 * Leases in the file of the runs. Whoever shares this file is on the same machine as a rule: a holder whose process is gone
 * from this machine is dead, and nobody waits for the end of its lease.
 */
export class SqliteLeaseStore implements LeaseStore {
  readonly pace = { leaseMs: 30 * SECOND, renewEveryMs: 10 * SECOND, lookEveryMs: 5 * SECOND };
  readonly #db: DatabaseSync;
  readonly #clock: Clock;
  readonly #stalled: StalledLeases;
  readonly #me: Process;

  constructor(path: string, clock: Clock, me: Process = thisProcess()) {
    this.#db = openDatabase(path, { name: 'the leases', migrations: RUN_MIGRATIONS });
    this.#clock = clock;
    this.#stalled = new StalledLeases(clock);
    this.#me = me;
  }

  async take(name: string, owner: string, leaseMs: number): Promise<Lease | null> {
    return transaction(this.#db, () => {
      const now = this.#clock.now();
      const there = this.#db.prepare('SELECT * FROM leases WHERE name = ?').get(name);
      const isOver = there === undefined || this.#stalled.isOver(name, Number(there.lease_until), leaseMs);
      if (!isOver && !this.#isDead(there)) return null;
      const token = Number(there?.token ?? 0) + 1;
      const { host, pid, life } = this.#me;
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

  async holder(name: string): Promise<Holder | null> {
    const row = this.#db.prepare('SELECT * FROM leases WHERE name = ?').get(name);
    if (row === undefined || Number(row.lease_until) <= this.#clock.now() || this.#isDead(row)) return null;
    return { name, owner: String(row.owner), token: Number(row.token), until: Number(row.lease_until) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#db.close();
  }

  #isDead(row: Record<string, unknown>): boolean {
    const { host, isAlive } = this.#me;
    return row.host === host && !isAlive(Number(row.pid), String(row.life));
  }
}
