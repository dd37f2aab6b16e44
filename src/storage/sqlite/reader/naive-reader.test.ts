import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryOf, newEntry, T0 } from '../../../reader/contract/entry-store-subject.ts';
import type { EntryFilter, StateChange } from '../../../reader/entry-store.ts';
import { SqliteEntryStore } from './entry-store.ts';
import { LIST_THRESHOLDS, type ListThresholds } from './list-thresholds.ts';
import { NaiveReader } from './naive-reader.fixture.ts';

const SOURCES = ['a', 'b', 'c', 'd', 'e'];
const WORDS = ['rust', 'zig', 'go'];
const LOW: ListThresholds = {
  collectedUnread: 1,
  walkedUnread: 2,
  searchedSources: 1,
  recountedSources: 1,
  recountedStories: 1,
};

const source = fc.constantFrom(...SOURCES);
const someSources = fc.option(fc.uniqueArray(source, { maxLength: 3 }), { nil: undefined });
const place = fc.nat(99);
const time = fc.integer({ min: -40, max: 0 });
const optionalTime = fc.option(time, { nil: undefined, freq: 4 });
const command = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('add' as const),
      source,
      time,
      word: fc.constantFrom(...WORDS),
      /** The place of an entry of the same story. */
      story: fc.option(place, { nil: null, freq: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('carry' as const), source, entry: place }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('change' as const),
      kind: fc.constantFrom('read', 'unread', 'star', 'unstar', 'later', 'notLater'),
      entries: fc.array(place, { minLength: 1, maxLength: 4 }),
      undo: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('readAll' as const),
      sources: someSources,
      upTo: fc.option(place, { nil: null }),
      before: optionalTime,
      undo: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('sweep' as const), ticks: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('removeSource' as const), source }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('reopen' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('list' as const),
      sources: someSources,
      unread: fc.boolean(),
      starred: fc.option(fc.constant(true), { nil: undefined, freq: 4 }),
      later: fc.option(fc.constant(true), { nil: undefined, freq: 4 }),
      text: fc.option(fc.constantFrom(...WORDS), { nil: undefined }),
      since: optionalTime,
      before: optionalTime,
      order: fc.constantFrom('newest' as const, 'oldest' as const),
      limit: fc.integer({ min: 1, max: 5 }),
    }),
  },
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** Runs commands on a store and on the plain rules. */
class Comparison {
  readonly #naive = new NaiveReader();
  readonly #open: () => SqliteEntryStore;
  #store: SqliteEntryStore;
  /** The same file, opened by another process. */
  #other: SqliteEntryStore;
  #ticks = 0;
  #titles = 0;

  constructor(open: () => SqliteEntryStore) {
    this.#open = open;
    this.#store = open();
    this.#other = open();
  }

  async close(): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
    await this.#other[Symbol.asyncDispose]();
  }

  async run(given: Command): Promise<void> {
    this.#ticks++;
    // The other process does every third command.
    const store = this.#ticks % 3 === 0 ? this.#other : this.#store;
    switch (given.type) {
      case 'add':
        await this.#add(store, given);
        break;
      case 'carry': {
        const entry = this.#entryAt(given.entry);
        if (entry === undefined || entry.sources.size === 0) return;
        await store.add(
          [newEntry(entry.title, { sourceId: given.source, sourceName: 'S' })],
          this.#now,
          () => null,
        );
        if (!entry.sources.has(given.source)) entry.sources.set(given.source, await store.newestId());
        break;
      }
      case 'change': {
        const ids = given.entries.flatMap((at) => this.#entryAt(at)?.id ?? []);
        await this.#change(store, { kind: given.kind, ids } as StateChange, given.undo);
        break;
      }
      case 'readAll':
        await this.#change(
          store,
          {
            kind: 'readAll',
            upTo: given.upTo === null ? await store.newestId() : (this.#entryAt(given.upTo)?.id ?? 0),
            ...(given.sources !== undefined && { sourceIds: given.sources }),
            ...(given.before !== undefined && { before: T0 + given.before }),
          },
          given.undo,
        );
        break;
      case 'sweep': {
        const limits = { entriesMs: given.ticks, textsMs: null, keepPerSource: 0 };
        await store.sweep(limits, this.#now);
        this.#naive.remove(
          ({ arrivedAt, story, sources }) =>
            arrivedAt < this.#now - given.ticks && !this.#naive.isWanted(story) && sources.size > 0,
        );
        break;
      }
      case 'removeSource':
        await store.removeSource(given.source);
        this.#naive.remove((_, source) => source === given.source);
        break;
      case 'reopen':
        await this.#store[Symbol.asyncDispose]();
        this.#store = this.#open();
        break;
      case 'list':
        await this.#compareList(given);
        break;
    }
    await this.#compareStates();
  }

  get #now(): number {
    return T0 + this.#ticks;
  }

  #entryAt(at: number) {
    const { entries } = this.#naive;
    return entries[at % Math.max(entries.length, 1)];
  }

  async #add(store: SqliteEntryStore, given: Extract<Command, { type: 'add' }>): Promise<void> {
    const title = `${given.word} n${this.#titles++}`;
    const of = given.story === null ? undefined : this.#entryAt(given.story);
    const publishedAt = T0 + given.time;
    const [added] = await store.add(
      [newEntry(title, { sourceId: given.source, sourceName: 'S', publishedAt })],
      this.#now,
      () => of?.id ?? null,
    );
    const { id, storyId } = entryOf(added);
    expect(storyId).toBe(of?.story ?? id);
    this.#naive.entries.push({
      id,
      title,
      story: storyId,
      publishedAt,
      arrivedAt: this.#now,
      sources: new Map([[given.source, id]]),
    });
  }

  async #change(store: SqliteEntryStore, change: StateChange, undo: boolean): Promise<void> {
    const restore = this.#naive.snapshot();
    const { undoToken } = await store.change('ann', change, this.#now);
    this.#naive.change(change, this.#now);
    if (!undo || undoToken === null) return;
    await this.#compareStates();
    expect(await this.#other.undo('ann', undoToken, this.#now)).toBe(true);
    restore();
  }

  async #compareList({
    sources,
    since,
    before,
    order,
    limit,
    ...rest
  }: Extract<Command, { type: 'list' }>): Promise<void> {
    const filter = {
      ...Object.fromEntries(
        Object.entries(rest).filter(([key, value]) => key !== 'type' && value !== undefined),
      ),
      ...(sources !== undefined && { sourceIds: sources }),
      ...(since !== undefined && { since: T0 + since }),
      ...(before !== undefined && { before: T0 + before }),
    } as EntryFilter;
    const titles: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await this.#store.list('ann', filter, {
        order,
        limit,
        ...(cursor !== undefined && { cursor }),
      });
      titles.push(...page.entries.map(({ entry }) => entry.title));
      cursor = page.next;
    }
    expect(titles).toEqual(this.#naive.list(filter, order));
  }

  async #compareStates(): Promise<void> {
    const { entries } = this.#naive;
    const states = await this.#store.statesOf(
      'ann',
      entries.map(({ id }) => id),
    );
    expect([...states]).toEqual(entries.map(({ id, story }) => [id, this.#naive.stateOf(story)]));
    for (const some of [SOURCES, ['a', 'b'], ['c']])
      expect(await this.#store.unreadCounts('ann', some)).toEqual(this.#naive.unread(some));
  }
}

describe('R6 R7 R8 R9 R11 any sequence of changes', () => {
  let folder: string;
  let files = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-naive-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['as in operation', LIST_THRESHOLDS, 60],
    ['with every way to a list', LOW, 120],
  ] as const)('gives what the plain rules give, %s', { timeout: 240_000 }, async (_, thresholds, numRuns) => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
        const path = join(folder, `${files++}.db`);
        const comparison = new Comparison(() => new SqliteEntryStore(path, { thresholds }));
        try {
          for (const one of commands) await comparison.run(one);
        } finally {
          await comparison.close();
        }
      }),
      { numRuns },
    );
  });
});
