import { OPEN_STATES } from '../item/lifecycle.ts';
import type { CountsLog } from '../ledger/counts-log.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { GaugeValue, Metrics } from '../telemetry/metrics.ts';
import type { Clock } from '../time/clock.ts';
import { DAY, MINUTE, SECOND } from '../time/duration.ts';

const COUNT_INTERVAL_MS = 15 * MINUTE;
/** How soon a copy that begins to act counts. */
const LEADER_CHECK_MS = 5 * SECOND;
const COUNTS_RETENTION_MS = 400 * DAY;

export interface CountsRecorderDependencies {
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  readonly log: CountsLog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether it is this copy's turn: one record for all copies, and counting is not free everywhere. */
  readonly isLeader: () => boolean;
}

/** Writes down how many items stand where, several times an hour so that the hour's last figure is near its end. */
export async function runCountsRecorder(
  { pipelines, log, clock, logger, isLeader: acts }: CountsRecorderDependencies,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if (!acts()) {
      await clock.sleep(LEADER_CHECK_MS, signal).catch(() => {});
      continue;
    }
    try {
      for (const [id, pipeline] of pipelines) await log.put(id, clock.now(), await pipeline.ledger.counts());
      await log.sweep(clock.now() - COUNTS_RETENTION_MS);
    } catch (error) {
      logger.warn('the counts could not be written down; the next time is in a while', { error });
    }
    await clock.sleep(COUNT_INTERVAL_MS, signal).catch(() => {});
  }
}

/** Counting on Firestore costs reads: the copy that acts counts for all, and not at every scrape. */
const COUNTS_CACHE_MS = 15 * MINUTE;

export interface GaugeDependencies {
  readonly metrics: Metrics;
  readonly engine: 'embedded' | 'distributed';
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  /** Whether this copy is the scheduler that acts; `null` where it never is. */
  readonly isLeader: () => boolean | null;
  readonly clock: Clock;
}

/** Counts the items of the pipelines when `/metrics` is read (X15). */
export function registerGauges(deps: GaugeDependencies): void {
  const { metrics, isLeader: acts, pipelines } = deps;
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
    const value = acts();
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
  // Whatever the queue is, the ledger knows what waits; what a worker holds waits no longer (D10).
  const waiting = OPEN_STATES.reduce((sum, state) => sum + byState[state], -leased);
  return {
    items: readings(byState),
    outbox: readings(messages),
    oldest: [{ value: age, labels: { pipeline: id } }],
    queue: kind === 'process' ? [{ value: waiting, labels: { pipeline: id } }] : [],
  };
}

/** One count serves the gauges of one scrape, and on Firestore those of some minutes. */
function cachedCounts(
  { engine, isLeader: acts, clock }: GaugeDependencies,
  count: () => Promise<GaugeReadings[]>,
): () => Promise<GaugeReadings[]> {
  const forMs = engine === 'distributed' ? COUNTS_CACHE_MS : 1000;
  let last: { readonly at: number; readonly counts: Promise<GaugeReadings[]> } | null = null;
  return () => {
    if (engine === 'distributed' && acts() !== true) return Promise.resolve([]);
    const now = clock.monotonic();
    if (last === null || now - last.at > forMs) {
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
