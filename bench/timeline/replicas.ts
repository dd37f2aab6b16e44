import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { RedisTimelineStore } from '../../src/storage/redis/timeline-store.ts';
import { systemClock as clock } from '../../src/time/clock.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';
import type { BenchRedis } from './redis-server.ts';

const PER_SECOND = 1000;
const WARMING = 500;

/** From published on one replica to received on another, at a thousand events a second. */
export async function copiesResults(
  redis: BenchRedis,
  { quick, log }: BenchOptions,
): Promise<readonly Result[]> {
  const events = quick ? 3_000 : 15_000;
  const store = new RedisTimelineStore({ connection: await redis.connect(), clock });
  const child = fork(join(import.meta.dirname, 'replicas-child.ts'), [`${redis.port}`]);
  try {
    await once(child, 'message');
    // Both processes are cold; their warm-up is not part of the latency of an event.
    for (let n = 0; n < WARMING; n++)
      await store.add({ id: `warming${n}-0`, createdAt: clock.now() }, ['timeline:local']);
    const late = monitorEventLoopDelay({ resolution: 1 });
    late.enable();
    const began = performance.now();
    const going: Promise<unknown>[] = [];
    for (let n = 0; n < events; n++) {
      const due = began + (n * 1000) / PER_SECOND;
      if (due > performance.now() + 1) await clock.sleep(due - performance.now());
      const at = (performance.timeOrigin + performance.now()).toFixed(3);
      going.push(store.add({ id: `${n}-${at}`, createdAt: clock.now() }, ['timeline:local']));
    }
    await Promise.all(going);
    late.disable();
    const rate = (1000 * events) / (performance.now() - began);
    await clock.sleep(500);
    child.send('report');
    const [delays] = (await once(child, 'message')) as [number[]];
    const sorted = delays.toSorted((a, b) => a - b);
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
    log(
      `${Math.round(rate)} events/s, ${delays.length} of ${events} received, median ${sorted[sorted.length >> 1]?.toFixed(2)} ms; the publisher's own loop ran late by ${(late.percentile(99) / 1e6).toFixed(1)} ms (p99), ${(late.max / 1e6).toFixed(1)} ms (max)`,
    );
    return [
      result({
        name: `published to received across two replicas, ${PER_SECOND} events/s, p99`,
        ours: Number(p99.toFixed(2)),
        unit: 'ms',
        limit: { name: 'most allowed', value: 50 },
        goal: 'at most 50 ms, none lost',
        met: p99 <= 50 && delays.length === events,
      }),
    ];
  } finally {
    child.disconnect();
  }
}
