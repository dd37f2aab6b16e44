import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../../test/emulators.ts';
import { requires } from '../../../../test/requirements.ts';
import { newEntry, T0 } from '../../../reader/contract/entry-store-subject.ts';
import type { EntryFilter, EntryPage, NewEntry } from '../../../reader/entry-store.ts';
import { silentEvents } from '../../../telemetry/events.ts';
import { systemClock } from '../../../time/clock.ts';
import { FirestoreConnection } from '../connection.ts';
import { measureUsage } from '../usage.ts';
import { FirestoreEntryStore } from './entry-store.ts';
import { MAX_SCANNED } from './search-page.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const FILLERS = MAX_SCANNED + 20;

/** With so many entries that the index of words is used. */
requires('gcloud')('the search in many entries on Firestore', () => {
  const emulator = emulatorForThisFile('firestore');
  let connection: FirestoreConnection;
  let store: FirestoreEntryStore;

  beforeAll(async () => {
    const options = {
      project: freshProject(),
      emulator: emulator.host,
      clock: systemClock,
      events: silentEvents,
    };
    connection = new FirestoreConnection(options);
    store = new FirestoreEntryStore({ connection, clock: systemClock });
    const fillers = Array.from({ length: FILLERS }, (_, n) =>
      newEntry(`Filler ${n}`, { publishedAt: T0 - 1_000 - n, sourceId: n % 2 === 0 ? 'even' : 'odd' }),
    );
    await store.add(fillers, T0, () => null);
    await add('The quick brown fox', { publishedAt: T0 - 1, author: 'Jo Öster' });
    const first = await add('The brown quick dog', {
      publishedAt: T0 - 2,
      sourceId: 'b',
      sourceName: 'Planet',
    });
    await add('Quick again', { publishedAt: T0 - 3, sourceId: 'c', story: first });
    await add('東京都の天気', { publishedAt: T0 - 4, content: '<p>全文はこちら。猫</p>' });
    await add('AI研究が進む京都', { publishedAt: T0 - 5 });
  });
  afterAll(() => connection[Symbol.asyncDispose]());

  async function add(
    title: string,
    fields: Partial<NewEntry> & { readonly story?: number },
  ): Promise<number> {
    const { story = null, ...rest } = fields;
    const [added] = await store.add([newEntry(title, rest)], T0, () => story);
    return added?.entry.id ?? 0;
  }

  const titlesOf = ({ entries }: EntryPage): string[] => entries.map(({ entry }) => entry.title);
  const search = async (text: string, filter: EntryFilter = {}): Promise<string[]> =>
    titlesOf(await store.list('ann', { ...filter, text }, { order: 'newest', limit: 10 }));

  it.each([
    ['fox', ['The quick brown fox']],
    ['QUICK brown', ['The quick brown fox', 'The brown quick dog']],
    ['"brown quick"', ['The brown quick dog']],
    ['quick -fox', ['The brown quick dog']],
    ['oster', ['The quick brown fox']],
    ['planet', ['The brown quick dog']],
    ['again', ['Quick again']],
    ['京都', ['東京都の天気', 'AI研究が進む京都']],
    ['京', ['東京都の天気', 'AI研究が進む京都']],
    ['AI研究', ['AI研究が進む京都']],
    ['猫', ['東京都の天気']],
    ['都東', []],
    ['missing', []],
    ['qui', []],
  ])('R12 R9 %s', async (text, titles) => {
    expect(await search(text)).toEqual(titles);
  });

  it('R12 combines with source, time and state', async () => {
    expect(await search('quick', { before: T0 - 1 })).toEqual(['The brown quick dog']);
    expect(await search('filler', { since: T0 - 1_000 })).toEqual(['Filler 0']);
    const [filler] = (await store.list('ann', { text: 'filler' }, { order: 'newest', limit: 1 })).entries;
    await store.change('ann', { kind: 'read', ids: [filler?.entry.id ?? 0] }, T0);
    expect((await search('filler', { unread: true }))[0]).toBe('Filler 1');
    expect((await search('filler', { sourceIds: ['odd'] }))[0]).toBe('Filler 1');
  });

  it.each(['newest', 'oldest'] as const)('R11 R12 pages, %s first, have everything once', async (order) => {
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const options = { order, limit: 70, ...(cursor !== null && { cursor }) };
      const page: EntryPage = await store.list('ann', { text: 'filler' }, options);
      found.push(...titlesOf(page));
      cursor = page.next;
    } while (cursor !== null);
    const all = Array.from({ length: FILLERS }, (_, n) => `Filler ${n}`);
    expect(found).toEqual(order === 'newest' ? all : all.reverse());
  });

  it('R12 R16 a page reads a bounded number of documents, and goes on with the next one', async () => {
    const filter = { text: `filler ${FILLERS - 1}` };
    const { value: first, used } = await measureUsage(() =>
      store.list('ann', filter, { order: 'newest', limit: 5 }),
    );
    expect(used.reads).toBeLessThanOrEqual(MAX_SCANNED + 5);
    expect(titlesOf(first)).toEqual([]);
    const second = await store.list('ann', filter, { order: 'newest', limit: 5, cursor: first.next ?? '' });
    expect([titlesOf(second), second.next]).toEqual([[`Filler ${FILLERS - 1}`], null]);
  });

  it('R12 without a wanted word it scans what the other conditions leave', async () => {
    expect(await search('-filler')).toEqual([
      'The quick brown fox',
      'The brown quick dog',
      '東京都の天気',
      'AI研究が進む京都',
    ]);
  });
});
