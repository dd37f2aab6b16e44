import { errorMessage } from '../telemetry/errors.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { backoff } from '../time/retry.ts';
import { stopsProgram } from './ending-errors.ts';

/** A dead worker's items are looked for within a minute, also after an hour without a store (X21). */
export const LOOP_BACKOFF = { baseMs: SECOND, capMs: MINUTE };

export interface EndlessParts {
  readonly pipeline: string;
  /** What goes on all the time, in a word: for the log and the counter. */
  readonly loop: string;
  readonly clock: Clock;
  readonly events: Pick<Events, 'loopFailed'>;
}

/**
 * Takes one turn after another until the signal, or until a turn answers `over`. A turn that fails, because the store is away
 * say, is told and taken again: after a second, then after twice as long each time, at most a minute. Only an error that
 * stops the program (A16) ends the loop.
 */
export async function endless(
  turn: () => Promise<'again' | 'over'>,
  parts: EndlessParts,
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
      const { pipeline, loop } = parts;
      parts.events.loopFailed({ pipeline, loop, failures, waitMs, detail: errorMessage(error), error });
      await parts.clock.sleep(waitMs, signal).catch(() => {});
    }
  }
}

/**
 * Keeps all of them going until the signal. When one ends the program, the others are stopped and waited for first; by
 * their second signal they see that it came to that.
 */
export async function allGoing(
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
