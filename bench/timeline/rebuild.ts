import { randomUUID } from 'node:crypto';
import type { DropRef } from '../../src/social/social-store.ts';
import { RedisTimelineStore } from '../../src/storage/redis/timeline-store.ts';
import { RedisPullAuthors } from '../../src/storage/redis/timelines.ts';
import { systemClock as clock } from '../../src/time/clock.ts';
import { createTimelineOrigin } from '../../src/timelines/origin.ts';
import { TimelineRebuilder } from '../../src/timelines/rebuild.ts';
import { homeTimeline } from '../../src/timelines/timeline-store.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';
import { median } from '../rounds.ts';
import type { BenchRedis } from './redis-server.ts';

const AUTHORS = 1000;
const DROPS = 30;

/** A home with a thousand followed authors, each of whom has a latency of its own, beside the slowest of them. */
export async function rebuildResults(
  redis: BenchRedis,
  { quick, log }: BenchOptions,
): Promise<readonly Result[]> {
  const connection = await redis.connect();
  const store = new RedisTimelineStore({ connection, clock });
  const authors = Array.from({ length: AUTHORS }, (_, n) => `author-${n}`);
  const drops = new Map(
    authors.map((userId, a) => [
      userId,
      Array.from({ length: DROPS }, (_, n): DropRef => {
        const createdAt = 1_700_000_000_000 - n * AUTHORS - a;
        return { id: randomUUID(), userId, visibility: 'public', createdAt };
      }),
    ]),
  );
  let slowest = 0;
  const users = {
    getFollowingList: async () => authors,
    getFollowersPage: async () => [],
  };
  const posts = {
    async getDropsByUserId(
      userId: string,
      page: { limit: number; before?: { createdAt: number; id: string } },
    ) {
      const began = performance.now();
      // 20 to 100 ms, as services answer.
      await clock.sleep(20 + (Number(userId.split('-')[1] ?? 0) % 81));
      slowest = Math.max(slowest, performance.now() - began);
      const below = page.before?.createdAt ?? Number.POSITIVE_INFINITY;
      return (drops.get(userId) ?? []).filter((drop) => drop.createdAt < below).slice(0, page.limit);
    },
  };
  const origin = createTimelineOrigin(
    users,
    posts,
    { recentPublic: async () => [] },
    { newest: async () => [] },
  );
  const pullAuthors = new RedisPullAuthors(connection, clock);
  const rebuilds = new TimelineRebuilder({ store, origin, pullAuthors, clock, cap: 1000 });
  const durations: number[] = [];
  const calls: number[] = [];
  for (let round = 0; round <= (quick ? 3 : 7); round++) {
    const home = homeTimeline(`rebuilt-${round}`);
    slowest = 0;
    const began = performance.now();
    if (!(await rebuilds.rebuild(home))) throw new Error('the home was not rebuilt');
    if (round === 0) continue;
    durations.push(performance.now() - began);
    calls.push(slowest);
  }
  const [ours, limit] = [median(durations), median(calls)];
  log(JSON.stringify({ ours, limit }));
  return [
    result({
      name: `rebuild of a home with ${AUTHORS} followed authors`,
      ours: Number(ours.toFixed(1)),
      unit: 'ms',
      limit: { name: 'the slowest of the calls', value: Number(limit.toFixed(1)) },
      goal: 'at most 2×',
      met: ours <= 2 * limit,
    }),
  ];
}
