import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SourceRecord, type SourceStore, unknownSource } from '../source-store.ts';

export interface StoreUnderTest {
  readonly store: SourceStore;
  /** The same store as another process would open it; `null` where there is no such thing. */
  reopen(): Promise<SourceStore> | null;
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
};

const empty = unknownSource('another');

/** What every store of source records must do. */
export function sourceStoreContract(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} as a source store`, () => {
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await make();
    });
    afterEach(async () => {
      await under.dispose();
    });

    it('knows nothing of a source that was never saved', async () => {
      expect(await under.store.load('nobody')).toBeNull();
      expect(await under.store.list()).toEqual([]);
      await under.store.remove('nobody');
    });

    it('gives back every field as it was saved, empty or full', async () => {
      await under.store.save(full);
      await under.store.save(empty);
      expect(await under.store.load(full.sourceId)).toEqual(full);
      expect(await under.store.load(empty.sourceId)).toEqual(empty);
    });

    it('a later record replaces the earlier one whole', async () => {
      await under.store.save(full);
      await under.store.save({ ...empty, sourceId: full.sourceId });
      expect(await under.store.load(full.sourceId)).toEqual({ ...empty, sourceId: full.sourceId });
      expect(await under.store.list()).toHaveLength(1);
    });

    it('lists in the order of the IDs, and no longer what was removed', async () => {
      await under.store.save(full);
      await under.store.save(empty);
      expect((await under.store.list()).map((record) => record.sourceId)).toEqual(['another', full.sourceId]);
      await under.store.remove('another');
      expect((await under.store.list()).map((record) => record.sourceId)).toEqual([full.sourceId]);
      expect(await under.store.load('another')).toBeNull();
    });

    it('what it gave out does not change with what is saved later', async () => {
      await under.store.save(full);
      const before = await under.store.load(full.sourceId);
      await under.store.save({ ...full, itemsSeen: 9 });
      expect(before?.itemsSeen).toBe(1234);
    });

    it('remembers across processes', async ({ skip }) => {
      await under.store.save(full);
      const again = under.reopen();
      if (again === null) return skip('this store lives and dies with its process');
      expect(await (await again).load(full.sourceId)).toEqual(full);
    });

    it('keeps a memory of 100,000 characters', async () => {
      const memory = { seen: 'x'.repeat(100_000) };
      await under.store.save({ ...full, memory });
      expect((await under.store.load(full.sourceId))?.memory).toEqual(memory);
    });
  });
}
