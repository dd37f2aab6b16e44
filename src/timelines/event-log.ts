import { ServiceUnavailableError } from '../social/rules.ts';
import type { Change } from './change-feed.ts';
import { TimelinesUnavailableError } from './timeline-store.ts';

/** Events of one key are handled one after the other, so that streams send an author's drops in order (C20). */
export function orderKey(event: Change): string | null {
  return event.type === 'drop_created' ? event.user_id : null;
}

/** Whether later events of the same author would fail as well, and therefore wait for this one. */
export function blocksLaterEvents(error: unknown): boolean {
  return error instanceof TimelinesUnavailableError || error instanceof ServiceUnavailableError;
}

interface AuthorQueue {
  /** By position. */
  readonly waiting: { readonly position: string; readonly begin: () => void }[];
}

/** Mutual exclusion by key: one turn at a time for each key, the lowest position first; different keys run concurrently. */
export class AuthorOrder {
  readonly #queues = new Map<string, AuthorQueue>();
  /** Number of queued turns. */
  waiting = 0;

  /** Whether a turn of this key would be queued. */
  isBusy(key: string): boolean {
    return this.#queues.has(key);
  }

  /** Acquires the turn, synchronously if it is free. The caller has to end it. */
  turn(key: string, position: string): Turn | Promise<Turn> {
    const queue = this.#queues.get(key);
    if (queue !== undefined) return this.#wait(queue, key, position);
    this.#queues.set(key, { waiting: [] });
    return this.#startTurn(key, position);
  }

  async #wait(queue: AuthorQueue, key: string, position: string): Promise<Turn> {
    this.waiting += 1;
    await new Promise<void>((begin) => {
      const at = queue.waiting.findIndex((other) => other.position > position);
      queue.waiting.splice(at < 0 ? queue.waiting.length : at, 0, { position, begin });
    });
    this.waiting -= 1;
    return this.#startTurn(key, position);
  }

  #startTurn(key: string, position: string): Turn {
    let ended = false;
    return {
      overtaken: () => (this.#queues.get(key)?.waiting[0]?.position ?? '~') < position,
      end: () => {
        if (ended) return;
        ended = true;
        const next = this.#queues.get(key)?.waiting.shift();
        if (next === undefined) this.#queues.delete(key);
        else next.begin();
      },
    };
  }
}

export interface Turn {
  /** Whether an event with an earlier position was queued meanwhile. */
  overtaken(): boolean;
  /** Idempotent. */
  end(): void;
}
