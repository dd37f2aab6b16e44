import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { LocalDelivery } from '../../timelines/local-delivery.ts';
import type { ReceivedDrops } from '../received-drops.ts';
import { DEFAULT_CAP } from '../timeline-store.ts';
import { MemoryAsideAuthors } from './memory-aside-authors.ts';
import { MemoryReceivedDrops } from './memory-received-drops.ts';
import { MemoryStreamLog } from './memory-stream-log.ts';
import { MemoryTimelineStore } from './memory-timeline-store.ts';

export interface MemoryKeepingOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Where received drops outlive this process; closed with the rest. When absent they do not. */
  readonly received?: ReceivedDrops;
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
  readonly events: LocalDelivery;
  readonly streams: MemoryStreamLog;
  readonly aside: MemoryAsideAuthors;
  readonly received: ReceivedDrops;
}

export function keepInMemory({
  clock,
  log,
  keepEventsMs,
  historySize,
  cap = DEFAULT_CAP,
  received = new MemoryReceivedDrops(cap),
  ...options
}: MemoryKeepingOptions): MemoryKeeping {
  const streams = new MemoryStreamLog({
    clock,
    ...(historySize !== undefined && { size: historySize }),
    ...(keepEventsMs !== undefined && { keepMs: keepEventsMs }),
  });
  const store = new MemoryTimelineStore({ clock, streams, cap, ...options });
  const events = new LocalDelivery({ clock, log });
  return {
    store,
    events,
    streams,
    received,
    aside: new MemoryAsideAuthors(),
    async [Symbol.asyncDispose]() {
      for (const part of [received, store, streams]) await part[Symbol.asyncDispose]();
    },
  };
}
