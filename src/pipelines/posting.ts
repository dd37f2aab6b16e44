import type { ItemKey } from '../item/item.ts';
import { dispatchDue, type PressParts } from './press-room.ts';

/** So many items are prepared ahead of what is being sent. */
const MOST_AHEAD = 4;

/**
 * Sends in the background what is written down, while the next items are being prepared. Messages leave in the order in which
 * they were written down.
 */
export class Posting {
  readonly #parts: PressParts;
  readonly #signal: AbortSignal;
  /** Written down and not known to be through. */
  readonly #ahead = new Set<ItemKey>();
  readonly #onSettled: (key: ItemKey) => Promise<void>;
  #going: Promise<void> | null = null;
  #again = false;
  #moved = Promise.withResolvers<void>();
  #telling: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | null = null;

  constructor(parts: PressParts, signal: AbortSignal, onSettled: (key: ItemKey) => Promise<void>) {
    this.#parts = parts;
    this.#signal = signal;
    this.#onSettled = onSettled;
  }

  /** The messages of this item are written down: they may be sent. */
  add(key: ItemKey): void {
    this.#ahead.add(key);
    this.#again = true;
    this.#going ??= this.#go();
  }

  /** Waits until not too much is ahead of what is being sent. */
  async room(): Promise<void> {
    while (this.#ahead.size >= MOST_AHEAD && this.#going !== null)
      await Promise.race([this.#moved.promise, this.#going]);
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Waits until everything that could be sent is through. Answers the items that are not. */
  async finish(): Promise<readonly ItemKey[]> {
    while (this.#going !== null) await this.#going;
    await this.#telling;
    if (this.#failure !== null) throw this.#failure.error;
    return [...this.#ahead];
  }

  async #go(): Promise<void> {
    try {
      while (this.#again && this.#failure === null) {
        this.#again = false;
        await dispatchDue(this.#parts, this.#signal, (keys) => this.#settled(keys));
      }
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#going = null;
    }
  }

  #settled(keys: readonly ItemKey[]): void {
    for (const key of keys.filter((one) => this.#ahead.delete(one)))
      this.#telling = this.#telling
        .then(() => this.#onSettled(key))
        .catch((error: unknown) => {
          this.#failure ??= { error };
        });
    this.#moved.resolve();
    this.#moved = Promise.withResolvers<void>();
  }
}
