import type { EntryId, Regrouping } from '../../../reader/entry-store.ts';
import { assignStoryIds } from '../../../reader/story-ids.ts';
import type { Connection } from '../connection.ts';
import { NO_SOURCE } from './coverage.ts';
import { type EntryRow, type EntryRows, sourceNumbers } from './entry-rows.ts';

const COLUMNS = ['read', 'starred_at', 'later_at'] as const;
type State = Readonly<Record<(typeof COLUMNS)[number], number | null>>;

const NO_STATE: State = { read: null, starred_at: null, later_at: null };

/** Splits and joins stories. All methods run in a transaction of the caller, which discards what it has cached. */
export class StoryRegrouper {
  readonly #db: Connection;
  readonly #rows: EntryRows;

  constructor(db: Connection, rows: EntryRows) {
    this.#db = db;
    this.#rows = rows;
  }

  regroup({ stories, reasons }: Regrouping): void {
    const lists = this.#withUnlisted(stories.map((ids) => ids.flatMap((id) => this.#rows.byId(id) ?? [])));
    const storyOf = new Map(lists.flat().map(({ id, story }) => [id, story]));
    const assigned = assignStoryIds(
      lists.map((rows) => rows.map(({ id }) => id)),
      (id) => storyOf.get(id) ?? id,
    );
    const before = new Set(storyOf.values());
    for (const [nth, rows] of lists.entries()) {
      const story = assigned[nth] ?? 0;
      for (const row of rows) this.#move(row, story, rows.length);
      for (const old of new Set(rows.map((row) => row.story)))
        if (!assigned.includes(old)) this.#joinStates(old, story);
      if (!before.has(story)) this.#separateStates(story);
    }
    for (const [id, reason] of reasons)
      this.#db.run(
        'UPDATE entries SET story_reason = ? WHERE id = ?',
        reason === null ? null : JSON.stringify(reason),
        id,
      );
  }

  /** What arrived since the caller read the stories goes with the first list. */
  #withUnlisted(lists: readonly (readonly EntryRow[])[]): EntryRow[][] {
    const listed = new Set<EntryId>(lists.flat().map(({ id }) => id));
    const unlisted = new Map<EntryId, EntryRow>();
    for (const story of new Set(lists.flat().map((row) => row.story)))
      for (const row of this.#rows.ofStory(story)) if (!listed.has(row.id)) unlisted.set(row.id, row);
    const all = lists.map((rows, nth) => (nth === 0 ? [...rows, ...unlisted.values()] : [...rows]));
    return all.filter((rows) => rows.length > 0);
  }

  #move(row: EntryRow, story: number, entries: number): void {
    const sources = sourceNumbers(row);
    const shared = entries === 1 && sources.length <= 1 && story === row.id ? 0 : 1;
    this.#db.run('UPDATE entries SET story = ?, shared = ? WHERE ord = ?', story, shared, row.ord);
    for (const source of sources.length === 0 ? [NO_SOURCE] : sources)
      this.#db.run(
        'UPDATE carried SET story = ?, shared = ? WHERE source = ? AND ord = ?',
        story,
        shared,
        source,
        row.ord,
      );
  }

  #joinStates(story: number, to: number): void {
    for (const row of this.#db.all('SELECT * FROM states WHERE story = ?', story)) {
      const person = Number(row.person);
      const own = toState(row);
      const other = this.#stateOf(person, to) ?? NO_STATE;
      this.#db.run(
        'INSERT OR REPLACE INTO joined_states (story, person, joined_to, own, other) VALUES (?, ?, ?, ?, ?)',
        story,
        person,
        to,
        JSON.stringify(own),
        JSON.stringify(other),
      );
      this.#setState(person, story, NO_STATE);
      this.#setState(person, to, joined(own, other));
    }
  }

  /** Restores the states of a story that was joined before; what was changed since stays as it is in the other one. */
  #separateStates(story: number): void {
    for (const row of this.#db.all('SELECT * FROM joined_states WHERE story = ?', story)) {
      const [person, from] = [Number(row.person), Number(row.joined_to)];
      const own = JSON.parse(String(row.own)) as State;
      const other = JSON.parse(String(row.other)) as State;
      const together = joined(own, other);
      const now = this.#stateOf(person, from) ?? NO_STATE;
      const left = COLUMNS.map((column) => [
        column,
        now[column] === together[column] ? other[column] : now[column],
      ]);
      this.#setState(person, story, own);
      this.#setState(person, from, Object.fromEntries(left) as unknown as State);
    }
    this.#db.run('DELETE FROM joined_states WHERE story = ?', story);
  }

  #stateOf(person: number, story: number): State | undefined {
    const row = this.#db.get('SELECT * FROM states WHERE person = ? AND story = ?', person, story);
    return row && toState(row);
  }

  #setState(person: number, story: number, { read, starred_at, later_at }: State): void {
    if (read === null && starred_at === null && later_at === null) {
      this.#db.run('DELETE FROM states WHERE person = ? AND story = ?', person, story);
      return;
    }
    const sql = `INSERT OR REPLACE INTO states (person, story, read, starred_at, later_at) VALUES (?, ?, ?, ?, ?)`;
    this.#db.run(sql, person, story, read, starred_at, later_at);
  }
}

function toState(row: Readonly<Record<string, unknown>>): State {
  const value = (column: string): number | null => (row[column] === null ? null : Number(row[column]));
  return { read: value('read'), starred_at: value('starred_at'), later_at: value('later_at') };
}

/** Read if one of them is; starred and wanted later since the earlier time. */
function joined(one: State, other: State): State {
  return {
    read: greater(one.read, other.read),
    starred_at: smaller(one.starred_at, other.starred_at),
    later_at: smaller(one.later_at, other.later_at),
  };
}

function greater(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

function smaller(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
