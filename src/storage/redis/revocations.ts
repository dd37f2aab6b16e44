import type { RevocationExchange, RevocationList } from '../../auth/revocations.ts';
import { DAY } from '../../time/duration.ts';
import type { RedisConnection } from './connection.ts';
import { script } from './connection.ts';

/** Longer than the lifetime of any token. */
const RETENTION_MS = 400 * DAY;

/** KEYS the sorted set. ARGV since, retention of entries, then IDs. Returns the number of entries, then IDs and times. */
const EXCHANGE_SCRIPT = script(
  'revocations',
  `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 3, #ARGV do redis.call('ZADD', KEYS[1], 'NX', string.format('%.0f', now), ARGV[i]) end
if #ARGV > 2 then redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - tonumber(ARGV[2]))) end
return { redis.call('ZCARD', KEYS[1]), redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], '+inf', 'WITHSCORES') }
`,
);

/** The IDs of revoked tokens in Redis: a sorted set `tokens_revoked`, score = when it was added, by the clock of Redis. */
export class RedisRevocations implements RevocationList {
  readonly #redis: RedisConnection;
  readonly #key: string;

  constructor(connection: RedisConnection) {
    this.#redis = connection;
    this.#key = `${connection.prefix}tokens_revoked`;
  }

  async exchange(ids: readonly string[], since: number): Promise<RevocationExchange> {
    const reply = await this.#redis.run(EXCHANGE_SCRIPT, [this.#key], [since, RETENTION_MS, ...ids]);
    const [size = 0, flat = []] = Array.isArray(reply) ? reply : [];
    const fields = Array.isArray(flat) ? flat.map(String) : [];
    const added: { id: string; at: number }[] = [];
    for (let n = 0; n + 1 < fields.length; n += 2)
      added.push({ id: fields[n] ?? '', at: Number(fields[n + 1]) });
    return { size: Number(size), added };
  }
}
