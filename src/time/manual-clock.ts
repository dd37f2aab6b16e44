import type { Clock } from './clock.ts';

interface Sleeper {
  readonly dueAt: number;
  readonly wake: () => void;
}

/**
 * A clock that only tests move. `advance` wakes the sleepers in order of their due time and lets their reactions run
 * before it continues, so that a chain of sleeps behaves as in real time.
 */
export class ManualClock implements Clock {
  #now: number;
  #monotonic = 0;
  #sleepers: Sleeper[] = [];

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** How many sleeps have not ended yet. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal?.aborted) {
      reject(signal.reason);
      return promise;
    }
    const sleeper: Sleeper = { dueAt: this.#monotonic + Math.max(0, ms), wake: resolve };
    this.#sleepers.push(sleeper);
    signal?.addEventListener('abort', () => {
      this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
      reject(signal.reason);
    });
    return promise;
  }

  /** Moves both times forward and wakes sleepers as they become due. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    for (;;) {
      await flushMicrotasks();
      const next = this.#sleepers.filter((s) => s.dueAt <= end).sort((a, b) => a.dueAt - b.dueAt)[0];
      if (!next) break;
      this.#sleepers = this.#sleepers.filter((other) => other !== next);
      this.#move(Math.max(0, next.dueAt - this.#monotonic));
      next.wake();
    }
    this.#move(end - this.#monotonic);
    await flushMicrotasks();
  }

  /** Changes the wall clock alone, as an operator or NTP does; sleepers are not affected. */
  jump(ms: number): void {
    this.#now += ms;
  }

  #move(ms: number): void {
    this.#now += ms;
    this.#monotonic += ms;
  }
}

/** Lets pending promise reactions and immediate callbacks run. */
async function flushMicrotasks(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}
