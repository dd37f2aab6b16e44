import { errorMessage } from '../telemetry/errors.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { backoff } from '../time/retry.ts';

/** A dead worker's items are looked for within a minute, also after an hour without a store (X21). */
export const LOOP_BACKOFF = { baseMs: SECOND, capMs: MINUTE };

export interface LoopDependencies {
  readonly pipeline: string;
  /** What goes on all the time, in a word: for the log and the counter. */
  readonly loop: string;
  readonly clock: Clock;
  readonly events: Pick<Events, 'loopFailed'>;
}

/**
 * Takes one turn after another until the signal, or until a turn answers `over`. A turn that fails, because the store is away
 * say, is reported and retried: after a second, then after twice as long each time, at most a minute. Only an error that
 * stops the program (A16) ends the loop.
 */
export async function runLoop(
  turn: () => Promise<'again' | 'over'>,
  deps: LoopDependencies,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      if ((await turn()) === 'over') return;
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (stopsProgram(error)) throw error;
      failures += 1;
      const waitMs = backoff(failures, LOOP_BACKOFF);
      const { pipeline, loop } = deps;
      deps.events.loopFailed({ pipeline, loop, failures, waitMs, detail: errorMessage(error), error });
      await deps.clock.sleep(waitMs, signal).catch(() => {});
    }
  }
}

/**
 * Keeps all of them going until the signal. When one ends the program, the others are stopped and waited for first; by
 * their second signal they see that it came to that.
 */
export async function runTogether(
  loops: readonly ((signal: AbortSignal, ended: AbortSignal) => Promise<unknown>)[],
  signal: AbortSignal,
): Promise<void> {
  const ended = new AbortController();
  const errors: unknown[] = [];
  await Promise.all(
    loops.map(async (loop) => {
      try {
        await loop(AbortSignal.any([signal, ended.signal]), ended.signal);
      } catch (error) {
        errors.push(error);
        ended.abort(error);
      }
    }),
  );
  if (errors.length > 0) throw errors[0];
}

/**
 * Waits, and looks at the wall clock again each minute because wall clocks jump and laptops sleep. A wall clock that is set back
 * makes the wait no longer. False when the signal came first.
 */
export async function sleepFor(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  const end = clock.now() + ms;
  const over = clock.monotonic() + ms;
  try {
    for (let left = ms; left > 0; left = Math.min(end - clock.now(), over - clock.monotonic()))
      await clock.sleep(Math.min(left, MINUTE), signal);
  } catch {
    return false;
  }
  return !signal.aborted;
}

/**
 * How far an error reaches, as it says of itself by a field `stops` (A16): after `program` nothing gets better until a
 * person acts, after `run` the next run may do better. An error without the field fails what was under way and no more.
 */
export type StopScope = 'program' | 'run';

/** Of an error, of what caused it, and of all that it gathers. */
export function stopScopeOf(error: unknown): StopScope | null {
  let reach: StopScope | null = null;
  for (const one of withCauses(error)) {
    const stops = 'stops' in one ? one.stops : null;
    if (stops === 'program') return stops;
    if (stops === 'run') reach = stops;
  }
  return reach;
}

export function stopsProgram(error: unknown): boolean {
  return stopScopeOf(error) === 'program';
}

function* withCauses(error: unknown): Generator<Error> {
  if (!(error instanceof Error)) return;
  yield error;
  yield* withCauses(error.cause);
  if (error instanceof AggregateError) for (const each of error.errors) yield* withCauses(each);
}
