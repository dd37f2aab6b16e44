import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newEntry } from '../src/reader/contract/entry-store-subject.ts';
import type { EntryFilter } from '../src/reader/entry-store.ts';
import { SqliteEntryStore } from '../src/storage/sqlite/reader/entry-store.ts';
import { type BenchOptions, type Result, result } from './bench.ts';
import { COMMON, fillReader, JAPANESE, JAPANESE_LETTER, RARE, SOURCES, sourceId } from './reader/fill.ts';
import { PlainReader } from './reader/plain.ts';

export const about =
  'lists, unread counts, "read all" and search of the reader, a million entries, beside plain SQLite';

const ANN = 'ann';
/** The number of the only person in the file. */
const ANN_NO = 1;
const ALL = Array.from({ length: SOURCES }, (_, n) => sourceId(n + 1));
const FOLDER_SIZE = 100;
const PAGE = { order: 'newest', limit: 50 } as const;
const MAX_MS = 100;
const PLAIN_EVERY = 5;

export async function run({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const entries = quick ? 100_000 : 1_000_000;
  const folder = mkdtempSync(join(tmpdir(), 'bench-reader-'));
  const path = join(folder, 'reader.db');
  try {
    const began = performance.now();
    await fillReader(path, entries, Date.now());
    log(
      `${entries.toLocaleString('en')} entries filled in ${Math.round((performance.now() - began) / 1000)} s`,
    );
    await using store = new SqliteEntryStore(path);
    using plain = new PlainReader(path);
    await giveStates(store, entries);
    const times = quick ? 40 : 200;
    const contest = new Contest(store, plain, times, log);
    return [
      ...(await contest.counts(path)),
      ...(await contest.lists('')),
      ...(await contest.searches()),
      ...(await contest.marks()),
      ...(await contest.fewUnread()),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Several thousand states, as of a person who reads every day. */
async function giveStates(store: SqliteEntryStore, entries: number): Promise<void> {
  const recent = await store.recent(0, Math.min(entries, 50_000));
  const ids = recent.map(({ id }) => id);
  const every = (step: number, from: number): number[] => ids.filter((_, n) => n % step === from);
  for (const [kind, chosen] of [
    ['read', every(10, 1)],
    ['star', every(100, 2)],
    ['later', every(250, 3)],
  ] as const)
    for (let from = 0; from < chosen.length; from += 1_000)
      await store.change(ANN, { kind, ids: chosen.slice(from, from + 1_000) }, Date.now());
}

class Contest {
  readonly #store: SqliteEntryStore;
  readonly #plain: PlainReader;
  readonly #times: number;
  readonly #log: (line: string) => void;

  constructor(store: SqliteEntryStore, plain: PlainReader, times: number, log: (line: string) => void) {
    this.#store = store;
    this.#plain = plain;
    this.#times = times;
    this.#log = log;
  }

  async counts(path: string): Promise<Result[]> {
    const counted = () => this.#store.unreadCounts(ANN, ALL);
    const plain = () => this.#plain.countBySource();
    return [
      await this.#compare('unread counts of 1,000 sources', counted, plain),
      await this.#compare(
        'unread counts after an arrival',
        async (n) => {
          const fresh = newEntry(`Arrival ${n}`, {
            sourceId: sourceId((n % SOURCES) + 1),
            publishedAt: Date.now(),
          });
          await this.#store.add([fresh], Date.now(), () => null);
          return counted();
        },
        plain,
      ),
      await this.#compare(
        'unread counts of a fresh process',
        async () => {
          await using fresh = new SqliteEntryStore(path);
          return fresh.unreadCounts(ANN, ALL);
        },
        plain,
        { maxMs: 1_000, times: 5 },
      ),
    ];
  }

  async lists(note: string): Promise<Result[]> {
    const folderOf = (n: number): number[] =>
      Array.from({ length: FOLDER_SIZE }, (_, k) => ((n * 37 + k * 10) % SOURCES) + 1);
    const list = (filter: EntryFilter) => this.#store.list(ANN, filter, PAGE);
    return [
      await this.#compare(
        `first page of all${note}`,
        () => list({}),
        () => this.#plain.newest(),
      ),
      await this.#compare(
        `first page of a source${note}`,
        (n) => list({ sourceIds: [sourceId((n % SOURCES) + 1)] }),
        (n) => this.#plain.ofSource((n % SOURCES) + 1),
      ),
      await this.#compare(
        `first page of 100 sources${note}`,
        (n) => list({ sourceIds: folderOf(n).map(sourceId) }),
        (n) => this.#plain.ofSources(folderOf(n)),
      ),
      await this.#compare(
        `first page of the unread${note}`,
        () => list({ unread: true }),
        () => this.#plain.unread(ANN_NO),
      ),
      await this.#compare(
        `oldest unread of 100 sources${note}`,
        (n) =>
          this.#store.list(
            ANN,
            { unread: true, sourceIds: folderOf(n).map(sourceId) },
            { ...PAGE, order: 'oldest' },
          ),
        (n) => this.#plain.ofSources(folderOf(n)),
      ),
      await this.#compare(
        `first page of the starred${note}`,
        () => list({ starred: true }),
        () => this.#plain.starred(ANN_NO),
      ),
    ];
  }

  async searches(): Promise<Result[]> {
    const search = (filter: EntryFilter) => () => this.#store.list(ANN, filter, PAGE);
    const plain = (expression: string) => () => this.#plain.found(expression);
    const word = (text: string): string => `words : "${text}"`;
    const both = COMMON.map(word).join(' AND ');
    return [
      await this.#compare('search, a common word', search({ text: COMMON[0] }), plain(word(COMMON[0]))),
      await this.#compare('search, two common words', search({ text: COMMON.join(' ') }), plain(both)),
      await this.#compare(
        'search, a phrase of common words',
        search({ text: `"${COMMON.join(' ')}"` }),
        plain(word(COMMON.join(' '))),
      ),
      await this.#compare('search, a rare word', search({ text: RARE }), plain(word(RARE))),
      await this.#compare(
        'search, a Japanese word of two letters',
        search({ text: JAPANESE }),
        plain(word(JAPANESE)),
      ),
      await this.#compare(
        'search, a Japanese letter',
        search({ text: JAPANESE_LETTER }),
        plain(`letters : "${JAPANESE_LETTER}"`),
      ),
      await this.#compare(
        'search, a common word in one source',
        search({ text: COMMON[0], sourceIds: [sourceId(7)] }),
        plain(`${word(COMMON[0])} AND scope : "s7"`),
      ),
      await this.#compare(
        'search, a common word among the starred',
        search({ text: COMMON[0], starred: true }),
        plain(word(COMMON[0])),
      ),
    ];
  }

  async marks(): Promise<Result[]> {
    const upTo = await this.#store.newestId();
    const markAndUndo = async (sourceIds?: readonly string[]): Promise<void> => {
      const change = { kind: 'readAll', upTo, ...(sourceIds !== undefined && { sourceIds }) } as const;
      const { undoToken } = await this.#store.change(ANN, change, Date.now());
      await this.#store.undo(ANN, undoToken ?? '', Date.now());
    };
    const plain = () => this.#plain.markAndUndo();
    // The counts before are part of the work, as a page shows them.
    const counted = () => this.#store.unreadCounts(ANN, ALL);
    return [
      await this.#compare(
        '"read all" of one source, and undo',
        (n) => markAndUndo([sourceId((n % SOURCES) + 1)]),
        plain,
      ),
      await this.#compare(
        '"read all" of 100 sources, counts, undo',
        async (n) => {
          await counted();
          await markAndUndo(ALL.slice((n * 7) % 900, ((n * 7) % 900) + FOLDER_SIZE));
        },
        plain,
        { maxMs: 1_000, times: 10 },
      ),
      await this.#compare('"read all" of all, and undo', () => markAndUndo(), plain, {
        maxMs: 1_000,
        times: 10,
      }),
    ];
  }

  /** Everything but the newest is read, and a few old ones are unread again. */
  async fewUnread(): Promise<Result[]> {
    const recent = await this.#store.recent(0, 500);
    await this.#store.change(ANN, { kind: 'readAll', upTo: recent.at(-1)?.id ?? 0 }, Date.now());
    const old = await this.#store.list(ANN, {}, { order: 'oldest', limit: 100 });
    await this.#store.change(
      ANN,
      { kind: 'unread', ids: old.entries.map(({ entry }) => entry.id) },
      Date.now(),
    );
    const list = (order: 'newest' | 'oldest') => () =>
      this.#store.list(ANN, { unread: true }, { order, limit: 50 });
    const upTo = await this.#store.newestId();
    return [
      await this.#compare('first page of 600 unread among all read', list('newest'), () =>
        this.#plain.newest(),
      ),
      await this.#compare('oldest page of 600 unread among all read', list('oldest'), () =>
        this.#plain.newest(),
      ),
      await this.#compare(
        'search, a common word among 600 unread',
        () => this.#store.list(ANN, { unread: true, text: COMMON[0] }, PAGE),
        () => this.#plain.found(`words : "${COMMON[0]}"`),
      ),
      await this.#compare(
        '"read all" of 600 unread, counts, undo',
        async () => {
          const { undoToken } = await this.#store.change(ANN, { kind: 'readAll', upTo }, Date.now());
          await this.#store.unreadCounts(ANN, ALL);
          await this.#store.undo(ANN, undoToken ?? '', Date.now());
        },
        () => this.#plain.markAndUndo(),
      ),
    ];
  }

  /** The 95th percentile of both, taken in turn; the peer less often, since some of its statements take long. */
  async #compare(
    name: string,
    ours: (n: number) => Promise<unknown>,
    plain: (n: number) => number,
    { maxMs = MAX_MS, times = this.#times } = {},
  ): Promise<Result> {
    const figures = { ours: [] as number[], plain: [] as number[] };
    for (let n = -1; n < times; n++) {
      const began = performance.now();
      await ours(n + 1);
      const between = performance.now();
      if (n >= 0) figures.ours.push(between - began);
      if (n % PLAIN_EVERY !== 0) continue;
      plain(n + 1);
      figures.plain.push(performance.now() - between);
    }
    const [p95, peer] = [percentile(figures.ours), percentile(figures.plain)];
    this.#log(`${name}: ${p95} ms, plain SQLite ${peer} ms`);
    return result({
      name: `${name}, p95`,
      ours: p95,
      unit: 'ms',
      peer: { name: 'plain SQLite', value: peer },
      goal: `under ${maxMs} ms`,
      met: p95 < maxMs,
    });
  }
}

function percentile(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Number((sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN).toPrecision(3));
}
