import { describe, expect, it } from 'vitest';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { GaugeName } from '../telemetry/metrics.ts';
import { type GaugeValue, silentMetrics } from '../telemetry/metrics.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { type GaugeDependencies, registerGauges } from './item-counts.ts';

function setup(engine: GaugeDependencies['engine'], isLeader: () => boolean | null = () => true) {
  const clock = new ManualClock();
  let counted = 0;
  const byState = { waiting: 3, deferred: 1, accepted: 0, published: 7 };
  const pipeline = {
    id: 'videos',
    kind: 'process',
    ledger: {
      counts: async () => {
        counted++;
        if (counted === 99) throw new Error('away');
        return { byState, leased: 1, oldestOpen: clock.now() - 90_000 };
      },
    },
    outbox: { counts: async () => ({ parked: 2 }) },
  } as unknown as Pipeline;
  const gauges = new Map<GaugeName, () => GaugeValue[] | Promise<GaugeValue[]>>();
  registerGauges({
    metrics: { ...silentMetrics, observe: (name, read) => void gauges.set(name, read) },
    engine,
    pipelines: new Map([['videos', pipeline]]),
    isLeader,
    clock,
  });
  return { clock, counted: () => counted, read: async (name: GaugeName) => gauges.get(name)?.() };
}

describe('gauges', () => {
  it('X15 count items, messages and leaders', async () => {
    const { read, counted } = setup('embedded');
    expect(await read('kawaraban_items')).toContainEqual({
      value: 3,
      labels: { pipeline: 'videos', state: 'waiting' },
    });
    expect(await read('kawaraban_outbox')).toEqual([
      { value: 2, labels: { pipeline: 'videos', state: 'parked' } },
    ]);
    expect(await read('kawaraban_oldest_open_seconds')).toEqual([
      { value: 90, labels: { pipeline: 'videos' } },
    ]);
    expect(await read('kawaraban_queue_depth')).toEqual([{ value: 3, labels: { pipeline: 'videos' } }]);
    expect(await read('kawaraban_scheduler_acts')).toEqual([{ value: 1 }]);
    expect(counted()).toBe(1);
  });

  it('A19 on Firestore only the leader counts, every few minutes', async () => {
    const standby = setup('distributed', () => false);
    expect(await standby.read('kawaraban_items')).toEqual([]);
    expect(standby.counted()).toBe(0);
    const leader = setup('distributed');
    for (let scrape = 0; scrape < 40; scrape++) {
      expect(await leader.read('kawaraban_items')).toHaveLength(4);
      await leader.clock.advance(15_000);
    }
    expect(leader.counted()).toBeLessThanOrEqual(2);
    expect(await setup('distributed', () => null).read('kawaraban_scheduler_acts')).toEqual([]);
  });
});
