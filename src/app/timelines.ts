import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { HEALTH_CHECK_USER_ID, type SocialStore } from '../social/social-store.ts';
import { createMemoryTimelineBackend } from '../storage/memory/timelines.ts';
import type { RedisTimelineBackendOptions } from '../storage/redis/timelines.ts';
import { SqliteReceivedDrops } from '../storage/sqlite/received-drops.ts';
import { SqliteSocialStore } from '../storage/sqlite/social-store.ts';
import { errorMessage } from '../telemetry/errors.ts';
import type { Events } from '../telemetry/events.ts';
import { silentEvents } from '../telemetry/events.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../time/clock.ts';
import { systemClock } from '../time/clock.ts';
import type { ChangeFeed } from '../timelines/change-feed.ts';
import {
  startTimelines,
  type TimelineService,
  type TimelineServiceDependencies,
} from '../timelines/timeline-service.ts';
import type { ReceivedDrops } from '../timelines/timeline-store.ts';
import type { Engine } from './engine.ts';

export interface ServiceCheck {
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Asks each remote service something small, with our own token; none where the configuration names none. */
export async function checkServices(config: Config): Promise<readonly ServiceCheck[]> {
  const { userService, postService } = config.timelines;
  if (userService === undefined || postService === undefined) return [];
  const social = await openSocialStore(config, systemClock, silentEvents);
  const ask = async (what: string, question: () => Promise<unknown>): Promise<ServiceCheck> => {
    try {
      await question();
      return { what, ok: true, detail: 'answers' };
    } catch (error) {
      return { what, ok: false, detail: errorMessage(error) };
    }
  };
  try {
    return await Promise.all([
      ask(`User service (${userService})`, () => social.getFollowersPage(HEALTH_CHECK_USER_ID, { limit: 1 })),
      ask(`Post service (${postService})`, () => social.getDropsByUserId(HEALTH_CHECK_USER_ID, { limit: 1 })),
    ]);
  } finally {
    await social[Symbol.asyncDispose]();
  }
}

/** A social store and the feed of its changes. */
export type OpenedSocial = SocialStore & { readonly changes: ChangeFeed };

/** People and drops: at remote services where the configuration names them, else `here`, which is a file of the data folder where absent. */
export async function openSocialStore(
  config: Config,
  clock: Clock,
  events: Events,
  here: () => OpenedSocial = () => SqliteSocialStore.open({ path: join(config.data, 'social.db'), clock }),
): Promise<OpenedSocial> {
  const { userService, postService, serviceTimeout, serviceTls, serviceToken } = config.timelines;
  if (userService === undefined || postService === undefined) return here();
  const { openGrpcSocialStore } = await import('../storage/grpc/social-store.ts');
  return openGrpcSocialStore({
    users: userService,
    posts: postService,
    timeoutMs: serviceTimeout,
    tls: serviceTls,
    clock,
    events,
    ...(serviceToken !== undefined && { token: () => serviceToken.reveal() }),
  });
}

/**
 * Where the configuration wants timelines to be kept. The packages of the other place are not loaded. Received drops outlive
 * them in the place that all replicas share, or in a file of the data folder.
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
  const keeping =
    redis === null
      ? createMemoryTimelineBackend({ clock, log, received: durable, ...settings })
      : await openRedisTimelines(redis, config, clock, telemetry, { received, ...settings });
  metrics.observe('kawaraban_fan_out_waiting', async () => [{ value: await keeping.eventLog.waiting() }]);
  return keeping;
}

/** What the settings say about fan-out and streams. */
export function timelineSettings({
  timelines,
}: Config): Pick<TimelineServiceDependencies, 'cap' | 'thresholds' | 'stream' | 'followCheckIntervalMs'> {
  const { cap, fanOut, stream, idleAfter, userService, recheckFollows } = timelines;
  return {
    cap,
    // Our own user service announces every change.
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
      // A home with an open stream is being read, and by an active reader.
      touchIntervalMs: Math.min(idleAfter, fanOut.activeWithin) / 4,
    },
  };
}

type RedisSettings = NonNullable<Config['timelines']['redis']>;

/** `null`: timelines are kept in this process. */
export function redisSettings({ engine, timelines }: Config): RedisSettings | null {
  const usual = timelines.redis !== undefined || engine.kind === 'distributed' ? 'redis' : 'memory';
  if ((timelines.store ?? usual) === 'memory') return null;
  if (timelines.redis !== undefined) return timelines.redis;
  return engine.kind === 'distributed'
    ? engine.redis
    : { nodes: ['localhost:6379'], cluster: false, tls: false, prefix: '' };
}

async function openRedisTimelines(
  settings: RedisSettings,
  config: Config,
  clock: Clock,
  { logger: log, events, metrics }: Telemetry,
  keep: Pick<
    RedisTimelineBackendOptions,
    'received' | 'cap' | 'tombstoneTtlMs' | 'idleMs' | 'eventRetentionMs'
  >,
): Promise<Engine['timelines']> {
  const [
    { RedisConnection },
    { createRedisTimelineBackend: keepInRedis },
    { RedisConnectionRegistry },
    { RedisRevocations },
  ] = await Promise.all([
    import('../storage/redis/connection.ts'),
    import('../storage/redis/timelines.ts'),
    import('../storage/redis/connection-registry.ts'),
    import('../storage/redis/revocations.ts'),
  ]);
  const { nodes, cluster, tls, username, password, prefix } = settings;
  const stack = new AsyncDisposableStack();
  const connection = stack.use(
    await RedisConnection.open({
      nodes,
      cluster,
      tls,
      prefix,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password: password.reveal() }),
      clock,
      log,
      events,
    }),
  );
  const spool = join(config.data, 'waiting-events.jsonl');
  const parts = stack.use(keepInRedis({ connection, clock, log, events, spoolFile: spool, ...keep }));
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
  const { store, eventLog, streams, pullAuthors: aside, received } = parts;
  return {
    store,
    eventLog: eventLog,
    streams,
    pullAuthors: aside,
    received,
    registry,
    revocations: new RedisRevocations(connection),
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
  const { logger: log, events: telling, metrics } = telemetry;
  const { social, changes, timelines: keeping } = engine;
  const service = stack.use(
    await startTimelines({
      social,
      changes,
      backend: keeping,
      clock,
      log,
      telemetry: telling,
      ...timelineSettings(config),
    }),
  );
  metrics.observe('kawaraban_streams_open', () => [{ value: service.streams.openCount }]);
  return service;
}
