import { OPEN_STATES } from '../item/lifecycle.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { Metrics, Reading } from '../telemetry/metrics.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';

/** Counting on Firestore costs reads: the copy that acts counts for all, and not at every scrape. */
const COUNTED_FOR = 15 * MINUTE;

export interface GaugeParts {
  readonly metrics: Metrics;
  readonly engine: 'embedded' | 'distributed';
  readonly pipelines: ReadonlyMap<string, Pipeline>;
  /** Whether this copy is the scheduler that acts; `null` where it never is. */
  readonly acts: () => boolean | null;
  readonly clock: Clock;
}

/** Has the newsroom counted whenever somebody looks at `/metrics` (X15). */
export function observeNewsroom(parts: GaugeParts): void {
  const { metrics, acts, pipelines } = parts;
  const counted = remembered(parts, () =>
    Promise.all([...pipelines.values()].map((each) => countsOf(each, parts))),
  );
  const of = (pick: (counts: Counts) => Reading[]) => async (): Promise<Reading[]> =>
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

interface Counts {
  readonly items: Reading[];
  readonly outbox: Reading[];
  readonly oldest: Reading[];
  readonly queue: Reading[];
}

async function countsOf({ id, kind, ledger, outbox }: Pipeline, { clock }: GaugeParts): Promise<Counts> {
  const [{ byState, leased, oldestOpen }, messages] = await Promise.all([ledger.counts(), outbox.counts()]);
  const readings = (counts: Readonly<Record<string, number>>): Reading[] =>
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
function remembered(
  { engine, acts, clock }: GaugeParts,
  count: () => Promise<Counts[]>,
): () => Promise<Counts[]> {
  const forMs = engine === 'distributed' ? COUNTED_FOR : 1000;
  let last: { readonly at: number; readonly counts: Promise<Counts[]> } | null = null;
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
