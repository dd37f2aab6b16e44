import { errorMessage } from '../telemetry/errors.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { backoff } from '../time/retry.ts';

/** At most a minute, so that items of a dead worker are found in time even after a long outage of the store (X21). */
export const LOOP_BACKOFF = { baseMs: SECOND, capMs: MINUTE };

export interface LoopDependencies {
  readonly pipeline: string;
  /** Name of the loop, for the log and the metrics. */
  readonly loop: string;
  readonly clock: Clock;
  readonly events: Pick<Events, 'loopFailed'>;
}

/**
 * Runs iterations until the signal, or until one returns `over`. A failed iteration is reported and retried with
 * exponential backoff, from a second to a minute. Only an error that stops the program (A16) ends the loop.
 */
export async function runLoop(
  iterate: () => Promise<'again' | 'over'>,
  deps: LoopDependencies,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      if ((await iterate()) === 'over') return;
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
 * Runs loops concurrently until the signal. If one throws, the others are aborted and awaited before the error is
 * rethrown; their second signal is aborted only in that case.
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
 * Sleeps, checking the wall clock each minute because wall clocks jump and laptops sleep. A wall clock that is set
 * back does not extend the sleep. False if the signal came first.
 */
export async function sleepFor(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  const end = clock.now() + ms;
  const monotonicEnd = clock.monotonic() + ms;
  try {
    for (let left = ms; left > 0; left = Math.min(end - clock.now(), monotonicEnd - clock.monotonic()))
      await clock.sleep(Math.min(left, MINUTE), signal);
  } catch {
    return false;
  }
  return !signal.aborted;
}

/**
 * Scope of an error, declared by its field `stops` (A16): `program` needs a person, `run` may succeed in the next
 * run. An error without the field fails only the current operation.
 */
export type StopScope = 'program' | 'run';

/** The widest scope of an error, its causes and its aggregated errors. */
export function stopScopeOf(error: unknown): StopScope | null {
  let scope: StopScope | null = null;
  for (const one of withCauses(error)) {
    const stops = 'stops' in one ? one.stops : null;
    if (stops === 'program') return stops;
    if (stops === 'run') scope = stops;
  }
  return scope;
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
