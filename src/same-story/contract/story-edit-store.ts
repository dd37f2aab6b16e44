import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ItemKey } from '../../item/item.ts';
import type { StoryEdit, StoryEditStore } from '../story-edit-store.ts';

export interface StoryEditStores extends AsyncDisposable {
  readonly mine: StoryEditStore;
  /** The same edits, as another process sees them. */
  readonly theirs: StoryEditStore;
}

const T0 = Date.parse('2026-01-05T08:00:00Z');

/** Contract of every store of story edits. */
export function storyEditStoreContract(name: string, open: () => Promise<StoryEditStores>): void {
  describe(`${name}: the contract of story edits`, () => {
    let stores: StoryEditStores;
    const edit = (id: string, more: Partial<StoryEdit> = {}): StoryEdit => ({
      id,
      kind: 'split',
      items: ['https://one.example/フェリー' as ItemKey],
      others: ['https://two.example/a' as ItemKey, 'https://three.example/b' as ItemKey],
      by: 'ann',
      at: T0,
      undoneAt: null,
      ...more,
    });

    beforeEach(async () => {
      stores = await open();
    });
    afterEach(() => stores[Symbol.asyncDispose]());

    it('Q15 keeps every field of an edit, for every process', async () => {
      expect(await stores.mine.get('a')).toBeNull();
      expect(await stores.mine.changedSince(0)).toEqual([]);
      await stores.mine.add(edit('a'));
      await stores.theirs.add(edit('b', { kind: 'join', at: T0 + 5 }));
      expect(await stores.theirs.get('a')).toEqual(edit('a'));
      expect(await stores.mine.changedSince(0)).toEqual([edit('a'), edit('b', { kind: 'join', at: T0 + 5 })]);
      expect((await stores.mine.changedSince(T0 + 5)).map(({ id }) => id)).toEqual(['b']);
      expect(await stores.mine.changedSince(T0 + 6)).toEqual([]);
    });

    it('Q15 an edit is taken back once, and is found as changed then', async () => {
      await stores.mine.add(edit('a'));
      expect(await stores.mine.undo('unknown', T0)).toBe(false);
      expect(await stores.theirs.undo('a', T0 + 9)).toBe(true);
      expect(await stores.mine.undo('a', T0 + 10)).toBe(false);
      expect(await stores.mine.changedSince(T0 + 9)).toEqual([edit('a', { undoneAt: T0 + 9 })]);
    });

    it('Q15 an edit that is added again stays as it is', async () => {
      await stores.mine.add(edit('a'));
      await stores.mine.undo('a', T0 + 1);
      await stores.mine.add(edit('a'));
      expect((await stores.mine.get('a'))?.undoneAt).toBe(T0 + 1);
    });
  });
}
