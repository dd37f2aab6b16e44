import type { RedisConnection } from '../../redis/connection.ts';
import type { Events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import type { DropEvent } from '../../timelines/change-feed.ts';
import type { ReceivedDrops } from '../received-drops.ts';
import { DEFAULT_CAP } from '../timeline-store.ts';
import { RedisAsideAuthors } from './redis-aside-authors.ts';
import { RedisEventLog } from './redis-event-log.ts';
import { RedisReceivedDrops } from './redis-received-drops.ts';
import { RedisStreamLog } from './redis-stream-log.ts';
import { RedisTimelineStore } from './redis-timeline-store.ts';

export interface RedisKeepingOptions {
  readonly connection: RedisConnection;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: Pick<Events, 'dropEventHandled'>;
  /** The file of the version before with events that could not be appended while Redis was away. */
  readonly spool: string;
  /** Where received drops outlive Redis; closed with the rest. `shared`: all replicas have the same one. */
  readonly received: { readonly durable: ReceivedDrops; readonly shared?: boolean };
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
  readonly received: RedisReceivedDrops;
}

export function keepInRedis(options: RedisKeepingOptions): RedisKeeping {
  const { connection, clock, log, events: telling, spool, keepEventsMs, claimAfterMs, ...others } = options;
  const { received: kind, ...rest } = others;
  const kept = keepEventsMs === undefined ? {} : { keepEventsMs };
  const store = new RedisTimelineStore({ connection, clock, ...rest, ...kept });
  const streams = new RedisStreamLog({
    connection,
    clock,
    log,
    ...(keepEventsMs !== undefined && { keepMs: keepEventsMs }),
  });
  const keepReceived = keptBy(kind);
  const events = new RedisEventLog({
    connection,
    clock,
    log,
    events: telling,
    spool,
    heard: async (event) => {
      if (event.type === 'drop_deleted') store.rememberDeleted(event.drop_id);
      await keepReceived(event);
    },
    ...(claimAfterMs !== undefined && { claimAfterMs }),
  });
  const { cap = DEFAULT_CAP } = rest;
  const received = new RedisReceivedDrops({ connection, clock, log, cap, store, ...kind });
  return {
    store,
    events,
    streams,
    received,
    aside: new RedisAsideAuthors(connection, clock),
    async [Symbol.asyncDispose]() {
      for (const part of [events, received, streams, store]) await part[Symbol.asyncDispose]();
    },
  };
}

/**
 * The log may be lost with Redis before an event is handled. Each replica with a durable place of its own keeps what it hears;
 * a shared one is written by the replica that handles the event.
 */
function keptBy({ durable, shared = false }: RedisKeepingOptions['received']) {
  return async (event: DropEvent): Promise<void> => {
    if (shared) return;
    if (event.type === 'ap_drop_received')
      await durable.keep([{ id: event.drop_id, createdAt: event.created_at }]);
    if (event.type === 'drop_deleted') await durable.remove([event.drop_id]);
  };
}
