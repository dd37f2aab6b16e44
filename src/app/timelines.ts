import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { TimelineServiceParts } from '../stream/timeline-service.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../time/clock.ts';
import { keepInMemory } from '../timeline/memory/keeping.ts';
import type { ReceivedDrops } from '../timeline/received-drops.ts';
import type { RedisKeepingOptions } from '../timeline/redis/keeping.ts';
import { SqliteReceivedDrops } from '../timeline/sqlite/sqlite-received-drops.ts';
import type { Engine } from './engine.ts';

/**
 * Where the configuration wants timelines to be kept. The packages of the other place are not loaded. Received drops outlive
 * them in the place that all replicas share, or in a file of the data folder.
 */
export async function openTimelines(
  config: Config,
  clock: Clock,
  telemetry: Telemetry,
  shared?: ReceivedDrops,
): Promise<Engine['timelines']> {
  const { cap, tombstones, idleAfter, stream } = config.timelines;
  const { logger: log, metrics } = telemetry;
  const settings = {
    cap,
    keepTombstonesMs: tombstones,
    idleMs: idleAfter,
    keepEventsMs: stream.resumeWindow,
  };
  const redis = redisOf(config);
  const durable = shared ?? new SqliteReceivedDrops({ path: join(config.data, 'received.db'), cap });
  const received = { durable, shared: shared !== undefined };
  const keeping =
    redis === null
      ? keepInMemory({ clock, log, received: durable, ...settings })
      : await openInRedis(redis, config, clock, telemetry, { received, ...settings });
  metrics.observe('kawaraban_fan_out_waiting', async () => [{ value: await keeping.events.waiting() }]);
  return keeping;
}

/** What the settings say about fan-out and streams. */
export function timelineSettings({
  timelines,
}: Config): Pick<TimelineServiceParts, 'cap' | 'thresholds' | 'stream' | 'recheckFollowsMs'> {
  const { cap, fanOut, stream, idleAfter, userService, recheckFollows } = timelines;
  return {
    cap,
    // Our own user service announces every change.
    ...(userService !== undefined && { recheckFollowsMs: recheckFollows }),
    thresholds: {
      activeOnlyAbove: fanOut.activeOnlyAbove,
      mergeAbove: fanOut.mergeAbove,
      activeWithinMs: fanOut.activeWithin,
    },
    stream: {
      heartbeatMs: stream.keepAlive,
      perReader: stream.streamsPerUser,
      bufferBytes: stream.buffer,
      drainMs: stream.drain,
      // A home with an open stream is being read, and by an active reader.
      touchEveryMs: Math.min(idleAfter, fanOut.activeWithin) / 4,
    },
  };
}

type RedisSettings = NonNullable<Config['timelines']['redis']>;

/** `null`: timelines are kept in this process. */
export function redisOf({ engine, timelines }: Config): RedisSettings | null {
  const usual = timelines.redis !== undefined || engine.kind === 'distributed' ? 'redis' : 'memory';
  if ((timelines.store ?? usual) === 'memory') return null;
  if (timelines.redis !== undefined) return timelines.redis;
  return engine.kind === 'distributed'
    ? engine.redis
    : { nodes: ['localhost:6379'], cluster: false, tls: false, prefix: '' };
}

async function openInRedis(
  settings: RedisSettings,
  config: Config,
  clock: Clock,
  { logger: log, events, metrics }: Telemetry,
  keep: Pick<RedisKeepingOptions, 'received' | 'cap' | 'keepTombstonesMs' | 'idleMs' | 'keepEventsMs'>,
): Promise<Engine['timelines']> {
  const [{ RedisConnection }, { keepInRedis }, { RedisConnectionRegistry }, { RedisRevocations }] =
    await Promise.all([
      import('../redis/connection.ts'),
      import('../timeline/redis/keeping.ts'),
      import('../stream/redis/redis-connection-registry.ts'),
      import('../auth/redis/redis-revocations.ts'),
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
  const parts = stack.use(keepInRedis({ connection, clock, log, events, spool, ...keep }));
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
  const { store, events: eventLog, streams, aside, received } = parts;
  return {
    store,
    events: eventLog,
    streams,
    aside,
    received,
    registry,
    revocations: new RedisRevocations(connection),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
