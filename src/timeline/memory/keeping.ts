import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { MemoryAsideAuthors } from './memory-aside-authors.ts';
import { MemoryEventLog } from './memory-event-log.ts';
import { MemoryStreamLog } from './memory-stream-log.ts';
import { MemoryTimelineStore } from './memory-timeline-store.ts';

export interface MemoryKeepingOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly groups: readonly string[];
  readonly cap?: number;
  readonly keepTombstonesMs?: number;
  readonly idleMs?: number;
  /** How long events are kept for readers that come back. */
  readonly keepEventsMs?: number;
  /** How many of them. */
  readonly historySize?: number;
}

/** Everything that the timelines need, in this process. */
export interface MemoryKeeping extends AsyncDisposable {
  readonly store: MemoryTimelineStore;
  readonly events: MemoryEventLog;
  readonly streams: MemoryStreamLog;
  readonly aside: MemoryAsideAuthors;
}

export function keepInMemory({
  clock,
  log,
  groups,
  keepEventsMs,
  historySize,
  ...options
}: MemoryKeepingOptions): MemoryKeeping {
  const streams = new MemoryStreamLog({
    clock,
    ...(historySize !== undefined && { size: historySize }),
    ...(keepEventsMs !== undefined && { keepMs: keepEventsMs }),
  });
  const store = new MemoryTimelineStore({ clock, streams, ...options });
  const events = new MemoryEventLog({ clock, log, groups });
  return {
    store,
    events,
    streams,
    aside: new MemoryAsideAuthors(),
    async [Symbol.asyncDispose]() {
      for (const part of [events, store, streams]) await part[Symbol.asyncDispose]();
    },
  };
}
