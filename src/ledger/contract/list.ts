import { describe, expect, it } from 'vitest';
import type { ItemKey } from '../../item/item.ts';
import { BadCursorError } from '../filter.ts';
import type { ItemFilter } from '../ledger.ts';
import { keyOf, LEASE_MS, type MakePipelineStores, Subject, sighting } from './subject.ts';

/** Lists and counts. `claims`: false for a store without claims. */
export function listContract(make: MakePipelineStores, { claims = true } = {}): void {
  describe('listing', () => {
    const subject = new Subject(make);

    it('lists the newest change first, in pages that neither repeat nor skip', async () => {
      const names = Array.from({ length: 23 }, (_, index) => `n${index}`);
      for (const name of names) {
        await subject.admit(name);
        if (Number(name.slice(1)) % 3 === 0) await subject.clock.advance(1);
      }
      expect(await all({ limit: 5 })).toEqual(names.map(keyOf).toReversed());
      expect((await subject.ledger.list({ limit: 23 })).next).toBeNull();
    });

    it('filters by state, reason, source and text', async () => {
      await subject.afterStep('low', { type: 'reject', reason: 'low_relevance' });
      await subject.afterStep('none', { type: 'reject', reason: 'no_topic_match' });
      await subject.afterStep('kept', { type: 'accept' });
      await subject.ledger.admit(
        [sighting('other', { sourceId: 'feed-9', title: '日本語の見出し ABC' })],
        {},
      );
      expect(await all({ states: ['rejected'], limit: 1 })).toHaveLength(2);
      expect(await all({ states: ['rejected', 'accepted'], limit: 2 })).toHaveLength(3);
      expect(await all({ reasons: ['no_topic_match'], limit: 9 })).toEqual([keyOf('none')]);
      expect(await all({ sourceId: 'feed-9', limit: 1 })).toEqual([keyOf('other')]);
      expect(await all({ text: '見出し', limit: 1 })).toEqual([keyOf('other')]);
      expect(await all({ text: 'abc', limit: 1 })).toEqual([keyOf('other')]);
      expect(await all({ text: 'example/LOW', limit: 1 })).toEqual([keyOf('low')]);
      expect(await all({ text: '%', limit: 9 })).toEqual([]);
      expect(await all({ states: [], limit: 9 })).toEqual([]);
    });

    it('rejects a cursor that is not its own', async () => {
      await expect(subject.ledger.list({ limit: 1, cursor: "1' OR 1=1" })).rejects.toThrow(BadCursorError);
    });

    it('D10 counts by state and reason, claims, and since when the oldest waits', async () => {
      expect(await subject.ledger.counts()).toMatchObject({ leased: 0, oldestOpen: null, tombstones: 0 });
      const start = subject.clock.now();
      await subject.admit('a', 'b', 'c');
      await subject.clock.advance(10);
      await subject.step(await subject.claimNext(), { type: 'reject', reason: 'low_relevance' });
      await subject.step(await subject.claimNext(), { type: 'defer', reason: 'not_ready' });
      await subject.claimNext();
      expect(await subject.ledger.counts()).toEqual({
        byState: {
          waiting: 1,
          deferred: 1,
          accepted: 0,
          published: 0,
          rejected: 1,
          failed: 0,
          parked: 0,
          baseline: 0,
        },
        byReason: { none: 1, not_ready: 1, low_relevance: 1 },
        leased: claims ? 1 : 0,
        oldestOpen: start,
        tombstones: 0,
      });
      await subject.clock.advance(LEASE_MS);
      expect((await subject.ledger.counts()).leased).toBe(0);
    });

    async function all(filter: ItemFilter): Promise<ItemKey[]> {
      const found: ItemKey[] = [];
      let cursor: string | null = null;
      do {
        const page = await subject.ledger.list({ ...filter, ...(cursor !== null && { cursor }) });
        expect(page.items.length).toBeLessThanOrEqual(filter.limit);
        found.push(...page.items.map(({ key }) => key));
        cursor = page.next;
      } while (cursor !== null);
      return found;
    }
  });
}
