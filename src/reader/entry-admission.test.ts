import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sighting } from '../item/item.ts';
import { keyOf, POLICY, sighting } from '../ledger/contract/subject.ts';
import { rulesAlone } from '../pipelines/story-deciders.fixture.ts';
import { Admission } from '../sources/admission.ts';
import type { Source } from '../sources/source.ts';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { SqliteEntryStore } from '../storage/sqlite/reader/entry-store.ts';
import { DAY, HOUR, MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { EntryAdmission } from './entry-admission.ts';
import type { EntryStore, NewEntry } from './entry-store.ts';

let clock: ManualClock;
let store: SqliteEntryStore;
let admission: EntryAdmission;
/** Titles of each call of `add` of the store. */
let given: string[][];
let failing: boolean;

beforeEach(() => {
  clock = new ManualClock();
  store = new SqliteEntryStore(':memory:');
  given = [];
  failing = false;
  admission = open();
});
afterEach(() => store[Symbol.asyncDispose]());

function open(maxCompared?: number): EntryAdmission {
  const entries: Pick<EntryStore, 'add' | 'recent' | 'list' | 'newestId' | 'removeSource'> = {
    add: (batch, now, storyOf) => {
      given.push(batch.map(({ title }: NewEntry) => title));
      return failing ? Promise.reject(new Error('disk full')) : store.add(batch, now, storyOf);
    },
    recent: (since, limit) => store.recent(since, limit),
    list: (person, filter, options) => store.list(person, filter, options),
    newestId: () => store.newestId(),
    removeSource: (id) => store.removeSource(id),
  };
  const sources = { exists: async () => true };
  return new EntryAdmission({
    entries,
    sources,
    clock,
    ...rulesAlone(),
    ...(maxCompared !== undefined && { maxCompared }),
  });
}

const batchOf = (sightings: readonly Sighting[], isFirst = false) => ({
  source: { id: sightings[0]?.sourceId ?? 'feed-1', kind: 'feed' } as Source,
  sightings,
  known: new Set<never>(),
  reported: null,
  isFirst,
});
const read = (...sightings: Sighting[]): Promise<void> => admission.add(batchOf(sightings));
const about = (name: string, title: string, more: Partial<Sighting> = {}): Sighting =>
  sighting(name, { title, publishedAt: clock.now() - MINUTE, ...more });

async function titles(): Promise<string[][]> {
  const { entries } = await store.list('ann', {}, { order: 'oldest', limit: 50 });
  return entries.map(({ entry, others }) => [entry.title, ...others.map(({ title }) => title)]);
}

describe('R1 what a reading adds', () => {
  it('R1 is everything that the source shows, old or new', async () => {
    const old = sighting('old', {
      publishedAt: clock.now() - 400 * DAY,
      author: 'Jo',
      excerpt: 'word '.repeat(500),
      imageUrl: 'https://news.example/p.png',
      points: 3,
      content: '<p onclick="x()">Text <script>1</script><a href="/a">link</a></p>',
      enclosure: { url: 'https://news.example/a.mp3', type: null, lengthBytes: null, durationSeconds: null },
    });
    await admission.add(batchOf([old, sighting('new', { publishedAt: clock.now() })], true));
    const entry = (await store.findByKeys([keyOf('old')])).get(keyOf('old'));
    expect(entry).toMatchObject({
      author: 'Jo',
      points: 3,
      enclosures: [old.enclosure],
      sourceIds: ['feed-1'],
    });
    expect(entry?.excerpt).toHaveLength(1_000);
    expect((await store.text(entry?.id ?? 0))?.html).toMatch(
      /^<p>Text <a [^>]*href="https:\/\/news.example\/a"[^>]*>link<\/a><\/p>$/,
    );
    expect(await titles()).toHaveLength(2);
  });

  it('R1 is stored once, and again when it was edited', async () => {
    await read(about('a', 'One'), about('b', 'Two'));
    await read(about('a', 'One'), about('b', 'Two'));
    await read(about('a', 'One'), about('b', 'Two, edited'));
    expect(given).toEqual([['One', 'Two'], ['Two, edited']]);
    // The source was removed and added again meanwhile.
    await store.removeSource('feed-1');
    await admission.add(batchOf([about('a', 'One')], true));
    expect(await titles()).toEqual([['One']]);
  });

  it('R1 is nothing that no store could keep', async () => {
    await read(sighting('a', { title: '' }), about('b', 'Good'));
    expect(await titles()).toEqual([['Good']]);
  });

  it('R1 tells which sources are new', async () => {
    expect(await admission.isNewSource('feed-1')).toBe(true);
    await read(about('a', 'One'));
    expect(await admission.isNewSource('feed-1')).toBe(false);
    expect(await open().isNewSource('feed-1')).toBe(false);
    // An empty source was read all the same.
    await admission.add({ ...batchOf([]), source: { id: 'empty' } as Source });
    expect(await admission.isNewSource('empty')).toBe(false);
  });
});

describe('R9 the story of a new entry', () => {
  const TITLE = 'Volcano erupts on Iceland peninsula after weeks of earthquakes';

  it('R9 is that of an entry of another source about the same event', async () => {
    await read(about('a', TITLE));
    await read(
      about('b', `${TITLE} – live`, { sourceId: 'feed-2' }),
      about('c', 'Parliament passes the budget'),
    );
    expect(await titles()).toEqual([[TITLE, `${TITLE} – live`], ['Parliament passes the budget']]);
  });

  it('R9 is found after a restart, and among the entries of another process', async () => {
    await read(about('a', TITLE));
    admission = open();
    await read(about('x', 'Something else', { sourceId: 'feed-3' }));
    await open().add(batchOf([about('q', 'Parliament passes the yearly budget')]));
    clock.jump(MINUTE / 2);
    await read(
      about('b', TITLE, { sourceId: 'feed-2' }),
      about('r', 'Parliament passes the yearly budget', { sourceId: 'feed-2' }),
    );
    expect((await titles()).filter((story) => story.length === 2)).toHaveLength(2);
  });

  it('R9 is its own for a second entry of the same source, and days later', async () => {
    await read(about('a', TITLE), about('b', TITLE));
    clock.jump(4 * DAY);
    await read(about('c', TITLE, { sourceId: 'feed-2' }));
    await read(about('d', TITLE, { sourceId: 'feed-3', publishedAt: clock.now() - 5 * DAY }));
    expect((await titles()).every((story) => story.length === 1)).toBe(true);
  });

  it('R9 never gets a second entry of a source through another one', async () => {
    await read(about('a', TITLE));
    await read(about('b', TITLE, { sourceId: 'feed-2' }));
    await read(about('c', TITLE));
    expect((await titles()).toSorted((a, b) => b.length - a.length)).toEqual([[TITLE, TITLE], [TITLE]]);
  });

  it('R9 is that of another source, however much alike an earlier entry of its own source is', async () => {
    const [first, second] = [
      'Volcano erupts on Iceland peninsula',
      'Residents flee lava near Grindavik harbour',
    ];
    await read(about('a', first));
    await read(about('b', second, { sourceId: 'feed-2' }));
    const both = `${first}, residents flee lava in Grindavik`;
    await read(about('c', both));
    expect((await titles()).toSorted((a, b) => a.length - b.length)).toEqual([[first], [second, both]]);
  });

  it('R9 is looked for among a bounded number of entries', async () => {
    admission = open(2);
    await read(about('a', TITLE));
    for (const n of [1, 2, 3, 4, 5]) await read(about(`n${n}`, `Unrelated matter number ${n} of ${n * 77}`));
    await read(about('b', TITLE, { sourceId: 'feed-2' }));
    expect((await titles()).every((story) => story.length === 1)).toBe(true);
  });
});

describe('R1 X5 a store that fails', () => {
  it('R1 X5 leaves the pipelines their items, and the reading counts as not stored', async () => {
    const { ledger } = openMemoryLedger({ clock, policy: POLICY });
    const both = new Admission({ clock, entries: admission });
    both.add({
      pipeline: 'morning',
      sources: ['feed-1'],
      ledger,
      firstContact: 'everything',
      handOver: false,
    });
    const batch = batchOf([about('a', 'One')]);
    failing = true;
    await expect(both.admit(batch)).rejects.toThrow('disk full');
    expect(await ledger.known([keyOf('a')])).toEqual(new Set([keyOf('a')]));
    failing = false;
    clock.jump(HOUR);
    await both.admit(batch);
    expect(await titles()).toEqual([['One']]);
  });

  it('R1 a new source of the reader has its full list read', async () => {
    const both = new Admission({ clock, entries: admission });
    expect(await both.hasNewcomer('feed-1')).toBe(true);
    await both.admit(batchOf([about('a', 'One')]));
    expect(await both.hasNewcomer('feed-1')).toBe(false);
  });
});
