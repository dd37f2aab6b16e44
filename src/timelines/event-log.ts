import { ServiceUnavailableError } from '../social/rules.ts';
import type { Change } from './change-feed.ts';
import { TimelinesUnavailableError } from './timeline-store.ts';

/** Events of one key are handled one after the other, so that streams tell an author's drops in order (C20). */
export function orderKey(event: Change): string | null {
  return event.type === 'drop_created' ? event.user_id : null;
}

/** Whether later events of the same author would fail as well, so that they rather wait for this one. */
export function blocksLaterEvents(error: unknown): boolean {
  return error instanceof TimelinesUnavailableError || error instanceof ServiceUnavailableError;
}

interface AuthorQueue {
  /** By position. */
  readonly waiting: { readonly position: string; readonly begin: () => void }[];
}

/** Gives turns: of one key one at a time, the lowest position first; of different keys side by side. */
export class AuthorOrder {
  readonly #queues = new Map<string, AuthorQueue>();
  /** How many wait for their turn. */
  waiting = 0;

  /** Whether a turn of this key would have to be waited for. */
  isBusy(key: string): boolean {
    return this.#queues.has(key);
  }

  /** The turn, which has to be ended; at once where it is free. */
  turn(key: string, position: string): Turn | Promise<Turn> {
    const lane = this.#queues.get(key);
    if (lane !== undefined) return this.#wait(lane, key, position);
    this.#queues.set(key, { waiting: [] });
    return this.#startTurn(key, position);
  }

  async #wait(lane: AuthorQueue, key: string, position: string): Promise<Turn> {
    this.waiting += 1;
    await new Promise<void>((begin) => {
      const at = lane.waiting.findIndex((other) => other.position > position);
      lane.waiting.splice(at < 0 ? lane.waiting.length : at, 0, { position, begin });
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
  /** Whether an earlier one came meanwhile. */
  overtaken(): boolean;
  /** May be called again. */
  end(): void;
}
