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
  /** Names the call that took it, so that a lost reply is recognised. */
  readonly attempt: string;
}

/** Leases for all copies of the program together. */
export class FirestoreLeaseStore implements LeaseStore {
  /** Renewing costs a read and a write, looking a read: all day long. */
  readonly timing = { leaseMs: MINUTE, renewIntervalMs: 20 * SECOND, pollIntervalMs: 15 * SECOND };
  readonly #connection: FirestoreConnection;
  readonly #clock: Clock;
  readonly #stalled: StalledLeaseDetector;

  /** The connection belongs to whoever made it. */
  constructor(connection: FirestoreConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#stalled = new StalledLeaseDetector(clock);
  }

  acquire(name: string, owner: string, leaseMs: number): Promise<Lease | null> {
    const attempt = randomUUID();
    return this.#change<Lease | null>(name, (there) => {
      const now = this.#clock.now();
      if (there?.attempt === attempt) return { value: { name, owner, token: there.token } };
      if (there !== null && !this.#stalled.isOver(name, there.until, leaseMs)) return { value: null };
      const token = (there?.token ?? 0) + 1;
      return { value: { name, owner, token }, next: { owner, token, until: now + leaseMs, attempt } };
    });
  }

  renew(lease: Lease, leaseMs: number): Promise<boolean> {
    return this.#change<boolean>(lease.name, (there) => {
      const now = this.#clock.now();
      if (there === null || !isHeldBy(there, lease) || there.until <= now) return { value: false };
      return { value: true, next: { ...there, until: now + leaseMs } };
    });
  }

  async release(lease: Lease): Promise<void> {
    await this.#change<null>(lease.name, (there) =>
      there !== null && isHeldBy(there, lease)
        ? { value: null, next: { ...there, until: 0 } }
        : { value: null },
    );
  }

  async holder(name: string): Promise<LeaseHolder | null> {
    const there = (await this.#connection.get([LEASES, name])).data() as StoredLease | undefined;
    if (there === undefined || there.until <= this.#clock.now()) return null;
    return { name, owner: there.owner, token: there.token, until: there.until };
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #change<T>(
    name: string,
    decide: (there: StoredLease | null) => { value: T; next?: StoredLease },
  ): Promise<T> {
    const at: DocumentPath = [LEASES, name];
    return this.#connection.mutate(at, (snapshot): Mutation<T> => {
      const { value, next } = decide((snapshot.data() as StoredLease | undefined) ?? null);
      if (next === undefined) return { value, writes: [] };
      return { value, writes: [createOrReplace(snapshot, at, next)] };
    });
  }
}

function isHeldBy(there: StoredLease, { owner, token }: Lease): boolean {
  return there.owner === owner && there.token === token;
}
