import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';

/** A list of ended credentials that all replicas share. */
export interface RevocationList {
  /** Adds these where they are missing, and answers what was added at or after this time, and how many there are in all. */
  exchange(ids: readonly string[], since: number): Promise<RevocationExchange>;
}

export interface RevocationExchange {
  readonly size: number;
  /** `at`: when it was added, by the clock of the list. */
  readonly added: readonly { readonly id: string; readonly at: number }[];
}

export interface RevocationOptions {
  readonly clock: Clock;
  /** Asks where it is kept whether this credential still counts. Another replica may have ended it. */
  readonly isValid?: (identityId: string) => Promise<boolean>;
  /** How often the watched ones are asked for. */
  readonly pollIntervalMs?: number;
  readonly shared?: RevocationList;
  /** Which credentials go into the shared list. */
  readonly isShareable?: (identityId: string) => boolean;
}

/** How often replicas exchange what they know: a revocation is heard everywhere within five seconds. */
const EXCHANGE_INTERVAL_MS = 2 * SECOND;
/** After a failover of the list its clock may go back by less than this. */
const EXCHANGE_OVERLAP_MS = MINUTE;

/**
 * Sessions and tokens that are ended before their time. A stream watches the ID of its credential. A revocation in this replica is
 * heard at once; one in another replica within seconds where it goes into the shared list, else within `lookEveryMs`. Each replica
 * knows the whole list, so that neither a request nor an outage of the list needs to ask it.
 */
export class Revocations implements AsyncDisposable {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #options: RevocationOptions;
  readonly #stopping = new AbortController();
  readonly #polling: Promise<unknown>;
  readonly #known = new Set<string>();
  /** Of these it is not certain that they are in the shared list. */
  readonly #unsent = new Set<string>();
  #exchanging: Promise<void> | null = null;
  /** Time of the newest entry that is known; `null` before the first exchange. */
  #newest: number | null = null;

  constructor(options: RevocationOptions) {
    this.#options = options;
    this.#polling = Promise.all([this.#poll(), this.#exchangeRegularly()]);
  }

  /** Calls `listener` once, when this credential is revoked. What comes back takes the listener away again. */
  onRevoked(identityId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(identityId) ?? new Set();
    this.#listeners.set(identityId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(identityId) === listeners)
        this.#listeners.delete(identityId);
    };
  }

  /** Notifies its listeners and the other replicas. The caller has stored the revocation before. */
  notifyRevoked(identityId: string): void {
    const { shared, isShareable: shares } = this.#options;
    if (shared !== undefined && shares?.(identityId) === true) {
      this.#known.add(identityId);
      this.#unsent.add(identityId);
      this.#send().catch(() => {});
    }
    this.#callListeners(identityId);
  }

  /** Whether replicas share a list at all. */
  get isShared(): boolean {
    return this.#options.shared !== undefined;
  }

  /** Whether it is in the shared list. Throws where that list was never read. */
  async isRevoked(identityId: string): Promise<boolean> {
    if (this.#newest === null) await this.#exchange();
    return this.#known.has(identityId);
  }

  /** How many identities are watched. */
  get listenerCount(): number {
    return this.#listeners.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
    await this.#send().catch(() => {});
    this.#listeners.clear();
  }

  #callListeners(identityId: string): void {
    const listeners = this.#listeners.get(identityId);
    if (listeners === undefined) return;
    this.#listeners.delete(identityId);
    for (const listener of listeners) listener();
  }

  async #poll(): Promise<void> {
    const { clock, isValid: stillCounts, pollIntervalMs: lookEveryMs = MINUTE } = this.#options;
    const { signal } = this.#stopping;
    if (stillCounts === undefined) return;
    while (!signal.aborted) {
      await clock.sleep(lookEveryMs, signal).catch(() => {});
      for (const id of [...this.#listeners.keys()]) {
        if (signal.aborted) return;
        // A store that is away says nothing about the session.
        if (!(await stillCounts(id).catch(() => true))) this.#callListeners(id);
      }
    }
  }

  async #exchangeRegularly(): Promise<void> {
    const { clock, shared } = this.#options;
    const { signal } = this.#stopping;
    while (shared !== undefined && !signal.aborted) {
      // While the list is away, what is known counts.
      await this.#exchange().catch(() => {});
      await clock.sleep(EXCHANGE_INTERVAL_MS, signal).catch(() => {});
    }
  }

  /** An exchange that is under way may have begun before the last revocation. */
  async #send(): Promise<void> {
    await this.#exchanging?.catch(() => {});
    if (this.#unsent.size > 0) await this.#exchange();
  }

  #exchange(): Promise<void> {
    this.#exchanging ??= this.#exchangeOnce().finally(() => {
      this.#exchanging = null;
    });
    return this.#exchanging;
  }

  async #exchangeOnce(): Promise<void> {
    const { shared } = this.#options;
    if (shared === undefined) return;
    const sent = [...this.#unsent];
    const newest = this.#newest ?? 0;
    const { size, added: news } = await shared.exchange(sent, Math.max(0, newest - EXCHANGE_OVERLAP_MS));
    for (const id of sent) this.#unsent.delete(id);
    this.#newest = news.reduce((latest, { at }) => Math.max(latest, at), newest);
    for (const { id } of news) {
      if (this.#known.has(id)) continue;
      this.#known.add(id);
      this.#callListeners(id);
    }
    // The list has lost something: the next exchange brings back what this replica knows, and reads all of it.
    if (size >= this.#known.size) return;
    this.#newest = 0;
    for (const id of this.#known) this.#unsent.add(id);
  }
}
