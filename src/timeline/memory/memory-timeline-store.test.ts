import { expect, it } from 'vitest';
import { HOUR } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { describeTimelineStore } from '../contract/timeline-store-contract.ts';
import { MemoryTimelineStore } from './memory-timeline-store.ts';

describeTimelineStore('memory', async (cap) => new MemoryTimelineStore({ clock: new ManualClock(), cap }));

it('forgets tombstones after their time, so that memory does not grow for ever', async () => {
  const clock = new ManualClock();
  const store = new MemoryTimelineStore({ clock, keepTombstonesMs: HOUR });
  await store.remove('d1', []);
  await clock.advance(HOUR - 1);
  expect(await store.add({ id: 'd1', createdAt: 1 }, ['timeline:local'])).toEqual([]);
  await clock.advance(1);
  expect(await store.add({ id: 'd1', createdAt: 1 }, ['timeline:local'])).toEqual(['timeline:local']);
});
