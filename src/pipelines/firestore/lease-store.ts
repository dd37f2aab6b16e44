import { randomUUID } from 'node:crypto';
import type { FirestoreConnection, Mutation, Place } from '../../firestore/connection.ts';
import { put } from '../../firestore/put.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE, SECOND } from '../../time/duration.ts';
import type { Holder, Lease, LeaseStore } from '../lease-store.ts';
import { StalledLeases } from '../stalled-leases.ts';

/** One document for each lease. */
const LEASES = 'leases';

interface Stored {
  readonly owner: string;
  readonly token: number;
  readonly until: number;
  /** Names the call that took it, so that a lost reply is recognised. */
  readonly attempt: string;
}

/** Leases for all copies of the program together. */
export class FirestoreLeaseStore implements LeaseStore {
  /** Renewing costs a read and a write, looking a read: all day long. */
  readonly pace = { leaseMs: MINUTE, renewEveryMs: 20 * SECOND, lookEveryMs: 15 * SECOND };
  readonly #connection: FirestoreConnection;
  readonly #clock: Clock;
  readonly #stalled: StalledLeases;

  /** The connection belongs to whoever made it. */
  constructor(connection: FirestoreConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#stalled = new StalledLeases(clock);
  }

  take(name: string, owner: string, leaseMs: number): Promise<Lease | null> {
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
      if (there === null || !isOurs(there, lease) || there.until <= now) return { value: false };
      return { value: true, next: { ...there, until: now + leaseMs } };
    });
  }

  async release(lease: Lease): Promise<void> {
    await this.#change<null>(lease.name, (there) =>
      there !== null && isOurs(there, lease)
        ? { value: null, next: { ...there, until: 0 } }
        : { value: null },
    );
  }

  async holder(name: string): Promise<Holder | null> {
    const there = (await this.#connection.get([LEASES, name])).data() as Stored | undefined;
    if (there === undefined || there.until <= this.#clock.now()) return null;
    return { name, owner: there.owner, token: there.token, until: there.until };
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #change<T>(name: string, decide: (there: Stored | null) => { value: T; next?: Stored }): Promise<T> {
    const at: Place = [LEASES, name];
    return this.#connection.mutate(at, (snapshot): Mutation<T> => {
      const { value, next } = decide((snapshot.data() as Stored | undefined) ?? null);
      if (next === undefined) return { value, writes: [] };
      return { value, writes: [put(snapshot, at, next)] };
    });
  }
}

function isOurs(there: Stored, { owner, token }: Lease): boolean {
  return there.owner === owner && there.token === token;
}
