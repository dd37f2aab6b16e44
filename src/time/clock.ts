/**
 * Time as the program sees it. Everything that waits or stamps takes a clock, so that a test can move time by hand
 * and a soak run can jump it.
 */
export interface Clock {
  /** Milliseconds since the epoch. May jump: use it for stamps, never for measuring. */
  now(): number;
  /** Milliseconds that only ever grow. For measuring and for time-outs. */
  monotonic(): number;
  /** Resolves after `ms`, or rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Node clamps longer timers to 1 ms, so a longer sleep is taken in pieces. */
const LONGEST_TIMER = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    for (let left = Math.max(0, ms); ; left -= LONGEST_TIMER) {
      await sleepOnce(Math.min(left, LONGEST_TIMER), signal);
      if (left <= LONGEST_TIMER) return;
    }
  },
};

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal?.aborted) {
    reject(signal.reason);
    return promise;
  }
  const stop = (): void => {
    clearTimeout(timer);
    reject(signal?.reason);
  };
  const timer = setTimeout(() => {
    signal?.removeEventListener('abort', stop);
    resolve();
  }, ms);
  signal?.addEventListener('abort', stop, { once: true });
  return promise;
}
