import { OPEN_STATES } from '../item/lifecycle.ts';
import type { CountsLog } from '../ledger/counts-log.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { GaugeValue, Metrics } from '../telemetry/metrics.ts';
import type { Clock } from '../time/clock.ts';
import { DAY, MINUTE, SECOND } from '../time/duration.ts';

const COUNT_INTERVAL_MS = 15 * MINUTE;
/** How soon a new leader counts. */
const LEADER_CHECK_MS = 5 * SECOND;
const COUNTS_RETENTION_MS = 400 * DAY;

export interface CountsRecorderDependencies {
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly log: CountsLog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether this replica is the leader: it counts for all, since counting costs reads on Firestore. */
  readonly isLeader: () => boolean;
}

/** Records the number of items by state, several times an hour so that the hour's last figure is near its end. */
export async function runCountsRecorder(
  { pipelines, log, clock, logger, isLeader }: CountsRecorderDependencies,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if (!isLeader()) {
      await clock.sleep(LEADER_CHECK_MS, signal).catch(() => {});
      continue;
    }
    try {
      for (const [id, pipeline] of pipelines) await log.put(id, clock.now(), await pipeline.ledger.counts());
      await log.sweep(clock.now() - COUNTS_RETENTION_MS);
    } catch (error) {
      logger.warn('Failed to record item counts, retrying at the next interval', { error });
    }
    await clock.sleep(COUNT_INTERVAL_MS, signal).catch(() => {});
  }
}

/** Counting on Firestore costs reads: only the leader counts, and not at every scrape. */
const COUNTS_CACHE_MS = 15 * MINUTE;

export interface GaugeDependencies {
  readonly metrics: Metrics;
  readonly engine: 'embedded' | 'distributed';
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  /** Whether this replica is the leader; `null` if it has no scheduler. */
  readonly isLeader: () => boolean | null;
  readonly clock: Clock;
}

/** Counts the items of the pipelines when `/metrics` is read (X15). */
export function registerGauges(deps: GaugeDependencies): void {
  const { metrics, isLeader, pipelines } = deps;
  const counted = cachedCounts(deps, () =>
    Promise.all([...pipelines.values()].map((each) => readGauges(each, deps))),
  );
  const of = (pick: (counts: GaugeReadings) => GaugeValue[]) => async (): Promise<GaugeValue[]> =>
    (await counted()).flatMap(pick);
  metrics.observe(
    'kawaraban_items',
    of(({ items }) => items),
  );
  metrics.observe(
    'kawaraban_outbox',
    of(({ outbox }) => outbox),
  );
  metrics.observe(
    'kawaraban_oldest_open_seconds',
    of(({ oldest }) => oldest),
  );
  metrics.observe(
    'kawaraban_queue_depth',
    of(({ queue }) => queue),
  );
  metrics.observe('kawaraban_scheduler_acts', () => {
    const value = isLeader();
    return value === null ? [] : [{ value: value ? 1 : 0 }];
  });
}

interface GaugeReadings {
  readonly items: GaugeValue[];
  readonly outbox: GaugeValue[];
  readonly oldest: GaugeValue[];
  readonly queue: GaugeValue[];
}

async function readGauges(
  { id, kind, ledger, outbox }: Pipeline,
  { clock }: GaugeDependencies,
): Promise<GaugeReadings> {
  const [{ byState, leased, oldestOpen }, messages] = await Promise.all([ledger.counts(), outbox.counts()]);
  const readings = (counts: Readonly<Record<string, number>>): GaugeValue[] =>
    Object.entries(counts).map(([state, value]) => ({ value, labels: { pipeline: id, state } }));
  const age = oldestOpen === null ? 0 : Math.max(0, (clock.now() - oldestOpen) / 1000);
  // Independent of the queue adapter: open items of the ledger that no worker has claimed (D10).
  const waiting = OPEN_STATES.reduce((sum, state) => sum + byState[state], -leased);
  return {
    items: readings(byState),
    outbox: readings(messages),
    oldest: [{ value: age, labels: { pipeline: id } }],
    queue: kind === 'process' ? [{ value: waiting, labels: { pipeline: id } }] : [],
  };
}

/** Caches the counts for all gauges of a scrape, on Firestore for some minutes. */
function cachedCounts(
  { engine, isLeader, clock }: GaugeDependencies,
  count: () => Promise<GaugeReadings[]>,
): () => Promise<GaugeReadings[]> {
  const cacheMs = engine === 'distributed' ? COUNTS_CACHE_MS : 1000;
  let last: { readonly at: number; readonly counts: Promise<GaugeReadings[]> } | null = null;
  return () => {
    if (engine === 'distributed' && isLeader() !== true) return Promise.resolve([]);
    const now = clock.monotonic();
    if (last === null || now - last.at > cacheMs) {
      const counts = count();
      const mine = { at: now, counts };
      counts.catch(() => {
        if (last === mine) last = null;
      });
      last = mine;
    }
    return last.counts;
  };
}
