import type { Config } from '../config/config.ts';
import { startTimelines, type TimelineService } from '../stream/timeline-service.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../time/clock.ts';
import { watchOthers } from '../timeline/watch-others.ts';
import type { Engine } from './engine.ts';
import { redisOf, timelineSettings } from './timelines.ts';

export interface TimelineParts {
  readonly config: Config;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly stack: AsyncDisposableStack;
}

/** Timelines that hear of everything, whoever does it. */
export async function openTimelines(parts: TimelineParts): Promise<TimelineService> {
  const { config, engine, clock, telemetry, stack } = parts;
  const { logger: log, events: telling, metrics } = telemetry;
  const { social, timelines: keeping } = engine;
  const service = stack.use(
    await startTimelines({ social, keeping, clock, log, telling, ...timelineSettings(config) }),
  );
  metrics.observe('kawaraban_streams_open', () => [{ value: service.streams.open }]);
  // What others do reaches Redis by itself; the memory of this program has to be told.
  if (redisOf(config) === null) {
    const { events, store } = keeping;
    const { timelines } = service;
    stack.use(watchOthers({ social, events, store, timelines, clock, log }));
  }
  return service;
}
