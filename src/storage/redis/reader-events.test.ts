import { expect, it, onTestFinished } from 'vitest';
import { forThisFile, startRedis } from '../../../test/redis.ts';
import { requires } from '../../../test/requirements.ts';
import type { ReaderEvent } from '../../reader/reader-events.ts';
import { silentEvents } from '../../telemetry/events.ts';
import { silentLogger } from '../../telemetry/logger.ts';
import { systemClock } from '../../time/clock.ts';
import { RedisConnection } from './connection.ts';
import { RedisReaderEvents } from './reader-events.ts';

requires('redis-server')('reader events through Redis', () => {
  const redis = forThisFile(() => startRedis());

  async function replica(): Promise<RedisReaderEvents> {
    const options = { clock: systemClock, log: silentLogger };
    const connection = await RedisConnection.open({
      ...options,
      nodes: [redis().address],
      prefix: 'p:',
      events: silentEvents,
    });
    const events = new RedisReaderEvents({ connection, ...options });
    onTestFinished(async () => {
      await events[Symbol.asyncDispose]();
      await connection[Symbol.asyncDispose]();
    });
    return events;
  }

  async function listen(events: RedisReaderEvents, person: string | null) {
    const heard = { events: [] as ReaderEvent[], gaps: 0, stop: () => {} };
    heard.stop = await events.subscribe(person, {
      onEvent: (event) => heard.events.push(event),
      onGap: () => heard.gaps++,
    });
    return heard;
  }

  it('R6 an event reaches the pages of its person in every replica, and an event for all reaches all', async () => {
    const [one, two] = [await replica(), await replica()];
    const [annHere, annThere, ben, guest] = await Promise.all([
      listen(one, 'ann'),
      listen(two, 'ann'),
      listen(two, 'ben'),
      listen(one, null),
    ]);
    const star = { type: 'state', change: { kind: 'star', ids: [1] } } as const;
    const entries = { type: 'entries', newestId: 5 } as const;
    await one.publish('ann', star);
    await two.publish(null, entries);
    for (const heard of [annHere, annThere])
      await expect.poll(() => heard.events).toEqual(expect.arrayContaining([star, entries]));
    for (const heard of [ben, guest]) await expect.poll(() => heard.events).toEqual([entries]);
    expect(annHere.events).toHaveLength(2);

    // The last page of a person ends the subscription; the others keep theirs.
    annThere.stop();
    await expect
      .poll(() => redis().command('PUBSUB', 'NUMSUB', 'p:reader_events:ann'))
      .toEqual(['p:reader_events:ann', 1]);
    await two.publish('ann', star);
    await expect.poll(() => annHere.events).toHaveLength(3);
    expect(annThere.events).toHaveLength(2);
  });

  it('R6 an interrupted subscription is reported, and works again afterwards', async () => {
    const [one, two] = [await replica(), await replica()];
    const ann = await listen(one, 'ann');
    await redis().command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await expect.poll(() => ann.gaps, { timeout: 20_000 }).toBeGreaterThan(0);
    await two.publish('ann', { type: 'sources' });
    await expect.poll(() => ann.events).toEqual([{ type: 'sources' }]);
  });
});
