import type { RedisConnection } from '../../redis/connection.ts';
import type { Events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { RedisAsideAuthors } from './redis-aside-authors.ts';
import { RedisEventLog } from './redis-event-log.ts';
import { RedisStreamLog } from './redis-stream-log.ts';
import { RedisTimelineStore } from './redis-timeline-store.ts';

export interface RedisKeepingOptions {
  readonly connection: RedisConnection;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: Pick<Events, 'dropEventHandled'>;
  /** A file for events that could not be appended while Redis was away. */
  readonly spool: string;
  readonly cap?: number;
  readonly keepTombstonesMs?: number;
  readonly idleMs?: number;
  /** How long events are kept for readers that come back. */
  readonly keepEventsMs?: number;
  readonly claimAfterMs?: number;
}

/** Everything that the timelines need, in Redis. The connection stays open when it is closed. */
export interface RedisKeeping extends AsyncDisposable {
  readonly store: RedisTimelineStore;
  readonly events: RedisEventLog;
  readonly streams: RedisStreamLog;
  readonly aside: RedisAsideAuthors;
}

export function keepInRedis(options: RedisKeepingOptions): RedisKeeping {
  const { connection, clock, log, events: telling, spool, keepEventsMs, claimAfterMs, ...rest } = options;
  const kept = keepEventsMs === undefined ? {} : { keepEventsMs };
  const store = new RedisTimelineStore({ connection, clock, ...rest, ...kept });
  const streams = new RedisStreamLog({
    connection,
    clock,
    log,
    ...(keepEventsMs !== undefined && { keepMs: keepEventsMs }),
  });
  const events = new RedisEventLog({
    connection,
    clock,
    log,
    events: telling,
    spool,
    ...(claimAfterMs !== undefined && { claimAfterMs }),
  });
  return {
    store,
    events,
    streams,
    aside: new RedisAsideAuthors(connection, clock),
    async [Symbol.asyncDispose]() {
      for (const part of [events, streams, store]) await part[Symbol.asyncDispose]();
    },
  };
}
