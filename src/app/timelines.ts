import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { ReaderServiceDependencies } from '../reader/reader-service.ts';
import { HEALTH_CHECK_USER_ID, type SocialStore } from '../social/social-store.ts';
import { createMemoryTimelineBackend } from '../storage/memory/timelines.ts';
import type { SentinelSettings } from '../storage/redis/sentinel.ts';
import type { RedisTimelineBackendOptions } from '../storage/redis/timelines.ts';
import { SqliteReceivedDrops } from '../storage/sqlite/received-drops.ts';
import { SqliteSocialStore } from '../storage/sqlite/social-store.ts';
import { errorMessage } from '../telemetry/errors.ts';
import { silentTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../time/clock.ts';
import { systemClock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import type { ChangeFeed } from '../timelines/change-feed.ts';
import {
  startTimelines,
  type TimelineService,
  type TimelineServiceDependencies,
} from '../timelines/timeline-service.ts';
import type { ReceivedDrops } from '../timelines/timeline-store.ts';
import { outgoingTls } from '../tls/certificate-watch.ts';
import type { Engine } from './engine.ts';

export interface ServiceCheck {
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Makes one cheap request to each remote service with our own token; empty if none is configured. */
export async function checkServices(config: Config): Promise<readonly ServiceCheck[]> {
  const { userService, postService } = config.timelines;
  if (userService === undefined || postService === undefined) return [];
  const social = await openSocialStore(config, systemClock, silentTelemetry);
  const check = async (what: string, request: () => Promise<unknown>): Promise<ServiceCheck> => {
    try {
      await request();
      return { what, ok: true, detail: 'answers' };
    } catch (error) {
      return { what, ok: false, detail: errorMessage(error) };
    }
  };
  try {
    return await Promise.all([
      check(`User service (${userService})`, () =>
        social.getFollowersPage(HEALTH_CHECK_USER_ID, { limit: 1 }),
      ),
      check(`Post service (${postService})`, () =>
        social.getDropsByUserId(HEALTH_CHECK_USER_ID, { limit: 1 }),
      ),
    ]);
  } finally {
    await social[Symbol.asyncDispose]();
  }
}

/** A social store and the feed of its changes. */
export type OpenedSocial = SocialStore & { readonly changes: ChangeFeed };

/** The social store: remote services if configured, else `local`, by default a file of the data folder. */
export async function openSocialStore(
  config: Config,
  clock: Clock,
  { events, logger: log, metrics }: Telemetry,
  local: () => OpenedSocial = () => SqliteSocialStore.open({ path: join(config.data, 'social.db'), clock }),
): Promise<OpenedSocial> {
  const { userService, postService, serviceTimeout, serviceTls, serviceToken } = config.timelines;
  if (userService === undefined || postService === undefined) return local();
  const { openGrpcSocialStore } = await import('../storage/grpc/social-store.ts');
  const stack = new AsyncDisposableStack();
  const tls = outgoingTls(serviceTls, { use: 'services', clock, log, metrics }, stack);
  const social = stack.use(
    openGrpcSocialStore({
      users: userService,
      posts: postService,
      timeoutMs: serviceTimeout,
      tls,
      clock,
      events,
      ...(serviceToken !== undefined && { token: () => serviceToken.reveal() }),
    }),
  );
  return { ...social, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/**
 * The configured timeline backend; the packages of the other one are not loaded. Received drops are persisted in the
 * store that all replicas share, or in a file of the data folder.
 */
export async function openTimelineStores(
  config: Config,
  clock: Clock,
  telemetry: Telemetry,
  shared?: ReceivedDrops,
): Promise<Engine['timelines']> {
  const { cap, tombstones, idleAfter, stream } = config.timelines;
  const { logger: log, metrics } = telemetry;
  const settings = {
    cap,
    tombstoneTtlMs: tombstones,
    idleMs: idleAfter,
    eventRetentionMs: stream.resumeWindow,
  };
  const redis = redisSettings(config);
  const durable = shared ?? new SqliteReceivedDrops({ path: join(config.data, 'received.db'), cap });
  const received = { durable, shared: shared !== undefined };
  const backend =
    redis === null
      ? createMemoryTimelineBackend({ clock, log, received: durable, ...settings })
      : await openRedisTimelines(redis, config, clock, telemetry, { received, ...settings });
  metrics.observe('kawaraban_fan_out_waiting', async () => [{ value: await backend.eventLog.waiting() }]);
  return backend;
}

/** Settings of fan-out and streams. */
export function timelineSettings({
  timelines,
}: Config): Pick<TimelineServiceDependencies, 'cap' | 'thresholds' | 'stream' | 'followCheckIntervalMs'> {
  const { cap, fanOut, stream, idleAfter, userService, recheckFollows } = timelines;
  return {
    cap,
    // The change feed of our own user service is complete.
    ...(userService !== undefined && { followCheckIntervalMs: recheckFollows }),
    thresholds: {
      activeOnlyAbove: fanOut.activeOnlyAbove,
      mergeAbove: fanOut.mergeAbove,
      activeWithinMs: fanOut.activeWithin,
    },
    stream: {
      heartbeatMs: stream.keepAlive,
      maxPerReader: stream.streamsPerUser,
      maxBufferedBytes: stream.buffer,
      drainMs: stream.drain,
      // A home timeline with an open stream has an active reader.
      touchIntervalMs: Math.min(idleAfter, fanOut.activeWithin) / 4,
    },
  };
}

/** Entries that another process added are noticed within this time. */
const ENTRY_POLL_MS = { embedded: 3 * SECOND, distributed: MINUTE };

/** Settings of the reader's event streams. With Redis, all processes of the distributed engine publish what they add. */
export function readerSettings(
  config: Config,
  { kind, timelines }: Engine,
): Pick<ReaderServiceDependencies, 'stream' | 'pollIntervalMs'> {
  const { keepAlive, streamsPerUser, buffer } = config.timelines.stream;
  const shared = kind === 'distributed' && timelines.readerEvents !== undefined;
  return {
    stream: { heartbeatMs: keepAlive, maxPerPerson: streamsPerUser, maxBufferedBytes: buffer },
    pollIntervalMs: shared ? null : ENTRY_POLL_MS[kind],
  };
}

type RedisSettings = NonNullable<Config['timelines']['redis']>;

/** `null`: timelines are in memory. */
export function redisSettings({ engine, timelines }: Config): RedisSettings | null {
  const defaultStore = timelines.redis !== undefined || engine.kind === 'distributed' ? 'redis' : 'memory';
  if ((timelines.store ?? defaultStore) === 'memory') return null;
  if (timelines.redis !== undefined) return timelines.redis;
  return engine.kind === 'distributed'
    ? engine.redis
    : { nodes: ['localhost:6379'], cluster: false, tls: false, prefix: '' };
}

function sentinelSettings({
  nodes,
  master,
  username,
  password,
}: NonNullable<RedisSettings['sentinel']>): SentinelSettings {
  return {
    nodes,
    master,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password: password.reveal() }),
  };
}

async function openRedisTimelines(
  settings: RedisSettings,
  config: Config,
  clock: Clock,
  { logger: log, events, metrics }: Telemetry,
  options: Pick<
    RedisTimelineBackendOptions,
    'received' | 'cap' | 'tombstoneTtlMs' | 'idleMs' | 'eventRetentionMs'
  >,
): Promise<Engine['timelines']> {
  const [
    { RedisConnection },
    { createRedisTimelineBackend },
    { RedisConnectionRegistry },
    { RedisRevocations },
    { RedisReaderEvents },
  ] = await Promise.all([
    import('../storage/redis/connection.ts'),
    import('../storage/redis/timelines.ts'),
    import('../storage/redis/connection-registry.ts'),
    import('../storage/redis/revocations.ts'),
    import('../storage/redis/reader-events.ts'),
  ]);
  const { nodes, cluster, sentinel, tls, username, password, prefix } = settings;
  const stack = new AsyncDisposableStack();
  const connection = stack.use(
    await RedisConnection.open({
      nodes,
      cluster,
      ...(sentinel !== undefined && { sentinel: sentinelSettings(sentinel) }),
      tls: outgoingTls(tls, { use: 'redis', clock, log, metrics }, stack),
      prefix,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password: password.reveal() }),
      clock,
      log,
      events,
    }),
  );
  const spool = join(config.data, 'waiting-events.jsonl');
  const parts = stack.use(
    createRedisTimelineBackend({ connection, clock, log, events, spoolFile: spool, ...options }),
  );
  const ttlMs = config.timelines.stream.connectionTtl;
  const registry = stack.use(new RedisConnectionRegistry({ connection, clock, log, ttlMs }));
  metrics.observe('kawaraban_redis_memory_bytes', async () => {
    const infos = await connection.onEveryServer(['INFO', 'memory']);
    const used = infos.map((info) => Number(/used_memory:(\d+)/.exec(info)?.[1] ?? 0));
    return [{ value: used.reduce((sum, one) => sum + one, 0) }];
  });
  metrics.observe('kawaraban_redis_up', async () => {
    const up = await connection.onEveryServer(['PING']).then(
      () => 1,
      () => 0,
    );
    return [{ value: up }];
  });
  const { store, eventLog, streams, pullAuthors, received } = parts;
  return {
    store,
    eventLog,
    streams,
    pullAuthors,
    received,
    registry,
    revocations: new RedisRevocations(connection),
    readerEvents: stack.use(new RedisReaderEvents({ connection, clock, log })),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export interface StartTimelinesDependencies {
  readonly config: Config;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly stack: AsyncDisposableStack;
}

/** Starts the timelines of this process. */
export async function startTimelineService(deps: StartTimelinesDependencies): Promise<TimelineService> {
  const { config, engine, clock, telemetry, stack } = deps;
  const { logger: log, events, metrics } = telemetry;
  const { social, changes, timelines } = engine;
  const service = stack.use(
    await startTimelines({
      social,
      changes,
      backend: timelines,
      clock,
      log,
      telemetry: events,
      ...timelineSettings(config),
    }),
  );
  metrics.observe('kawaraban_streams_open', () => [{ value: service.streams.openCount }]);
  return service;
}
