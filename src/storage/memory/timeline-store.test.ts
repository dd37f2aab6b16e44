import { expect, it } from 'vitest';
import { HOUR } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { describeTimelineStore } from '../../timelines/contract/timeline-store.ts';
import { MemoryTimelineStore } from './timeline-store.ts';

describeTimelineStore('memory', async (cap) => {
  const clock = new ManualClock();
  return {
    store: new MemoryTimelineStore({ clock, cap, idleMs: HOUR }),
    idleMs: HOUR,
    now: () => clock.now(),
    passTime: (ms) => clock.advance(ms),
  };
});

it('removes expired tombstones, so that memory does not grow for ever', async () => {
  const clock = new ManualClock();
  const store = new MemoryTimelineStore({ clock, tombstoneTtlMs: HOUR });
  await store.remove('d1', []);
  await clock.advance(HOUR - 1);
  expect(await store.add({ id: 'd1', createdAt: 1 }, ['timeline:local'])).toEqual([]);
  await clock.advance(1);
  expect(await store.add({ id: 'd1', createdAt: 1 }, ['timeline:local'])).toEqual(['timeline:local']);
});
