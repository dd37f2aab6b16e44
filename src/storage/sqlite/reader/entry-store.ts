import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { chunked } from '../../../item/chunked.ts';
import type { ItemKey } from '../../../item/item.ts';
import {
  type AddedEntry,
  type AppliedChange,
  type Entry,
  type EntryFilter,
  type EntryId,
  type EntryListOptions,
  type EntryPage,
  type EntryRetention,
  type EntryState,
  type EntryStore,
  type EntrySweep,
  type EntryText,
  type HotStory,
  MAX_CHANGED_IDS,
  type MarkedCounts,
  type NewEntry,
  type Regrouping,
  type SavedSearch,
  type StateChange,
  type UnreadCounts,
} from '../../../reader/entry-store.ts';
import { Connection } from '../connection.ts';
import { openDatabase } from '../database.ts';
import { EntryLister } from './entry-lister.ts';
import { EntryRemover } from './entry-remover.ts';
import { EntryRows } from './entry-rows.ts';
import { EntrySweeper } from './entry-sweeper.ts';
import { EntryTexts } from './entry-texts.ts';
import { EntryWriter } from './entry-writer.ts';
import { LIST_THRESHOLDS, type ListThresholds } from './list-thresholds.ts';
import { READER_MIGRATIONS } from './migrations.ts';
import { newestNumber } from './order.ts';
import { People } from './people.ts';
import { SearchIndex } from './search-index.ts';
import { StateChanges } from './state-changes.ts';
import { StoryRegrouper } from './story-regrouper.ts';
import { StoryStates } from './story-states.ts';
import { UnreadCounter } from './unread-counter.ts';

/** Entries of one transaction. */
const ADDED_AT_ONCE = 50;
/** States of a person that are removed in one transaction. */
const REMOVED_STATES = 1_000;

export interface SqliteEntryStoreOptions {
  readonly newToken?: () => string;
  readonly thresholds?: ListThresholds;
}

/** The articles of all sources and what people did with them, in one file. */
export class SqliteEntryStore implements EntryStore {
  readonly #db: Connection;
  readonly #rows: EntryRows;
  readonly #texts: EntryTexts;
  readonly #people: People;
  readonly #states: StoryStates;
  readonly #counter: UnreadCounter;
  readonly #writer: EntryWriter;
  readonly #lister: EntryLister;
  readonly #changes: StateChanges;
  readonly #sweeper: EntrySweeper;
  readonly #regrouper: StoryRegrouper;

  constructor(
    path: string,
    { newToken = randomUUID, thresholds = LIST_THRESHOLDS }: SqliteEntryStoreOptions = {},
  ) {
    const opened = openDatabase(path, { name: 'the entries of the reader', migrations: READER_MIGRATIONS });
    const db = new Connection(opened, path);
    const rows = new EntryRows(db);
    const texts = new EntryTexts(db);
    const index = new SearchIndex(db, rows);
    const people = new People(db);
    const states = new StoryStates(db);
    const counter = new UnreadCounter({ db, rows, people, states, thresholds });
    const remover = new EntryRemover({ db, rows, texts, index, people, states, counter });
    this.#db = db;
    this.#rows = rows;
    this.#texts = texts;
    this.#people = people;
    this.#states = states;
    this.#counter = counter;
    this.#writer = new EntryWriter({ db, rows, texts, index, counter });
    this.#lister = new EntryLister({ db, rows, people, states, counter, index, thresholds });
    this.#changes = new StateChanges({ db, rows, people, states, counter, newToken });
    this.#regrouper = new StoryRegrouper(db, rows);
    this.#sweeper = new EntrySweeper({
      db,
      rows,
      texts,
      people,
      remover,
      write: (work) => this.#write(work),
    });
  }

  async add(
    entries: readonly NewEntry[],
    now: number,
    storyOf: (entry: NewEntry) => EntryId | null,
  ): Promise<readonly AddedEntry[]> {
    const added: AddedEntry[] = [];
    for (const [n, batch] of chunked(entries, ADDED_AT_ONCE).entries()) {
      if (n > 0) await nextTurn();
      added.push(...(await this.#addBatch(batch, now, storyOf)));
    }
    return added;
  }

  get(id: EntryId): Promise<Entry | null> {
    return this.#read(() => {
      const row = this.#rows.byId(id);
      return row === undefined ? null : this.#rows.toEntry(row);
    });
  }

  story(id: EntryId): Promise<readonly Entry[]> {
    return this.#read(() => {
      const row = this.#rows.byId(id);
      return row === undefined ? [] : this.#rows.ofStory(row.story).map((one) => this.#rows.toEntry(one));
    });
  }

  findByKeys(keys: readonly ItemKey[]): Promise<ReadonlyMap<ItemKey, Entry>> {
    return this.#read(() => {
      const found = keys.flatMap((key) => this.#rows.byKey(key) ?? []);
      return new Map(found.map((row) => [row.key as ItemKey, this.#rows.toEntry(row)]));
    });
  }

  recent(since: number, limit: number): Promise<readonly Entry[]> {
    return this.#read(() => this.#rows.recent(since, limit).map((row) => this.#rows.toEntry(row)));
  }

  regroup(regrouping: Regrouping): Promise<void> {
    return this.#write(() => {
      this.#regrouper.regroup(regrouping);
      // The tallies of everybody; regrouping is rare.
      this.#discardCaches();
    });
  }

  text(id: EntryId): Promise<EntryText | null> {
    return this.#read(() => this.#texts.get(id));
  }

  saveText(id: EntryId, text: EntryText): Promise<void> {
    return this.#write(() => this.#writer.saveText(id, text));
  }

  list(person: string, filter: EntryFilter, options: EntryListOptions): Promise<EntryPage> {
    return this.#read(() => this.#lister.list(person, filter, options));
  }

  hot(
    person: string,
    sourceIds: readonly string[] | undefined,
    since: number,
    limit: number,
  ): Promise<readonly HotStory[]> {
    return this.#read(() => this.#lister.hot(person, sourceIds, since, limit));
  }

  statesOf(person: string, ids: readonly EntryId[]): Promise<ReadonlyMap<EntryId, EntryState>> {
    return this.#read(() => {
      const view = this.#people.view(person);
      const found = ids.flatMap((id) => this.#rows.byId(id) ?? []);
      return new Map(found.map(({ id, story }) => [id, this.#states.stateOf(view, story)]));
    });
  }

  unreadCounts(person: string, sourceIds: readonly string[]): Promise<UnreadCounts> {
    return this.#read(() => {
      const tally = this.#counter.tallyOf(this.#people.view(person));
      const bySource: Record<string, number> = {};
      for (const id of sourceIds) {
        const unread = tally.of(this.#rows.numberOf(id) ?? -1);
        if (unread > 0) bySource[id] = unread;
      }
      return { all: tally.ofAny(this.#rows.numbersOf(sourceIds)), bySource };
    });
  }

  unreadOfGroups(person: string, groups: readonly (readonly string[])[]): Promise<readonly number[]> {
    return this.#read(() => {
      const tally = this.#counter.tallyOf(this.#people.view(person));
      return groups.map((sourceIds) => tally.ofAny(this.#rows.numbersOf(sourceIds)));
    });
  }

  markedCounts(person: string): Promise<MarkedCounts> {
    return this.#read(() => {
      const { no } = this.#people.view(person);
      const count = (column: 'starred_at' | 'later_at'): number => {
        const sql = `SELECT count(*) AS n FROM states WHERE person = ? AND ${column} IS NOT NULL`;
        return Number(this.#db.get(sql, no)?.n ?? 0);
      };
      return { starred: count('starred_at'), later: count('later_at') };
    });
  }

  newestId(): Promise<EntryId> {
    return this.#read(() => newestNumber(this.#db));
  }

  async change(person: string, change: StateChange, now: number): Promise<AppliedChange> {
    if (change.kind !== 'readAll' && change.ids.length > MAX_CHANGED_IDS)
      throw new RangeError(`A change has at most ${MAX_CHANGED_IDS} entries, not ${change.ids.length}.`);
    return { undoToken: await this.#write(() => this.#changes.apply(person, change, now)) };
  }

  undo(person: string, token: string, now: number): Promise<boolean> {
    return this.#write(() => this.#changes.undo(person, token, now));
  }

  savedSearches(person: string): Promise<readonly SavedSearch[]> {
    const sql =
      'SELECT settings FROM searches WHERE person = (SELECT no FROM people WHERE id = ?) ORDER BY rowid';
    return this.#read(() =>
      this.#db.all(sql, person).map(({ settings }) => JSON.parse(String(settings)) as SavedSearch),
    );
  }

  async saveSearch(person: string, search: SavedSearch): Promise<void> {
    const sql = `INSERT INTO searches (person, id, settings) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET settings = excluded.settings`;
    await this.#write(() =>
      this.#db.run(sql, this.#people.register(person).no, search.id, JSON.stringify(search)),
    );
  }

  removeSearch(person: string, id: string): Promise<boolean> {
    const sql = 'DELETE FROM searches WHERE person = (SELECT no FROM people WHERE id = ?) AND id = ?';
    return this.#write(() => this.#db.run(sql, person, id) > 0);
  }

  sweep(limits: EntryRetention, now: number, signal?: AbortSignal): Promise<EntrySweep> {
    return this.#sweeper.sweep(limits, now, signal);
  }

  removeSource(sourceId: string): Promise<void> {
    return this.#sweeper.removeSource(sourceId);
  }

  async removePerson(person: string): Promise<void> {
    const states = `DELETE FROM states WHERE (person, story) IN
      (SELECT person, story FROM states WHERE person = ? LIMIT ${REMOVED_STATES})`;
    for (;;) {
      const removed = await this.#write(() => {
        const { no } = this.#people.view(person);
        this.#people.forget(person);
        if (no === null) return 0;
        const more = this.#db.run(states, no);
        if (more === REMOVED_STATES) return more;
        for (const table of ['marks', 'undos', 'searches', 'joined_states'])
          this.#db.run(`DELETE FROM ${table} WHERE person = ?`, no);
        this.#db.run('DELETE FROM people WHERE no = ?', no);
        return more;
      });
      if (removed < REMOVED_STATES) return;
      await nextTurn();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#db[Symbol.asyncDispose]();
  }

  /** Most readings show nothing new: they take no write lock. */
  async #addBatch(
    batch: readonly NewEntry[],
    now: number,
    storyOf: (entry: NewEntry) => EntryId | null,
  ): Promise<readonly AddedEntry[]> {
    const unchanged = await this.#read(() => batch.map((entry) => this.#writer.unchanged(entry, now)));
    const added = unchanged.some((answer) => answer === undefined)
      ? await this.#write(() => batch.map((entry) => this.#writer.add(entry, now, storyOf)))
      : unchanged;
    return added.filter((answer) => answer !== null && answer !== undefined);
  }

  #read<T>(work: () => T): Promise<T> {
    return this.#db.read(() => {
      this.#refresh();
      return work();
    });
  }

  /** What is cached follows the writes of a transaction, so it is discarded if one fails or is repeated. */
  async #write<T>(work: () => T): Promise<T> {
    let attempts = 0;
    try {
      return await this.#db.write(() => {
        if (attempts++ > 0) this.#discardCaches();
        this.#refresh();
        return work();
      });
    } catch (error) {
      this.#discardCaches();
      throw error;
    }
  }

  #refresh(): void {
    if (this.#people.refresh()) this.#rows.forgetNumbers();
  }

  #discardCaches(): void {
    this.#people.clear();
    this.#rows.forgetNumbers();
  }
}
