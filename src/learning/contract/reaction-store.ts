import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ItemKey } from '../../item/item.ts';
import { MAX_REACTIONS, NO_REACTIONS, type Reaction, type ReactionStore } from '../reaction-store.ts';

export interface ReactionStoreUnderTest {
  readonly store: ReactionStore;
  /** The same store as another process opens it; `null` where there is none. */
  reopen(): Promise<ReactionStore | null>;
  dispose(): Promise<void>;
}

const T0 = Date.parse('2026-01-05T08:00:00Z');

function reaction(id: string, title = `Title ${id}`): Reaction {
  const key = `https://example.com/${id}` as ItemKey;
  return {
    id,
    kind: 'star',
    at: T0,
    key,
    url: key,
    title,
    excerpt: null,
    author: null,
    sourceIds: ['news'],
  };
}

/** What every store of reactions does. */
export function reactionStoreContract(name: string, make: () => Promise<ReactionStoreUnderTest>): void {
  describe(`reactions in ${name}`, () => {
    let made: ReactionStoreUnderTest;
    beforeEach(async () => {
      made = await make();
    });
    afterEach(() => made.dispose());

    const addTo = (person: string, added: Reaction, now = T0) =>
      made.store.update(person, now, (record) => ({
        ...record,
        reactions: [...record.reactions, added],
      }));

    it('Q20 has the reactions of each person, also for another process', async () => {
      await addTo('ann', reaction('a', '銀河鉄道の夜 🚂'));
      await addTo('bob', reaction('b'));
      const { store } = made;
      expect((await store.of('ann')).reactions).toEqual([reaction('a', '銀河鉄道の夜 🚂')]);
      expect(await store.of('unknown')).toEqual(NO_REACTIONS);
      const other = await made.reopen();
      if (other === null) return;
      expect((await other.of('bob')).reactions).toEqual([reaction('b')]);
      await other[Symbol.asyncDispose]();
    });

    it('Q20 loses no reaction when several are stored at the same time', async () => {
      const ids = Array.from({ length: 8 }, (_, n) => `r${n}`);
      await Promise.all(ids.map((id) => addTo('ann', reaction(id))));
      const stored = (await made.store.of('ann')).reactions.map(({ id }) => id);
      expect(stored.toSorted()).toEqual(ids);
    });

    it('Q22 stores the setting of a person and what they removed', async () => {
      await addTo('ann', reaction('a'));
      const off = await made.store.update('ann', T0, () => ({ ...NO_REACTIONS, enabled: false }));
      expect(off.enabled).toBe(false);
      expect(await made.store.of('ann')).toEqual({ ...NO_REACTIONS, enabled: false });
    });

    it('Q22 writes nothing where nothing changes', async () => {
      await addTo('ann', reaction('a'), T0);
      await made.store.update('ann', T0 + 5_000, (record) => record);
      expect(await made.store.changedSince(T0 + 1)).toEqual(new Map());
    });

    it('Q20 finds the people whose reactions changed since a time', async () => {
      await addTo('ann', reaction('a'), T0);
      await addTo('bob', reaction('b'), T0 + 10);
      const all = await made.store.changedSince(T0);
      expect([...all.keys()].toSorted()).toEqual(['ann', 'bob']);
      expect((await made.store.changedSince(T0 + 10)).get('bob')?.reactions).toEqual([reaction('b')]);
      expect((await made.store.changedSince(T0 + 10)).has('ann')).toBe(false);
    });

    it('Q22 deletes everything about a person', async () => {
      await addTo('ann', reaction('a'));
      await addTo('bob', reaction('b'));
      await made.store.removePerson('ann');
      await made.store.removePerson('unknown');
      expect(await made.store.of('ann')).toEqual(NO_REACTIONS);
      expect((await made.store.of('bob')).reactions).toHaveLength(1);
    });

    it('Q20 stores as many long reactions as are kept', async () => {
      const reactions = Array.from({ length: MAX_REACTIONS }, (_, n) => ({
        ...reaction(`r${n}`, `${n} ${'長い題名'.repeat(49)}`),
        excerpt: `${n} ${'本文'.repeat(99)}`,
      }));
      await made.store.update('ann', T0, (record) => ({ ...record, reactions }));
      expect((await made.store.of('ann')).reactions).toEqual(reactions);
    });
  });
}
