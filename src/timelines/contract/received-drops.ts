import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReceivedDrops, TimelineEntry } from '../timeline-store.ts';

export interface ReceivedDropsUnderTest {
  readonly received: ReceivedDrops;
  /** The same drops as they are after a restart of the program; `null` where they do not outlive it. */
  reopened(): Promise<ReceivedDrops | null>;
}

/** Contract of every store of received drops. The factory makes an empty one with this cap. */
export function describeReceivedDrops(
  name: string,
  open: (cap: number) => Promise<ReceivedDropsUnderTest>,
): void {
  describe(`${name}: the contract of received drops`, () => {
    let tested: ReceivedDropsUnderTest;
    let received: ReceivedDrops;
    const opened: ReceivedDrops[] = [];
    beforeEach(async () => {
      tested = await open(5);
      received = tested.received;
      opened.push(received);
    });
    afterEach(async () => {
      for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
    });

    const entry = (createdAt: number, id = `d${createdAt}`): TimelineEntry => ({ id, createdAt });
    const ids = async (page = {}): Promise<readonly string[]> =>
      (await received.newest({ limit: 100, ...page })).map(({ id }) => id);

    it('C9 returns the newest first, by time and then by ID, strictly below a position', async () => {
      await received.add([entry(2, 'b'), entry(1, 'z')]);
      await received.add([entry(2, 'c'), entry(2, 'a')]);
      expect(await ids()).toEqual(['c', 'b', 'a', 'z']);
      expect(await ids({ limit: 2 })).toEqual(['c', 'b']);
      expect(await ids({ before: entry(2, 'b') })).toEqual(['a', 'z']);
      expect(await ids({ before: entry(2, 'b'), limit: 1 })).toEqual(['a']);
      expect(await ids({ before: entry(1, 'a') })).toEqual([]);
      expect((await received.newest({ limit: 1 }))[0]).toEqual(entry(2, 'c'));
    });

    it('C12 adding is idempotent', async () => {
      await received.add([entry(1)]);
      await received.add([entry(1), entry(2)]);
      expect(await ids()).toEqual(['d2', 'd1']);
    });

    it('C9 keeps the newest N', async () => {
      for (let at = 1; at <= 8; at++) await received.add([entry(at)]);
      await received.add([entry(2)]);
      expect(await ids({ limit: 5 })).toEqual(['d8', 'd7', 'd6', 'd5', 'd4']);
    });

    it('C8 a removed drop stays removed, whether the removal comes before or after the drop', async () => {
      await received.add([entry(1), entry(2)]);
      await received.remove(['d1', 'd3']);
      expect(await received.add([entry(1), entry(3), entry(4)])).toEqual([entry(4)]);
      expect(await ids()).toEqual(['d4', 'd2']);
      expect((await received.removedIds()).toSorted()).toEqual(['d1', 'd3']);
    });

    it('C12 survives a restart', async () => {
      await received.add([entry(1), entry(2)]);
      await received.remove(['d1']);
      const again = await tested.reopened();
      if (again === null) return;
      opened.push(again);
      expect((await again.newest({ limit: 9 })).map(({ id }) => id)).toEqual(['d2']);
      await again.add([entry(1)]);
      expect(await again.removedIds()).toEqual(['d1']);
      expect(await again.newest({ limit: 9 })).toEqual([entry(2)]);
    });
  });
}
