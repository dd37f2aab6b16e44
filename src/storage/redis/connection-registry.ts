import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE, SECOND } from '../../time/duration.ts';
import type { ConnectionRegistry, OpenConnection } from '../../timelines/streams.ts';
import { type RedisConnection, script, toArray } from './connection.ts';

export interface RedisConnectionRegistryOptions {
  readonly connection: RedisConnection;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ttlMs?: number;
  /** `pod` of the contract; the host name where absent. */
  readonly podName?: string;
}

const BATCH_SIZE = 500;
/** A replica without a heartbeat for this long is dead, and its streams no longer count. */
const REPLICA_TTL_MS = 10 * SECOND;

/**
 * The open streams in Redis, under the names of the contract (C3): `sse_connections:user:{user_id}`, the set of the user's
 * connections, and `sse_connection:{connection_id}`, a hash with a time to live. In a cluster the two are on different
 * nodes, so they are changed one after the other: the hash decides, and a set member without a hash is removed by the next
 * reader of the set. Each hash names the heartbeat key of its replica, `sse_replica:{id}`, which expires within seconds:
 * from then on the streams of a killed replica no longer count.
 */
export class RedisConnectionRegistry implements ConnectionRegistry {
  readonly #redis: RedisConnection;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #ttlMs: number;
  readonly #podName: string;
  readonly #stop = new AbortController();
  readonly #cleaning: Promise<void>;
  readonly #replica: string;
  readonly #heartbeat: Promise<void>;

  constructor({
    connection,
    clock,
    log,
    ttlMs = MINUTE,
    podName = `${hostname()}-${process.pid}`,
  }: RedisConnectionRegistryOptions) {
    this.#redis = connection;
    this.#clock = clock;
    this.#log = log;
    this.#ttlMs = ttlMs;
    this.#podName = podName;
    this.#replica = `${connection.prefix}sse_replica:${randomUUID()}`;
    this.#heartbeat = this.#runHeartbeat();
    this.#cleaning = this.#cleanRegularly();
  }

  async register(userId: string, connectionId: string, atMost: number): Promise<boolean> {
    const user = this.#userKey(userId);
    const one = this.#connectionKey(connectionId);
    // Redis may just have lost the heartbeat; a stream without one would not count.
    await Promise.all([this.#register(one, userId), this.#heartbeatOnce()]);
    if (await this.#add(user, connectionId, atMost)) return true;
    // Full: perhaps of dead streams.
    await this.#clean(user);
    if (await this.#add(user, connectionId, atMost)) return true;
    await this.#redis.send(one, ['DEL', one]);
    return false;
  }

  async unregister(userId: string, connectionId: string): Promise<void> {
    const user = this.#userKey(userId);
    const one = this.#connectionKey(connectionId);
    await this.#redis.send(user, ['SREM', user, connectionId]);
    await this.#redis.send(one, ['DEL', one]);
  }

  async renew(connections: readonly OpenConnection[]): Promise<void> {
    for (let n = 0; n < connections.length; n += BATCH_SIZE)
      await Promise.all(
        connections.slice(n, n + BATCH_SIZE).map(async ({ userId, connectionId }) => {
          const one = this.#connectionKey(connectionId);
          await this.#register(one, userId);
          await this.#add(this.#userKey(userId), connectionId, Number.MAX_SAFE_INTEGER);
        }),
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#cleaning, this.#heartbeat]);
    await this.#redis.send(this.#replica, ['DEL', this.#replica]).catch(() => {});
  }

  /** Removes connections without a hash from all sets. Returns their number. */
  async cleanUp(): Promise<number> {
    let removed = 0;
    const users = new Set<string>();
    for (const found of await this.#redis.scan(`${this.#redis.prefix}sse_connections:user:*`))
      users.add(found);
    for (const user of users) removed += await this.#clean(user);
    return removed;
  }

  async #add(user: string, connectionId: string, atMost: number): Promise<boolean> {
    // The set outlives its last member by one time to live at the most: a dead replica leaves nothing behind.
    return (await this.#redis.run(ADD_SCRIPT, [user], [connectionId, atMost, this.#ttlMs])) === 1;
  }

  async #clean(user: string): Promise<number> {
    const members = await this.#redis.send(user, ['SMEMBERS', user]);
    const ids = toArray(members).map(String);
    const alive = await Promise.all(ids.map((id) => this.#isAlive(this.#connectionKey(id))));
    const dead = ids.filter((_, n) => !alive[n]);
    if (dead.length > 0) await this.#redis.send(user, ['SREM', user, ...dead]);
    return dead.length;
  }

  async #register(one: string, userId: string): Promise<void> {
    const args = [this.#podName, this.#clock.now(), userId, this.#ttlMs, this.#replica];
    await this.#redis.run(REGISTER_SCRIPT, [one], args);
  }

  /** A hash of an earlier version names no replica: then its own time to live decides. */
  async #isAlive(one: string): Promise<boolean> {
    const [pod, replica] = toArray(await this.#redis.send(one, ['HMGET', one, 'pod_name', 'replica']));
    if (typeof pod !== 'string') return false;
    if (typeof replica !== 'string' || replica === this.#replica) return true;
    return (await this.#redis.send(replica, ['EXISTS', replica])) === 1;
  }

  async #heartbeatOnce(): Promise<void> {
    const args = ['SET', this.#replica, this.#podName, 'PX', String(REPLICA_TTL_MS)];
    await this.#redis.send(this.#replica, args);
  }

  async #runHeartbeat(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#heartbeatOnce().catch(() => {});
      await this.#clock.sleep(REPLICA_TTL_MS / 5, signal).catch(() => {});
    }
  }

  async #cleanRegularly(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      // Jitter, so that replicas do not clean up at the same moment.
      await this.#clock.sleep(this.#ttlMs * (0.75 + Math.random() / 2), signal).catch(() => {});
      if (signal.aborted) return;
      try {
        const removed = await this.cleanUp();
        if (removed > 0)
          this.#log.info('Removed the streams of dead replicas from the registry', { removed });
      } catch (error) {
        this.#log.debug('Failed to clean up the registry of open streams, retrying', { error });
      }
    }
  }

  #userKey(userId: string): string {
    return `${this.#redis.prefix}sse_connections:user:${userId}`;
  }

  #connectionKey(connectionId: string): string {
    return `${this.#redis.prefix}sse_connection:${connectionId}`;
  }
}

/** KEYS the connection. ARGV pod, now, user, time to live, heartbeat key of the replica. */
const REGISTER_SCRIPT = script(
  'register',
  `
redis.call('HSETNX', KEYS[1], 'created_at', ARGV[2])
redis.call('HSET', KEYS[1], 'pod_name', ARGV[1], 'user_id', ARGV[3], 'replica', ARGV[5])
return redis.call('PEXPIRE', KEYS[1], ARGV[4])
`,
);

/** KEYS the user's set. ARGV connection, maximum number, time to live. */
const ADD_SCRIPT = script(
  'register_user',
  `
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 0 then
  if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
  redis.call('SADD', KEYS[1], ARGV[1])
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`,
);
