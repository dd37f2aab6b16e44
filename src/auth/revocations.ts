import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';

export interface RevocationOptions {
  readonly clock: Clock;
  /** Asks where it is kept whether this credential still counts. Another copy may have ended it. */
  readonly stillCounts?: (identityId: string) => Promise<boolean>;
  /** How often the watched ones are asked for. */
  readonly lookEveryMs?: number;
}

/**
 * Sessions and tokens that are ended before their time. Whoever holds something open for an identity (a stream) watches
 * its ID. A revocation in this copy is heard at once; one in another copy within `lookEveryMs`.
 */
export class Revocations implements AsyncDisposable {
  readonly #watched = new Map<string, Set<() => void>>();
  readonly #options: RevocationOptions;
  readonly #stopping = new AbortController();
  readonly #looking: Promise<void>;

  constructor(options: RevocationOptions) {
    this.#options = options;
    this.#looking = this.#look();
  }

  /** Calls `listener` once, when this credential is revoked. What comes back takes the listener away again. */
  onRevoked(identityId: string, listener: () => void): () => void {
    const listeners = this.#watched.get(identityId) ?? new Set();
    this.#watched.set(identityId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#watched.get(identityId) === listeners)
        this.#watched.delete(identityId);
    };
  }

  /** Tells everybody who watches it. Whoever calls this has written it down already. */
  revoked(identityId: string): void {
    const listeners = this.#watched.get(identityId);
    if (listeners === undefined) return;
    this.#watched.delete(identityId);
    for (const listener of listeners) listener();
  }

  /** How many identities are watched. */
  get watched(): number {
    return this.#watched.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
    this.#watched.clear();
  }

  async #look(): Promise<void> {
    const { clock, stillCounts, lookEveryMs = MINUTE } = this.#options;
    const { signal } = this.#stopping;
    if (stillCounts === undefined) return;
    while (!signal.aborted) {
      await clock.sleep(lookEveryMs, signal).catch(() => {});
      for (const id of [...this.#watched.keys()]) {
        if (signal.aborted) return;
        // A store that is away says nothing about the session.
        if (!(await stillCounts(id).catch(() => true))) this.revoked(id);
      }
    }
  }
}
