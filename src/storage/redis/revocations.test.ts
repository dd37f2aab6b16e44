import { expect, it } from 'vitest';
import { forThisFile, startRedis } from '../../../test/redis.ts';
import { requires } from '../../../test/requirements.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { systemClock } from '../../time/clock.ts';
import { RedisConnection } from './connection.ts';
import { RedisRevocations } from './revocations.ts';

requires('redis-server')('revoked tokens in Redis', () => {
  const redis = forThisFile(() => startRedis());

  it('C23 each ID is added once and returned to every caller that asks from that time on', async () => {
    const log = silentLogger;
    const nodes = [redis().address];
    await using connection = await RedisConnection.open({
      nodes,
      prefix: 'p:',
      clock: systemClock,
      log,
      events: silentEvents,
    });
    const list = new RedisRevocations(connection);
    expect(await list.exchange([], 0)).toEqual({ size: 0, added: [] });
    const { added } = await list.exchange(['a', 'b'], 0);
    expect(added.map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
    const at = added[0]?.at ?? 0;
    expect(at).toBeGreaterThan(1.7e12);
    // An earlier entry keeps its time.
    await redis().command('ZADD', 'p:tokens_revoked', `${at - 1000}`, 'a');
    expect(await list.exchange(['a'], at)).toEqual({ size: 2, added: [{ id: 'b', at }] });
    expect(await list.exchange([], at - 1000)).toMatchObject({ size: 2, added: [{ id: 'a' }, { id: 'b' }] });
    // Entries older than any token are removed.
    await redis().command('ZADD', 'p:tokens_revoked', '1', 'old');
    expect((await list.exchange(['c'], at + 1e9)).size).toBe(3);
  });
});
