import type { Config } from '../config/config.ts';
import { startTimelines, type TimelineService } from '../stream/timeline-service.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../time/clock.ts';
import type { Engine } from './engine.ts';
import { timelineSettings } from './timelines.ts';

export interface TimelineParts {
  readonly config: Config;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly stack: AsyncDisposableStack;
}

/** Starts the timelines of this process. */
export async function openTimelines(parts: TimelineParts): Promise<TimelineService> {
  const { config, engine, clock, telemetry, stack } = parts;
  const { logger: log, events: telling, metrics } = telemetry;
  const { social, changes, timelines: keeping } = engine;
  const service = stack.use(
    await startTimelines({ social, changes, keeping, clock, log, telling, ...timelineSettings(config) }),
  );
  metrics.observe('kawaraban_streams_open', () => [{ value: service.streams.open }]);
  return service;
}
