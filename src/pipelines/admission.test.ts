import { beforeEach, describe, expect, it } from 'vitest';
import type { ItemKey, Sighting } from '../item/item.ts';
import { keyOf, POLICY, sighting } from '../ledger/contract/subject.ts';
import { openMemoryLedger } from '../ledger/memory/open.ts';
import { openSqliteLedger } from '../ledger/sqlite/open.ts';
import type { FirstContact } from '../sources/baseline.ts';
import type { Arrival } from '../sources/desk.ts';
import type { Source } from '../sources/source.ts';
import { DAY, HOUR, MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { admitArrival, type Follower, type SourceReaders } from './admission.ts';

describe('what is told to those who follow a source', () => {
  let clock: ManualClock;
  let followers: Follower[];
  /** The names of what was told, and whether anything of it was in a ledger at that moment. */
  let told: string[];
  let admittedBefore: boolean;
  const readers: SourceReaders = {
    async tell(_sourceId, sightings, newsAmong) {
      const news = await newsAmong(sightings);
      told.push(...news.map(({ key }) => key.slice(keyOf('').length)));
      for (const { ledger } of followers)
        if ((await ledger.known(news.map(({ key }) => key))).size > 0) admittedBefore = true;
    },
  };

  beforeEach(() => {
    clock = new ManualClock();
    followers = [follower('morning')];
    told = [];
    admittedBefore = false;
  });

  function follower(pipeline: string, firstContact: FirstContact = 'everything'): Follower {
    const { ledger } = openMemoryLedger({ clock, policy: POLICY });
    return { pipeline, sources: ['feed-1', 'feed-2'], ledger, firstContact, handOver: false };
  }

  async function arrives(names: readonly string[], sourceId = 'feed-1', more: Partial<Sighting> = {}) {
    told = [];
    const sightings = names.map((name, at) => sighting(name, { sourceId, publishedAt: at, ...more }));
    const source = { id: sourceId } as Source;
    await admitArrival(
      { source, sightings, known: new Set(), isFirst: false },
      followers,
      clock.now(),
      readers,
    );
    return told;
  }

  it('is new, once, before it is admitted', async () => {
    expect(await arrives(['a', 'b'])).toEqual(['a', 'b']);
    expect(await arrives(['a', 'b', 'c'])).toEqual(['c']);
    expect(admittedBefore).toBe(false);
  });

  it('B19 is no baseline: neither of the source nor of the only pipeline that reads it', async () => {
    followers = [follower('morning', { newest: 1 })];
    expect(await arrives(['a', 'b'])).toEqual(['b']);
    const source = { id: 'feed-1' } as Source;
    told = [];
    const sightings = [sighting('c'), sighting('d')];
    const arrival = { source, sightings, known: new Set([keyOf('c')]), isFirst: false };
    await admitArrival(arrival, followers, clock.now(), readers);
    expect(told).toEqual(['d']);
  });

  it('is what nobody had, when a pipeline joins that others were faster than', async () => {
    await arrives(['a']);
    followers.push(follower('evening'));
    expect(await arrives(['a', 'b'])).toEqual(['b']);
  });

  it('is new in this source, though another had it first', async () => {
    await arrives(['a'], 'feed-1');
    expect(await arrives(['a'], 'feed-2')).toEqual(['a']);
    expect(await arrives(['a'], 'feed-2')).toEqual([]);
  });

  it('X20 is not what lived before and was swept', async () => {
    followers = [follower('morning', { newest: 0 })];
    await arrives(['a']);
    expect(await arrives(['a', 'b'])).toEqual(['b']);
    clock.jump(2 * DAY);
    const [morning] = followers;
    await morning?.ledger.sweep({
      keep: { baseline: DAY },
      forget: [],
      keepTombstones: 1000 * DAY,
      dryRun: false,
    });
    expect(await morning?.ledger.find(keyOf('a'))).toBeNull();
    expect(await arrives(['a', 'b', 'c'])).toEqual(['c']);
  });

  it('is nothing that no ledger takes', async () => {
    expect(await arrives(['a'], 'feed-1', { publishedAt: Number.NaN })).toEqual([]);
  });
});

describe('first contact with a source', () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 5));
  /** Twenty items, one every three minutes. */
  const anHour = Array.from({ length: 20 }, (_, n) =>
    sighting(`${n}`, { publishedAt: clock.now() - (n + 1) * 3 * MINUTE }),
  );
  async function news(
    own: FirstContact | undefined,
    ofSource: FirstContact | undefined,
    more: Partial<Arrival> = {},
  ): Promise<number | undefined> {
    const { ledger } = openMemoryLedger({ clock, policy: POLICY });
    const source = { id: 'feed-1', kind: 'feed' } as Source;
    const arrival: Arrival = {
      source,
      sightings: anHour,
      known: new Set(),
      isFirst: true,
      ...(ofSource !== undefined && { firstContact: ofSource }),
      ...more,
    };
    const follower: Follower = {
      pipeline: 'p',
      sources: ['feed-1'],
      ledger,
      handOver: false,
      ...(own !== undefined && { firstContact: own }),
    };
    return (await admitArrival(arrival, [follower], clock.now())).get('p');
  }

  it('B19 newer_than takes all that is younger than the age, and nothing else', async () => {
    expect(await news({ newerThan: HOUR }, undefined)).toBe(20);
    expect(await news(undefined, { newerThan: HOUR })).toBe(20);
    expect(await news({ newerThan: HOUR / 2 }, undefined)).toBe(10);
  });

  it('B19 newest takes so many; both together take the newest of those that are young enough', async () => {
    expect(await news({ newest: 3 }, undefined)).toBe(3);
    expect(await news({ newest: 15, newerThan: HOUR / 2 }, undefined)).toBe(10);
    expect(await news({ newest: 4, newerThan: HOUR / 2 }, undefined)).toBe(4);
  });

  it('B19 the pipeline’s own setting counts before the source’s; without either the newest 10 are news', async () => {
    expect(await news({ newerThan: HOUR }, { newest: 2 })).toBe(20);
    expect(await news(undefined, { newest: 2 })).toBe(2);
    expect(await news(undefined, undefined)).toBe(10);
    expect(await news(undefined, undefined, { source: { id: 'feed-1', kind: 'youtube' } as Source })).toBe(
      20,
    );
  });
});

describe('a source beside a busy one', () => {
  it('B19 X19 stays met after ten thousand other changes: what is new in it is no baseline', async () => {
    const clock = new ManualClock();
    const { ledger, ...memory } = openSqliteLedger(':memory:', { clock, policy: POLICY });
    try {
      const firstContact = { newest: 0 };
      const sources = ['quiet', 'busy'];
      const follower = { pipeline: 'morning', sources, ledger, firstContact, handOver: false };
      const arrive = (sourceId: string, names: readonly string[]) => {
        const sightings = names.map((name) => sighting(name, { sourceId }));
        const source = { id: sourceId } as Source;
        const arrival = { source, sightings, known: new Set<ItemKey>(), isFirst: false };
        return admitArrival(arrival, [follower], clock.now());
      };
      await arrive('quiet', ['old']);
      clock.jump(1000);
      const busy = Array.from({ length: 10_001 }, (_, n) => sighting(`b${n}`, { sourceId: 'busy' }));
      await ledger.admit(busy, { baseline: () => true });
      clock.jump(1000);
      expect(await arrive('quiet', ['old', 'new'])).toEqual(new Map([['morning', 1]]));
      await ledger.sweep({ keep: { baseline: 0 }, keepTombstones: DAY, dryRun: false });
      expect(await ledger.hasMet('busy')).toBe(true);
    } finally {
      await memory[Symbol.asyncDispose]();
    }
  });
});
