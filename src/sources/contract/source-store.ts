import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../time/duration.ts';
import type { ManualClock } from '../../time/manual-clock.ts';
import { newSourceRecord, type SourceRecord, type SourceStore } from '../source.ts';

export interface StoreUnderTest {
  readonly store: SourceStore;
  /** The same store as opened by another process; `null` if that is not supported. */
  reopen(): Promise<SourceStore> | null;
  /** Set if several replicas may share it: the clock of its claims. */
  readonly isShared: boolean;
  readonly clock?: ManualClock;
  dispose(): Promise<void>;
}

const full: SourceRecord = {
  sourceId: 'feeds/日本語 #1',
  memory: { etag: '"v1"', seen: 'abc', count: 3, certain: true, nothing: null },
  movedTo: 'https://new.example/feed',
  lastTriedAt: 1_763_200_000_000,
  lastSuccessAt: 1_763_100_000_000,
  lastTrouble: { why: 'timeout', detail: 'The server took too long.', at: 1_763_200_000_000 },
  failuresInARow: 4,
  nextAt: 1_763_300_000_000,
  itemsSeen: 1234,
  baselineTakenAt: 1_763_000_000_000,
  reported: 'abcdefgh',
};

const empty = newSourceRecord('another');

/** Contract of a store of source records. */
export function sourceStoreContract(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} as a source store`, () => {
    let subject: StoreUnderTest;
    beforeEach(async () => {
      subject = await make();
    });
    afterEach(async () => {
      await subject.dispose();
    });

    it('finds nothing for a source that was never saved', async () => {
      expect(await subject.store.load('unknown')).toBeNull();
      expect(await subject.store.list()).toEqual([]);
      await subject.store.remove('unknown');
    });

    it('returns every field as it was saved, empty or full', async () => {
      await subject.store.save(full);
      await subject.store.save(empty);
      expect(await subject.store.load(full.sourceId)).toEqual(full);
      expect(await subject.store.load(empty.sourceId)).toEqual(empty);
    });

    it('a later record replaces the earlier one whole', async () => {
      await subject.store.save(full);
      await subject.store.save({ ...empty, sourceId: full.sourceId });
      expect(await subject.store.load(full.sourceId)).toEqual({ ...empty, sourceId: full.sourceId });
      expect(await subject.store.list()).toHaveLength(1);
    });

    it('lists in the order of the IDs, and no longer what was removed', async () => {
      await subject.store.save(full);
      await subject.store.save(empty);
      expect((await subject.store.list()).map((record) => record.sourceId)).toEqual([
        'another',
        full.sourceId,
      ]);
      await subject.store.remove('another');
      expect((await subject.store.list()).map((record) => record.sourceId)).toEqual([full.sourceId]);
      expect(await subject.store.load('another')).toBeNull();
    });

    it('a returned record does not change with later saves', async () => {
      await subject.store.save(full);
      const before = await subject.store.load(full.sourceId);
      await subject.store.save({ ...full, itemsSeen: 9 });
      expect(before?.itemsSeen).toBe(1234);
    });

    it('X23 a claim returns the record, is renewed by its owner, and ends with the next record', async () => {
      const { store } = subject;
      expect(await store.claim(full.sourceId, 'one', MINUTE)).toEqual({ record: null });
      expect(await store.load(full.sourceId)).toBeNull();
      expect(await store.list()).toEqual([]);
      await store.save(full);
      expect(await store.claim(full.sourceId, 'one', MINUTE)).toEqual({ record: full });
      expect(await store.claim(full.sourceId, 'one', MINUTE)).toEqual({ record: full });
      await store.save({ ...full, itemsSeen: 5 });
      expect(await store.claim(full.sourceId, 'other', MINUTE)).toEqual({
        record: { ...full, itemsSeen: 5 },
      });
    });

    it('X23 one owner at a time claims a source, until its lease expires', async ({ skip }) => {
      if (!subject.isShared) return skip('this store belongs to one machine and grants every claim');
      const { store } = subject;
      await store.save(full);
      const claims = await Promise.all(['a', 'b', 'c'].map((id) => store.claim(full.sourceId, id, MINUTE)));
      expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
      expect(await store.claim(full.sourceId, 'd', MINUTE)).toBeNull();
      expect(await store.claim('another', 'd', MINUTE)).toEqual({ record: null });
      subject.clock?.jump(MINUTE);
      expect(await store.claim(full.sourceId, 'd', MINUTE)).toEqual({ record: full });
      // A clock that was ahead does not block the claim.
      subject.clock?.jump(-HOUR);
      expect(await store.claim(full.sourceId, 'e', MINUTE)).toEqual({ record: full });
    });

    it('persists across processes', async ({ skip }) => {
      await subject.store.save(full);
      const again = subject.reopen();
      if (again === null) return skip('this store lives and dies with its process');
      expect(await (await again).load(full.sourceId)).toEqual(full);
    });

    it('stores a source state of 100,000 characters', async () => {
      const state = { seen: 'x'.repeat(100_000) };
      await subject.store.save({ ...full, memory: state });
      expect((await subject.store.load(full.sourceId))?.memory).toEqual(state);
    });
  });
}
