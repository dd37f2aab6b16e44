import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';

/** Revoked credentials, shared by all replicas. */
export interface RevocationList {
  /** Adds the missing ones of these, and returns those added at or after this time, and the total number. */
  exchange(ids: readonly string[], since: number): Promise<RevocationExchange>;
}

export interface RevocationExchange {
  readonly size: number;
  /** `at`: when it was added, by the clock of the list. */
  readonly added: readonly { readonly id: string; readonly at: number }[];
}

export interface RevocationOptions {
  readonly clock: Clock;
  /** Reads the store whether this credential is still valid. Another replica may have revoked it. */
  readonly isValid?: (identityId: string) => Promise<boolean>;
  /** How often credentials with listeners are checked. */
  readonly pollIntervalMs?: number;
  readonly shared?: RevocationList;
  /** Which credentials go into the shared list. */
  readonly isShareable?: (identityId: string) => boolean;
}

/** How often replicas exchange revocations: one takes effect everywhere within five seconds. */
const EXCHANGE_INTERVAL_MS = 2 * SECOND;
/** After a failover, the clock of the list may go back by less than this. */
const EXCHANGE_OVERLAP_MS = MINUTE;

/**
 * Sessions and tokens revoked before they expire. A stream subscribes to the ID of its credential. A revocation takes effect at once
 * in this replica, in the others within seconds if it is in the shared list, otherwise within `pollIntervalMs`. Each replica holds
 * the whole list, so that requests do not read it and survive its outage.
 */
export class Revocations implements AsyncDisposable {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #options: RevocationOptions;
  readonly #stopping = new AbortController();
  readonly #polling: Promise<unknown>;
  readonly #known = new Set<string>();
  /** Not yet confirmed to be in the shared list. */
  readonly #unsent = new Set<string>();
  #exchanging: Promise<void> | null = null;
  /** Time of the newest known entry; `null` before the first exchange. */
  #newest: number | null = null;

  constructor(options: RevocationOptions) {
    this.#options = options;
    this.#polling = Promise.all([this.#poll(), this.#exchangeRegularly()]);
  }

  /** Calls `listener` once, when this credential is revoked. Returns a function that unsubscribes. */
  onRevoked(identityId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(identityId) ?? new Set();
    this.#listeners.set(identityId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(identityId) === listeners)
        this.#listeners.delete(identityId);
    };
  }

  /** Notifies the listeners and the other replicas. The caller has already stored the revocation. */
  notifyRevoked(identityId: string): void {
    const { shared, isShareable } = this.#options;
    if (shared !== undefined && isShareable?.(identityId) === true) {
      this.#known.add(identityId);
      this.#unsent.add(identityId);
      this.#send().catch(() => {});
    }
    this.#callListeners(identityId);
  }

  /** Whether there is a shared list. */
  get isShared(): boolean {
    return this.#options.shared !== undefined;
  }

  /** Whether it is in the shared list. Throws if that list has never been read. */
  async isRevoked(identityId: string): Promise<boolean> {
    if (this.#newest === null) await this.#exchange();
    return this.#known.has(identityId);
  }

  /** Number of identities with listeners. */
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
    const { clock, isValid, pollIntervalMs = MINUTE } = this.#options;
    const { signal } = this.#stopping;
    if (isValid === undefined) return;
    while (!signal.aborted) {
      await clock.sleep(pollIntervalMs, signal).catch(() => {});
      for (const id of [...this.#listeners.keys()]) {
        if (signal.aborted) return;
        // An unavailable store does not invalidate the session.
        if (!(await isValid(id).catch(() => true))) this.#callListeners(id);
      }
    }
  }

  async #exchangeRegularly(): Promise<void> {
    const { clock, shared } = this.#options;
    const { signal } = this.#stopping;
    while (shared !== undefined && !signal.aborted) {
      // During an outage of the list, the entries already known stay in force.
      await this.#exchange().catch(() => {});
      await clock.sleep(EXCHANGE_INTERVAL_MS, signal).catch(() => {});
    }
  }

  /** An exchange in progress may have started before the last revocation. */
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
    const { size, added } = await shared.exchange(sent, Math.max(0, newest - EXCHANGE_OVERLAP_MS));
    for (const id of sent) this.#unsent.delete(id);
    this.#newest = added.reduce((latest, { at }) => Math.max(latest, at), newest);
    for (const { id } of added) {
      if (this.#known.has(id)) continue;
      this.#known.add(id);
      this.#callListeners(id);
    }
    // The list has lost entries: the next exchange sends all that this replica knows, and reads the whole list.
    if (size >= this.#known.size) return;
    this.#newest = 0;
    for (const id of this.#known) this.#unsent.add(id);
  }
}
