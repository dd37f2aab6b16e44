import { errorMessage } from '../telemetry/errors.ts';
import type { Clock } from '../time/clock.ts';

export interface PluginCallOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Ends the call with its reason, also if the plugin does not listen. */
  readonly signal?: AbortSignal | undefined;
}

/** A plugin threw an error, or did not answer in time. */
export class PluginCallError extends Error {
  override readonly name = 'PluginCallError';
  readonly why: 'threw' | 'timeout';

  constructor(why: 'threw' | 'timeout', message: string, options?: ErrorOptions) {
    super(message, options);
    this.why = why;
  }
}

/** Calls a plugin. Whatever it does, this ends: with its answer, with a `PluginCallError`, or with the reason of the signal. */
export async function callPlugin<T>(
  work: (signal: AbortSignal) => T | PromiseLike<T>,
  { clock, timeoutMs, signal }: PluginCallOptions,
): Promise<T> {
  signal?.throwIfAborted();
  const ended = new AbortController();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  const late = clock.sleep(timeoutMs, ended.signal).then(
    () => {
      throw new PluginCallError('timeout', `did not answer within ${Math.round(timeoutMs / 1000)} seconds`);
    },
    () => new Promise<never>(() => {}),
  );
  const answered = (async () => work(signal ? AbortSignal.any([signal, ended.signal]) : ended.signal))();
  // One that loses the race may still fail.
  answered.catch(() => {});
  late.catch(() => {});
  try {
    return await Promise.race([answered, late, stopped]);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof PluginCallError) throw error;
    throw new PluginCallError('threw', errorMessage(error), { cause: error });
  } finally {
    signal?.removeEventListener('abort', stop);
    // Also tells a plugin that is late to stop.
    ended.abort();
  }
}
