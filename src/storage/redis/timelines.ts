import { randomBytes } from 'node:crypto';
import type { Events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { DropEvent } from '../../timelines/change-feed.ts';
import {
  DEFAULT_CAP,
  type PullAuthorList,
  type PullAuthors,
  type ReceivedDrops,
} from '../../timelines/timeline-store.ts';
import { type RedisConnection, script, toArray } from './connection.ts';
import { RedisEventLog } from './event-log.ts';
import { RedisReceivedDrops } from './received-drops.ts';
import { RedisStreamLog } from './stream-log.ts';
import { orUnavailable } from './timeline-layout.ts';
import { RedisTimelineStore } from './timeline-store.ts';

export interface RedisTimelineBackendOptions {
  readonly connection: RedisConnection;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: Pick<Events, 'dropEventHandled'>;
  /** The previous version's file of events that could not be appended while Redis was unavailable. */
  readonly spoolFile: string;
  /** Durable store of received drops beside Redis; closed with the rest. `shared`: all replicas have the same one. */
  readonly received: { readonly durable: ReceivedDrops; readonly shared?: boolean };
  readonly cap?: number;
  readonly tombstoneTtlMs?: number;
  readonly idleMs?: number;
  /** Retention of events for readers that reconnect. */
  readonly eventRetentionMs?: number;
  readonly claimAfterMs?: number;
}

/** Everything that the timelines need, in Redis. Closing it leaves the connection open. */
export interface RedisTimelineBackend extends AsyncDisposable {
  readonly store: RedisTimelineStore;
  readonly eventLog: RedisEventLog;
  readonly streams: RedisStreamLog;
  readonly pullAuthors: RedisPullAuthors;
  readonly received: RedisReceivedDrops;
}

export function createRedisTimelineBackend(options: RedisTimelineBackendOptions): RedisTimelineBackend {
  const { connection, clock, log, spoolFile, eventRetentionMs, claimAfterMs, cap = DEFAULT_CAP } = options;
  const { tombstoneTtlMs, idleMs } = options;
  const store = new RedisTimelineStore({
    connection,
    clock,
    cap,
    ...(tombstoneTtlMs !== undefined && { tombstoneTtlMs }),
    ...(idleMs !== undefined && { idleMs }),
    ...(eventRetentionMs !== undefined && { eventRetentionMs }),
  });
  const streams = new RedisStreamLog({
    connection,
    clock,
    log,
    ...(eventRetentionMs !== undefined && { retentionMs: eventRetentionMs }),
  });
  const storeReceived = createReceivedDropHandler(options.received);
  const eventLog = new RedisEventLog({
    connection,
    clock,
    log,
    events: options.events,
    spoolFile,
    onEvent: async (event) => {
      if (event.type === 'drop_deleted') store.markDeleted(event.drop_id);
      await storeReceived(event);
    },
    ...(claimAfterMs !== undefined && { claimAfterMs }),
  });
  const received = new RedisReceivedDrops({ connection, clock, log, cap, store, ...options.received });
  return {
    store,
    eventLog,
    streams,
    received,
    pullAuthors: new RedisPullAuthors(connection, clock),
    async [Symbol.asyncDispose]() {
      for (const part of [eventLog, received, streams, store]) await part[Symbol.asyncDispose]();
    },
  };
}

/**
 * The log may be lost with Redis before an event is handled. Each replica with a durable store of its own stores the events
 * it receives; a shared one is written by the replica that handles the event.
 */
function createReceivedDropHandler({ durable, shared = false }: RedisTimelineBackendOptions['received']) {
  return async (event: DropEvent): Promise<void> => {
    if (shared) return;
    if (event.type === 'ap_drop_received')
      await durable.add([{ id: event.drop_id, createdAt: event.created_at }]);
    if (event.type === 'drop_deleted') await durable.remove([event.drop_id]);
  };
}

/** How long a replica caches the list. */
const CACHE_TTL_MS = SECOND;

/** KEYS the set, its version. ARGV command, author, new version. */
const CHANGE_SCRIPT = script(
  'aside',
  "if redis.call(ARGV[1], KEYS[1], ARGV[2]) == 1 then redis.call('SET', KEYS[2], ARGV[3]) end return 1",
);
const LIST_SCRIPT = script(
  'aside_list',
  "return { redis.call('GET', KEYS[2]), redis.call('SMEMBERS', KEYS[1]) }",
);

/** The pull authors, shared by all replicas. Every page needs the list, so it is cached for a second. */
export class RedisPullAuthors implements PullAuthors {
  readonly #redis: RedisConnection;
  readonly #clock: Clock;
  readonly #keys: readonly string[];
  #cached: PullAuthorList | null = null;
  #readAt = 0;
  #reading: Promise<PullAuthorList> | null = null;

  constructor(connection: RedisConnection, clock: Clock) {
    this.#redis = connection;
    this.#clock = clock;
    const key = `${connection.prefix}timeline_aside`;
    this.#keys = [key, key.includes('{') ? `${key}:version` : `{${key}}:version`];
  }

  async list(): Promise<PullAuthorList> {
    if (this.#cached && this.#clock.monotonic() - this.#readAt < CACHE_TTL_MS) return this.#cached;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  add(authorId: string): Promise<void> {
    return this.#change('SADD', authorId);
  }

  remove(authorId: string): Promise<void> {
    return this.#change('SREM', authorId);
  }

  async #change(command: string, authorId: string): Promise<void> {
    await orUnavailable(() =>
      this.#redis.run(CHANGE_SCRIPT, this.#keys, [command, authorId, randomBytes(6).toString('hex')]),
    );
    this.#cached = null;
  }

  async #read(): Promise<PullAuthorList> {
    const reply = await orUnavailable(() => this.#redis.run(LIST_SCRIPT, this.#keys, []));
    const [version, authors] = toArray(reply);
    this.#cached = {
      version: String(version ?? '0'),
      authors: new Set(toArray(authors).map(String)),
    };
    this.#readAt = this.#clock.monotonic();
    return this.#cached;
  }
}
