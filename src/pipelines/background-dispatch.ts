import type { ItemKey } from '../item/item.ts';
import type { WakeUpSignal } from '../outbox/wake-up.ts';
import { runLoop } from '../scheduler/loop.ts';
import { SECOND } from '../time/duration.ts';
import { dispatchDue, type PublishDependencies } from './publish.ts';

/** So many items are prepared ahead of what is being sent. */
const MAX_AHEAD = 4;

/**
 * Sends in the background what is written down, while the next items are being prepared. Messages leave in the order in which
 * they were written down.
 */
export class BackgroundDispatcher {
  readonly #deps: PublishDependencies;
  readonly #signal: AbortSignal;
  /** Written down and not known to be through. */
  readonly #ahead = new Set<ItemKey>();
  readonly #onFinished: (key: ItemKey) => Promise<void>;
  #running: Promise<void> | null = null;
  #again = false;
  #progressed = Promise.withResolvers<void>();
  #reporting: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | null = null;

  constructor(deps: PublishDependencies, signal: AbortSignal, onSettled: (key: ItemKey) => Promise<void>) {
    this.#deps = deps;
    this.#signal = signal;
    this.#onFinished = onSettled;
  }

  /** The messages of this item are written down: they may be sent. */
  add(key: ItemKey): void {
    this.#ahead.add(key);
    this.#again = true;
    this.#running ??= this.#run();
  }

  /** Waits until not too much is ahead of what is being sent. */
  async waitForCapacity(): Promise<void> {
    while (this.#ahead.size >= MAX_AHEAD && this.#running !== null)
      await Promise.race([this.#progressed.promise, this.#running]);
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Waits until everything that could be sent is through. Answers the items that are not. */
  async drain(): Promise<readonly ItemKey[]> {
    while (this.#running !== null) await this.#running;
    await this.#reporting;
    if (this.#failure !== null) throw this.#failure.error;
    return [...this.#ahead];
  }

  async #run(): Promise<void> {
    try {
      while (this.#again && this.#failure === null) {
        this.#again = false;
        await dispatchDue(this.#deps, this.#signal, (keys) => this.#finished(keys));
      }
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#running = null;
    }
  }

  #finished(keys: readonly ItemKey[]): void {
    for (const key of keys.filter((one) => this.#ahead.delete(one)))
      this.#reporting = this.#reporting
        .then(() => this.#onFinished(key))
        .catch((error: unknown) => {
          this.#failure ??= { error };
        });
    this.#progressed.resolve();
    this.#progressed = Promise.withResolvers<void>();
  }
}

/** Two looks are never closer than this. */
const MIN_POLL_INTERVAL_MS = 2 * SECOND;

/**
 * Sees messages through whose time comes between two runs, until the signal. It looks when the bell rings, when the time of a
 * message comes that it has seen, and otherwise as often as the store says.
 */
export async function runDispatchLoop(
  deps: PublishDependencies,
  bell: WakeUpSignal,
  onTurn: () => void,
  signal: AbortSignal,
): Promise<void> {
  const destinations = deps.publishers.map(({ id }) => id);
  const { pipeline, events, clock, outbox } = deps;
  const turn = async (): Promise<'again'> => {
    onTurn();
    const due = await outbox.nextDue(destinations);
    const wait = (due ?? Number.POSITIVE_INFINITY) - clock.now();
    if (wait <= 0) await dispatchDue(deps, signal);
    // After sending there may be more: what was behind, or what another process holds.
    await bell.wait(Math.min(outbox.abilities.pollIntervalMs, Math.max(MIN_POLL_INTERVAL_MS, wait)), signal);
    return 'again';
  };
  await runLoop(turn, { pipeline, loop: 'dispatching', clock, events }, signal);
}
