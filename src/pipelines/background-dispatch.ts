import type { ItemKey } from '../item/item.ts';
import type { WakeUpSignal } from '../outbox/wake-up.ts';
import { runLoop } from '../scheduler/loop.ts';
import { SECOND } from '../time/duration.ts';
import { dispatchDue, type PublishDependencies } from './publish.ts';

/** How many items may be prepared while an earlier one is being sent. */
const MAX_AHEAD = 4;

/** Sends enqueued messages in the background, in the order of the outbox, while the next items are being prepared. */
export class BackgroundDispatcher {
  readonly #deps: PublishDependencies;
  readonly #signal: AbortSignal;
  /** Items with enqueued messages that are not finished yet. */
  readonly #ahead = new Set<ItemKey>();
  readonly #onFinished: (key: ItemKey) => Promise<void>;
  #running: Promise<void> | null = null;
  #again = false;
  #progressed = Promise.withResolvers<void>();
  #reporting: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | null = null;

  constructor(deps: PublishDependencies, signal: AbortSignal, onFinished: (key: ItemKey) => Promise<void>) {
    this.#deps = deps;
    this.#signal = signal;
    this.#onFinished = onFinished;
  }

  /** Starts dispatching; call it after the messages of the item were enqueued. */
  add(key: ItemKey): void {
    this.#ahead.add(key);
    this.#again = true;
    this.#running ??= this.#run();
  }

  /** Waits until fewer than `MAX_AHEAD` items are unfinished. */
  async waitForCapacity(): Promise<void> {
    while (this.#ahead.size >= MAX_AHEAD && this.#running !== null)
      await Promise.race([this.#progressed.promise, this.#running]);
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Waits for the dispatch to end. Returns the items whose messages are not finished. */
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

const MIN_POLL_INTERVAL_MS = 2 * SECOND;

/**
 * Dispatches messages that become due between two runs, until the signal. Polls the outbox on a wake-up, at the due
 * time of the next message, and otherwise at the poll interval of the store.
 */
export async function runDispatchLoop(
  deps: PublishDependencies,
  wakeUp: WakeUpSignal,
  onIteration: () => void,
  signal: AbortSignal,
): Promise<void> {
  const destinations = deps.publishers.map(({ id }) => id);
  const { pipeline, events, clock, outbox } = deps;
  const iterate = async (): Promise<'again'> => {
    onIteration();
    const due = await outbox.nextDue(destinations);
    const wait = (due ?? Number.POSITIVE_INFINITY) - clock.now();
    if (wait <= 0) await dispatchDue(deps, signal);
    // More may be due after this: messages behind the sent ones, or those whose lease in another process expires.
    await wakeUp.wait(
      Math.min(outbox.abilities.pollIntervalMs, Math.max(MIN_POLL_INTERVAL_MS, wait)),
      signal,
    );
    return 'again';
  };
  await runLoop(iterate, { pipeline, loop: 'dispatching', clock, events }, signal);
}
