import type { Clock } from '../../time/clock.ts';

export type Timed<T> = { readonly done: true; readonly value: T } | { readonly done: false };

/**
 * Runs something that takes a signal, for at most so long. A time-out is a value; the caller's own abort is thrown on.
 */
export async function timed<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => PromiseLike<T>,
): Promise<Timed<T>> {
  const tooLate = new AbortController();
  const finished = new AbortController();
  const both = signal === undefined ? tooLate.signal : AbortSignal.any([signal, tooLate.signal]);
  const alarm = clock.sleep(ms, finished.signal).then(
    () => tooLate.abort(new Error(`no answer within ${ms} ms`)),
    () => undefined,
  );
  try {
    return { done: true, value: await run(both) };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (tooLate.signal.aborted) return { done: false };
    throw error;
  } finally {
    finished.abort();
    await alarm;
  }
}
