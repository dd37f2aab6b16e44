import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewStoredSource, SourceCatalogueStore } from '../source-catalogue-store.ts';

export interface CatalogueUnderTest {
  readonly store: SourceCatalogueStore;
  /** The same store as opened by another process; `null` if that is not supported. */
  reopen(): Promise<SourceCatalogueStore> | null;
  dispose(): Promise<void>;
}

const added: NewStoredSource = {
  id: 'herald',
  settings: { feed: 'https://herald.example/feed', every: '10m' },
  name: 'ヘラルド "daily"',
  enabled: false,
  folders: ['News', '日本/東京'],
  pipelines: ['morning', 'evening'],
  addedBy: 'opml',
  addedAt: 1_763_200_000_000,
};
const changed: NewStoredSource = {
  id: 'wire',
  settings: null,
  name: null,
  enabled: null,
  folders: null,
  pipelines: [],
  addedBy: 'page',
  addedAt: 1,
};

/** Contract of a store of the sources that people added or changed. */
export function sourceCatalogueContract(name: string, make: () => Promise<CatalogueUnderTest>): void {
  describe(`${name} as a store of the source catalogue`, () => {
    let subject: CatalogueUnderTest;
    let store: SourceCatalogueStore;
    beforeEach(async () => {
      subject = await make();
      store = subject.store;
    });
    afterEach(() => subject.dispose());

    it('R2 is empty at first, and returns every field as it was put, in the order of the IDs', async () => {
      expect(await store.list()).toEqual([]);
      expect(await store.put(changed, null)).toBe(true);
      expect(await store.put(added, null)).toBe(true);
      expect(await store.list()).toEqual([
        { ...added, version: 1 },
        { ...changed, version: 1 },
      ]);
    });

    it('R2 replaces a record only in the expected version', async () => {
      expect(await store.put(added, 1)).toBe(false);
      expect(await store.put(added, null)).toBe(true);
      expect(await store.put({ ...added, name: 'Lost' }, null)).toBe(false);
      expect(await store.put({ ...added, name: 'New' }, 1)).toBe(true);
      expect(await store.put({ ...added, name: 'Lost' }, 1)).toBe(false);
      expect(await store.list()).toEqual([{ ...added, name: 'New', version: 2 }]);
    });

    it('R2 one of several concurrent changes succeeds', async () => {
      await store.put(added, null);
      const names = ['a', 'b', 'c'];
      const done = await Promise.all(names.map((each) => store.put({ ...added, name: each }, 1)));
      expect(done.filter(Boolean)).toHaveLength(1);
      expect(await store.list()).toMatchObject([{ version: 2, name: names[done.indexOf(true)] }]);
    });

    it('R2 adds many at once, or none if one ID is in use', async () => {
      const many = Array.from({ length: 60 }, (_, n) => ({ ...added, id: `feed-${n}` }));
      expect(await store.add([])).toBe(true);
      expect(await store.add(many)).toBe(true);
      expect(await store.list()).toHaveLength(60);
      expect(
        await store.add([
          { ...added, id: 'another' },
          { ...added, id: 'feed-7' },
        ]),
      ).toBe(false);
      expect(await store.list()).toHaveLength(60);
    });

    it('R2 removes a record once; its ID is free again', async () => {
      expect(await store.remove('herald')).toBe(false);
      await store.put(added, null);
      expect(await store.remove('herald')).toBe(true);
      expect(await store.remove('herald')).toBe(false);
      expect(await store.list()).toEqual([]);
      expect(await store.put(added, null)).toBe(true);
    });

    it('R2 the revision changes with every change, and only then', async () => {
      const seen = [await store.revision()];
      const expectChange = async (): Promise<void> => {
        const now = await store.revision();
        expect(seen).not.toContain(now);
        expect(await store.revision()).toBe(now);
        seen.push(now);
      };
      await store.put(added, null);
      await expectChange();
      await store.put({ ...added, name: 'New' }, 1);
      await expectChange();
      await store.add([changed]);
      await expectChange();
      await store.remove('wire');
      await expectChange();
      await store.remove('wire');
      await store.put(added, 99);
      expect(await store.revision()).toBe(seen.at(-1));
    });

    it('R2 waits for a change, whichever process makes it, and ends with the signal', async () => {
      const other = (await subject.reopen()) ?? store;
      const never = new AbortController().signal;
      let before = await store.revision();
      const waiting = store.waitForChange(before, never);
      await other.put(added, null);
      await waiting;
      // Missed in between: it does not wait.
      await store.waitForChange(before, never);
      before = await store.revision();
      const stop = new AbortController();
      const stopped = store.waitForChange(before, stop.signal);
      stop.abort();
      await stopped;
      expect(await store.revision()).toBe(before);
    });

    it('R2 other processes see records and revision', async ({ skip }) => {
      const opened = subject.reopen();
      if (opened === null) return skip('this store lives and dies with its process');
      const other = await opened;
      const before = await other.revision();
      await store.put(added, null);
      expect(await other.revision()).not.toBe(before);
      expect(await other.revision()).toBe(await store.revision());
      expect(await other.list()).toEqual([{ ...added, version: 1 }]);
    });
  });
}
