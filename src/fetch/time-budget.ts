import type { Clock } from '../time/clock.ts';

interface Deadline {
  readonly dueAt: number;
  readonly expire: () => void;
}

const STOP = new Error('no deadline is left');

/**
 * Many deadlines, one timer. Most requests end long before their deadline, so each costs an entry in a set and no timer
 * of its own.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #open = new Set<Deadline>();
  #timer: { readonly dueAt: number; readonly stop: AbortController } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `expire` after `ms`, unless the returned function is called before. */
  add(ms: number, expire: () => void): () => void {
    const deadline: Deadline = { dueAt: this.#clock.monotonic() + ms, expire };
    this.#open.add(deadline);
    if (this.#timer === null || deadline.dueAt < this.#timer.dueAt) this.#wakeAt(deadline.dueAt);
    return () => {
      this.#open.delete(deadline);
      if (this.#open.size === 0) this.#stop();
    };
  }

  #wakeAt(dueAt: number): void {
    this.#stop();
    const timer = { dueAt, stop: new AbortController() };
    this.#timer = timer;
    this.#clock.sleep(dueAt - this.#clock.monotonic(), timer.stop.signal).then(
      () => {
        if (this.#timer === timer) this.#timer = null;
        this.#expireDue();
      },
      () => {},
    );
  }

  #expireDue(): void {
    const now = this.#clock.monotonic();
    for (const deadline of this.#open) {
      // Timers may be early by a fraction of a millisecond.
      if (deadline.dueAt > now + 1) continue;
      this.#open.delete(deadline);
      deadline.expire();
    }
    let next = Number.POSITIVE_INFINITY;
    for (const { dueAt } of this.#open) next = Math.min(next, dueAt);
    if (next !== Number.POSITIVE_INFINITY) this.#wakeAt(next);
  }

  #stop(): void {
    this.#timer?.stop.abort(STOP);
    this.#timer = null;
  }
}

/** Work in progress that can be cancelled. `done` settles at once when it is. */
export interface Cancellable<T> {
  readonly done: Promise<T>;
  cancel(reason: unknown): void;
}

/**
 * The time budget of one request over all its redirects. Only time spent with the server counts, not the waiting for the
 * throttle of its host.
 */
export class TimeBudget {
  readonly signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #deadlines: Deadlines;
  #left: number;

  constructor(clock: Clock, deadlines: Deadlines, totalMs: number, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#deadlines = deadlines;
    this.#left = totalMs;
    this.signal = signal;
  }

  get over(): boolean {
    return this.#left <= 0;
  }

  /** Waits for work within the remaining time. Cancels it when the time is over or the caller aborts. */
  async spend<T>(running: Cancellable<T>): Promise<T> {
    const started = this.#clock.monotonic();
    const onAbort = (): void => running.cancel(this.signal?.reason);
    if (this.signal?.aborted) onAbort();
    else this.signal?.addEventListener('abort', onAbort, { once: true });
    let ranOut = false;
    const cancel = this.#deadlines.add(this.#left, () => {
      ranOut = true;
      running.cancel(new Error('time budget exceeded'));
    });
    try {
      return await running.done;
    } finally {
      this.signal?.removeEventListener('abort', onAbort);
      cancel();
      this.#left = ranOut ? 0 : this.#left - (this.#clock.monotonic() - started);
    }
  }
}
