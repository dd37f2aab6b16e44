import { randomUUID } from 'node:crypto';
import type { Lease, LeaseHolder, LeaseStore } from '../../scheduler/lease.ts';
import { StalledLeaseDetector } from '../../scheduler/lease.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE, SECOND } from '../../time/duration.ts';
import type { DocumentPath, FirestoreConnection, Mutation } from './connection.ts';
import { createOrReplace } from './query.ts';

/** One document for each lease. */
const LEASES = 'leases';

interface StoredLease {
  readonly owner: string;
  readonly token: number;
  readonly until: number;
  /** Names the call that acquired the lease, so that a lost reply is recognised. */
  readonly attempt: string;
}

/** Leases shared by all replicas. */
export class FirestoreLeaseStore implements LeaseStore {
  /** Long intervals: renewing costs a read and a write, polling a read, all day long. */
  readonly timing = { leaseMs: MINUTE, renewIntervalMs: 20 * SECOND, pollIntervalMs: 15 * SECOND };
  readonly #connection: FirestoreConnection;
  readonly #clock: Clock;
  readonly #stalled: StalledLeaseDetector;

  /** The caller owns the connection. */
  constructor(connection: FirestoreConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#stalled = new StalledLeaseDetector(clock);
  }

  acquire(name: string, owner: string, leaseMs: number): Promise<Lease | null> {
    const attempt = randomUUID();
    return this.#change<Lease | null>(name, (stored) => {
      const now = this.#clock.now();
      if (stored?.attempt === attempt) return { value: { name, owner, token: stored.token } };
      if (stored !== null && !this.#stalled.isOver(name, stored.until, leaseMs)) return { value: null };
      const token = (stored?.token ?? 0) + 1;
      return { value: { name, owner, token }, next: { owner, token, until: now + leaseMs, attempt } };
    });
  }

  renew(lease: Lease, leaseMs: number): Promise<boolean> {
    return this.#change<boolean>(lease.name, (stored) => {
      const now = this.#clock.now();
      if (stored === null || !isHeldBy(stored, lease) || stored.until <= now) return { value: false };
      return { value: true, next: { ...stored, until: now + leaseMs } };
    });
  }

  async release(lease: Lease): Promise<void> {
    await this.#change<null>(lease.name, (stored) =>
      stored !== null && isHeldBy(stored, lease)
        ? { value: null, next: { ...stored, until: 0 } }
        : { value: null },
    );
  }

  async holder(name: string): Promise<LeaseHolder | null> {
    const stored = (await this.#connection.get([LEASES, name])).data() as StoredLease | undefined;
    if (stored === undefined || stored.until <= this.#clock.now()) return null;
    return { name, owner: stored.owner, token: stored.token, until: stored.until };
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #change<T>(
    name: string,
    decide: (stored: StoredLease | null) => { value: T; next?: StoredLease },
  ): Promise<T> {
    const at: DocumentPath = [LEASES, name];
    return this.#connection.mutate(at, (snapshot): Mutation<T> => {
      const { value, next } = decide((snapshot.data() as StoredLease | undefined) ?? null);
      if (next === undefined) return { value, writes: [] };
      return { value, writes: [createOrReplace(snapshot, at, next)] };
    });
  }
}

function isHeldBy(stored: StoredLease, { owner, token }: Lease): boolean {
  return stored.owner === owner && stored.token === token;
}
