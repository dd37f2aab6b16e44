import { beforeEach, describe, expect, it } from 'vitest';
import type { Sighting } from '../item/item.ts';
import { keyOf, POLICY, sighting } from '../ledger/contract/subject.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { openSqliteLedger } from '../storage/sqlite/ledger/ledger.ts';
import { DAY, HOUR, MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { Admission, type PollBatch, type Subscriber } from './admission.ts';
import type { FirstContact, Source } from './source.ts';
import type { SourceDrops } from './source-drops.ts';

describe('what the followers of a source get', () => {
  let clock: ManualClock;
  let followers: Subscriber[];
  /** The names of posted items, and whether any of them was in a ledger at that time. */
  let posted: string[];
  let admittedBefore: boolean;
  const posting: Pick<SourceDrops, 'authorOf' | 'post' | 'postPending'> = {
    postPending: async () => {},
    authorOf: async () => ({ userId: 'feed' }),
    async post(_author, _sourceId, news) {
      posted.push(...news.map(({ key }) => key.slice(keyOf('').length)));
      for (const { ledger } of followers)
        if ((await ledger.known(news.map(({ key }) => key))).size > 0) admittedBefore = true;
    },
  };

  beforeEach(() => {
    clock = new ManualClock();
    followers = [follower('morning')];
    posted = [];
    admittedBefore = false;
  });

  async function admit(arrival: PollBatch): Promise<void> {
    const admission = new Admission({ clock, news: posting });
    for (const one of followers) admission.add(one);
    await admission.admit(arrival);
  }

  function follower(pipeline: string, firstContact: FirstContact = 'everything'): Subscriber {
    const { ledger } = openMemoryLedger({ clock, policy: POLICY });
    return { pipeline, sources: ['feed-1', 'feed-2'], ledger, firstContact, handOver: false };
  }

  async function arrives(names: readonly string[], sourceId = 'feed-1', more: Partial<Sighting> = {}) {
    posted = [];
    const sightings = names.map((name, at) => sighting(name, { sourceId, publishedAt: at, ...more }));
    const source = { id: sourceId } as Source;
    await admit({ source, sightings, known: new Set(), reported: null, isFirst: false });
    return posted;
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
    posted = [];
    const sightings = [sighting('c'), sighting('d')];
    const arrival = { source, sightings, known: new Set([keyOf('c')]), reported: null, isFirst: false };
    await admit(arrival);
    expect(posted).toEqual(['d']);
  });

  it('is unknown to all pipelines, when a pipeline joins later than others', async () => {
    await arrives(['a']);
    followers.push(follower('evening'));
    expect(await arrives(['a', 'b'])).toEqual(['b']);
  });

  it('is new in this source, though another had it first', async () => {
    await arrives(['a'], 'feed-1');
    expect(await arrives(['a'], 'feed-2')).toEqual(['a']);
    expect(await arrives(['a'], 'feed-2')).toEqual([]);
  });

  it('X20 is not what was swept', async () => {
    followers = [follower('morning', { newest: 0 })];
    await arrives(['a']);
    expect(await arrives(['a', 'b'])).toEqual(['b']);
    clock.jump(2 * DAY);
    const [morning] = followers;
    await morning?.ledger.sweep({
      keep: { baseline: DAY },
      withoutTombstone: [],
      keepTombstones: 1000 * DAY,
      dryRun: false,
    });
    expect(await morning?.ledger.find(keyOf('a'))).toBeNull();
    expect(await arrives(['a', 'b', 'c'])).toEqual(['c']);
  });

  it('is not what the source reported before, even at first contact of a pipeline', async () => {
    followers = [follower('morning', { newest: 10 })];
    const source = { id: 'feed-1', kind: 'feed' } as Source;
    const sightings = [sighting('a'), sighting('b')];
    await admit({ source, sightings, known: new Set(), reported: new Set([keyOf('a')]), isFirst: false });
    expect(posted).toEqual(['b']);
  });

  describe('X23 where no pipeline uses the source', () => {
    const source = { id: 'feed-1', kind: 'feed' } as Source;
    const arrival = (names: readonly string[], more: Partial<PollBatch>): PollBatch => {
      const sightings = names.map((name, at) => sighting(name, { publishedAt: at }));
      return { source, sightings, known: new Set(), reported: null, isFirst: false, ...more };
    };
    beforeEach(() => {
      followers = [];
    });

    it('X19 is what counts as news at first contact, and what was not reported since', async () => {
      await admit(arrival(['a', 'b', 'c'], { isFirst: true, firstContact: { newest: 1 } }));
      expect(posted).toEqual(['c']);
      posted = [];
      await admit(arrival(['b', 'c', 'd'], { reported: new Set(['b', 'c'].map(keyOf)) }));
      expect(posted).toEqual(['d']);
    });

    it('X19 is not what was known under another key', async () => {
      await admit(arrival(['a', 'b'], { reported: new Set(), known: new Set([keyOf('a')]) }));
      expect(posted).toEqual(['b']);
    });

    it('X22 is nothing at the first reading of a record that earlier versions wrote', async () => {
      await admit(arrival(['a', 'b'], { reported: null }));
      expect(posted).toEqual([]);
    });
  });

  it('is nothing that every ledger refuses', async () => {
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
    more: Partial<PollBatch> = {},
  ): Promise<number | undefined> {
    const { ledger } = openMemoryLedger({ clock, policy: POLICY });
    const source = { id: 'feed-1', kind: 'feed' } as Source;
    const arrival: PollBatch = {
      source,
      sightings: anHour,
      known: new Set(),
      reported: null,
      isFirst: true,
      ...(ofSource !== undefined && { firstContact: ofSource }),
      ...more,
    };
    const admission = new Admission({ clock });
    admission.add({
      pipeline: 'p',
      sources: ['feed-1'],
      ledger,
      handOver: false,
      ...(own !== undefined && { firstContact: own }),
    });
    await admission.admit(arrival);
    return admission.takeAdmitted('p');
  }

  it('B19 newer_than accepts exactly the items younger than the age', async () => {
    expect(await news({ newerThan: HOUR }, undefined)).toBe(20);
    expect(await news(undefined, { newerThan: HOUR })).toBe(20);
    expect(await news({ newerThan: HOUR / 2 }, undefined)).toBe(10);
  });

  it('B19 newest accepts that many; both together accept the newest of those that are young enough', async () => {
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
  it('B19 X19 stays known after ten thousand other changes: what is new in it is no baseline', async () => {
    const clock = new ManualClock();
    const { ledger, ...stores } = openSqliteLedger(':memory:', { clock, policy: POLICY });
    try {
      const firstContact = { newest: 0 };
      const sources = ['quiet', 'busy'];
      const admission = new Admission({ clock });
      admission.add({ pipeline: 'morning', sources, ledger, firstContact, handOver: false });
      const arrive = async (sourceId: string, names: readonly string[]) => {
        const sightings = names.map((name) => sighting(name, { sourceId }));
        const source = { id: sourceId } as Source;
        await admission.admit({ source, sightings, known: new Set(), reported: null, isFirst: false });
        return admission.takeAdmitted('morning');
      };
      await arrive('quiet', ['old']);
      clock.jump(1000);
      const busy = Array.from({ length: 10_001 }, (_, n) => sighting(`b${n}`, { sourceId: 'busy' }));
      await ledger.admit(busy, { baseline: () => true });
      clock.jump(1000);
      expect(await arrive('quiet', ['old', 'new'])).toBe(1);
      await ledger.sweep({ keep: { baseline: 0 }, keepTombstones: DAY, dryRun: false });
      expect(await ledger.hasSeenSource('busy')).toBe(true);
    } finally {
      await stores[Symbol.asyncDispose]();
    }
  });
});
