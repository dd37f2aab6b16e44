import { setTimeout as pause } from 'node:timers/promises';
import type { App } from '../../src/app/app.ts';
import { OPEN_STATES } from '../../src/item/lifecycle.ts';
import { OPEN_DELIVERIES } from '../../src/outbox/outbox.ts';
import type { Pipeline } from '../../src/pipelines/pipeline.ts';
import { RunLeaseLostError } from '../../src/scheduler/scheduler.ts';
import type { Clock } from '../../src/time/clock.ts';
import type { Points } from './crash-points.ts';

/** Another process may hold a lease on the work that is left: after this idle time it is left to the next run. */
const DEFAULT_MAX_IDLE_MS = 400;
/** For runs in which no other process holds a lease; only a busy machine is idle for so long. */
export const LONG_IDLE_MS = 15_000;

/** Every pipeline runs once and does what is due now; everything else is left for another run. */
export async function runUntilIdle(
  app: App,
  clock: Clock,
  points: Points,
  signal: AbortSignal,
  maxIdleMs = DEFAULT_MAX_IDLE_MS,
): Promise<void> {
  for (const pipeline of app.pipelines.values()) {
    // A process that was stopped for longer than its lease stores nothing more; the next run completes its work (X21).
    await pipeline.run(signal).catch((error: unknown) => {
      if (!(error instanceof RunLeaseLostError)) throw error;
    });
    if (pipeline.kind === 'process') await processAll(pipeline, clock, points, signal, maxIdleMs);
    await pipeline.dispatch(signal);
  }
}

/** The workers of a process pipeline never end: they are stopped when nothing is left for them to do. */
async function processAll(
  pipeline: Pipeline,
  clock: Clock,
  points: Points,
  signal: AbortSignal,
  maxIdleMs: number,
): Promise<void> {
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const running = Promise.all([pipeline.runOnSchedule({ signal: until }), pipeline.runBackgroundWork(until)]);
  const ended = running.then(
    () => true,
    () => true,
  );
  while (!signal.aborted && points.idleMs < maxIdleMs && (await hasWork(pipeline, clock))) {
    if (await Promise.race([ended, pause(15, false)])) break;
  }
  stop.abort();
  await running;
}

async function hasWork({ ledger, outbox }: Pipeline, clock: Clock): Promise<boolean> {
  // Counts are cached on Firestore; a list is not.
  const { items } = await ledger.list({ states: OPEN_STATES, limit: 200 });
  if (items.some(({ dueAt }) => dueAt === null || dueAt <= clock.now())) return true;
  const { deliveries } = await outbox.list({ states: OPEN_DELIVERIES, limit: 200 });
  // Newest first, and only the oldest at each destination can be due: the last one written into the map.
  const firsts = new Map(deliveries.map((delivery) => [delivery.destination, delivery]));
  return [...firsts.values()].some(({ dueAt }) => dueAt === null || dueAt <= clock.now());
}
