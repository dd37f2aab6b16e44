import { errorMessage } from '../telemetry/errors.ts';
import type { Events } from '../telemetry/events.ts';
import { inSpan, underTrace } from '../telemetry/tracing.ts';
import type { Clock } from '../time/clock.ts';
import type { Change, ChangeHandler } from '../timelines/change-feed.ts';
import { type FanOutParts, fanOut } from './fan-out.ts';

/** Fans each event out and tells how it went. */
export function fanOutHandler(fan: FanOutParts, telling: Pick<Events, 'dropEventHandled'>): ChangeHandler {
  const { clock } = fan;
  return async (event, { at, trace }) => {
    const began = clock.monotonic();
    const told = (timelines: number): void =>
      telling.dropEventHandled({
        type: event.type,
        outcome: 'handled',
        timelines,
        ms: clock.monotonic() - began,
        lagMs: Math.max(0, clock.now() - at),
      });
    const traced = <T>(work: () => Promise<T>): Promise<T> =>
      underTrace(trace, () =>
        inSpan('event.handle', { type: event.type }, () => failing(event, telling, began, clock, work)),
      );
    return traced(async () => {
      const { timelines, rest } = await fanOut(event, fan);
      if (rest === undefined) {
        told(timelines);
        return undefined;
      }
      return () => traced(async () => told(timelines + (await rest())));
    });
  };
}

async function failing<T>(
  event: Change,
  telling: Pick<Events, 'dropEventHandled'>,
  began: number,
  clock: Clock,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const detail = errorMessage(error);
    const ms = clock.monotonic() - began;
    telling.dropEventHandled({ type: event.type, outcome: 'failed', timelines: 0, ms, detail });
    throw error;
  }
}
