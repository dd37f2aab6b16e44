import { describe, expect, it } from 'vitest';
import { keyOf, type MakePipelineStores, Subject, sighting } from './subject.ts';

/** Admission: create if absent, and recognise known items. */
export function admitContract(make: MakePipelineStores): void {
  describe('admitting', () => {
    const subject = new Subject(make);

    it('B5 a new item waits without attempts, checked when it was created', async () => {
      expect(await subject.ledger.admit([sighting('a')], {})).toEqual(['new']);
      expect(await subject.find(keyOf('a'))).toEqual({
        ...sighting('a'),
        state: 'waiting',
        reason: 'none',
        detail: null,
        attempts: 0,
        dueAt: null,
        createdAt: subject.clock.now(),
        checkedAt: subject.clock.now(),
        verdict: null,
      });
    });

    it('R1 the article of a sighting is for the reader: the ledger keeps neither content nor enclosure', async () => {
      const enclosure = {
        url: 'https://a.example/1.mp3',
        type: 'audio/mpeg',
        lengthBytes: 1,
        durationSeconds: 2,
      };
      await subject.ledger.admit([sighting('a', { content: '<p>Long</p>', enclosure })], {});
      const found = await subject.find(keyOf('a'));
      expect(found).not.toHaveProperty('content');
      expect(found).not.toHaveProperty('enclosure');
    });

    it('B5 a known URL is not added again and nothing of it changes', async () => {
      await subject.admit('a');
      const before = await subject.find(keyOf('a'));
      await subject.clock.advance(1000);
      expect(await subject.ledger.admit([sighting('a', { title: 'Edited' })], {})).toEqual(['known']);
      expect(await subject.find(keyOf('a'))).toEqual(before);
    });

    it('returns one outcome per sighting, in order, and a key twice in one call is new once', async () => {
      await subject.admit('b');
      const sightings = ['a', 'b', 'a', 'c'].map((name) => sighting(name));
      expect(await subject.ledger.admit(sightings, {})).toEqual(['new', 'known', 'known', 'new']);
    });

    it('B19 X19 a source that reported an item is known, also if another one reported it first', async () => {
      expect(await subject.ledger.hasSeenSource('feed-1')).toBe(false);
      await subject.admit('a');
      await subject.ledger.admit([sighting('a', { sourceId: 'mirror' })], {});
      for (const sourceId of ['feed-1', 'mirror'])
        expect(await subject.ledger.hasSeenSource(sourceId)).toBe(true);
      expect(await subject.ledger.hasSeenSource('feed-2')).toBe(false);
    });

    it('D3 of any number of checkers at once exactly one wins', async () => {
      const names = Array.from({ length: 40 }, (_, index) => `v${index}`);
      const checkers = Array.from({ length: 8 }, () =>
        subject.ledger.admit(
          names.map((name) => sighting(name)),
          {},
        ),
      );
      const outcomes = await Promise.all(checkers);
      for (const index of names.keys())
        expect(outcomes.map((of) => of[index]).filter((outcome) => outcome === 'new')).toHaveLength(1);
    });

    it('A11 accepts more items than one call to the store can carry', async () => {
      const many = Array.from({ length: 1203 }, (_, index) => sighting(`n${index}`));
      expect(new Set(await subject.ledger.admit(many, {}))).toEqual(new Set(['new']));
      const keys = [...many.map(({ key }) => key), keyOf('unknown')];
      const known = await subject.ledger.known(keys);
      expect(known.size).toBe(1203);
      expect(known.has(keyOf('unknown'))).toBe(false);
    });

    it('B19 a baseline item is known and never processed', async () => {
      const outcomes = await subject.ledger.admit([sighting('old'), sighting('fresh')], {
        baseline: ({ key }) => key === keyOf('old'),
      });
      expect(outcomes).toEqual(['baseline', 'new']);
      expect(await subject.find(keyOf('old'))).toMatchObject({ state: 'baseline', reason: 'first_contact' });
      expect((await subject.claimNext()).item.key).toBe(keyOf('fresh'));
      expect(await subject.ledger.claimNext({ owner: 'w', leaseMs: 1000 })).toBeNull();
      expect(await subject.ledger.claim(keyOf('old'), { owner: 'w', leaseMs: 1000 })).toBeNull();
      expect(await subject.ledger.known([keyOf('old')])).toEqual(new Set([keyOf('old')]));
    });

    it('A10 keys that look alike are different items', async () => {
      const alike = ['a/b', 'a-b', 'A/b', 'a/b/', 'a%2Fb'];
      expect(
        await subject.ledger.admit(
          alike.map((name) => sighting(name)),
          {},
        ),
      ).toEqual(alike.map(() => 'new'));
      for (const name of alike) expect((await subject.find(keyOf(name))).title).toBe(`About ${name}`);
    });

    it('stores everything that a source reported', async () => {
      const full = sighting('full', {
        url: 'https://news.example/full?from=feed',
        foreignId: 'guid-1',
        author: 'A. Writer',
        excerpt: 'First lines.',
        language: 'ja',
        imageUrl: 'https://news.example/full.png',
        points: 0,
        video: {
          videoId: 'v',
          channelId: 'c',
          channelTitle: 'C',
          kind: 'premiere',
          startsAt: 5,
          durationSeconds: 0,
        },
      });
      await subject.ledger.admit([full], {});
      expect(await subject.find(full.key)).toMatchObject(full);
    });

    it('X3 stores every source that reported an item, once each', async () => {
      await subject.admit('a');
      const other = sighting('a', { sourceId: 'feed-2', sourceName: 'The second', title: 'Also about a' });
      await subject.clock.advance(1000);
      for (let round = 0; round < 2; round++) await subject.ledger.admit([other, sighting('a')], {});
      expect(await subject.ledger.sightings(keyOf('a'))).toEqual([
        {
          sourceId: 'feed-1',
          sourceName: 'The first feed',
          url: keyOf('a'),
          title: 'About a',
          at: subject.clock.now() - 1000,
        },
        {
          sourceId: 'feed-2',
          sourceName: 'The second',
          url: keyOf('a'),
          title: 'Also about a',
          at: subject.clock.now(),
        },
      ]);
    });

    it('finds nothing that was never admitted', async () => {
      expect(await subject.ledger.known([])).toEqual(new Set());
      expect(await subject.ledger.admit([], {})).toEqual([]);
      expect(await subject.ledger.find(keyOf('nothing'))).toBeNull();
      expect(await subject.ledger.history(keyOf('nothing'))).toEqual([]);
      expect(await subject.ledger.sightings(keyOf('nothing'))).toEqual([]);
    });
  });
}
