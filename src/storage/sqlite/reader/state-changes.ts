import { type StateChange, UNDO_WITHIN_MS } from '../../../reader/entry-store.ts';
import type { Connection } from '../connection.ts';
import { ALL_SOURCES, isIn, type Mark, type Region, toRegion } from './coverage.ts';
import type { EntryRows } from './entry-rows.ts';
import type { People, PersonView, RegisteredPerson } from './people.ts';
import type { StoryStates } from './story-states.ts';
import type { UnreadCounter } from './unread-counter.ts';

type Column = 'read' | 'starred_at' | 'later_at';
type ReadAll = Extract<StateChange, { kind: 'readAll' }>;
type StoryChange = Exclude<StateChange, ReadAll>;

/** What takes a change back: the earlier values of stories, and for "read all" its marks, which have its token. */
interface UndoRecord {
  readonly column: Column;
  /** The value that the change has set. */
  readonly set: number | null;
  readonly stories: readonly (readonly [story: number, before: number | null])[];
}

export interface StateChangesParts {
  readonly db: Connection;
  readonly rows: EntryRows;
  readonly people: People;
  readonly states: StoryStates;
  readonly counter: UnreadCounter;
  readonly newToken: () => string;
}

/** Changes of a person's states and their undo. All methods run in a transaction of the caller. */
export class StateChanges {
  readonly #parts: StateChangesParts;

  constructor(parts: StateChangesParts) {
    this.#parts = parts;
  }

  /** Returns the undo token; `null` if nothing changed. */
  apply(person: string, change: StateChange, now: number): string | null {
    return change.kind === 'readAll'
      ? this.#readAll(person, change, now)
      : this.#changeStories(person, change, now);
  }

  undo(person: string, token: string, now: number): boolean {
    const { db, people } = this.#parts;
    const view = people.view(person);
    const row = db.get('SELECT at, change FROM undos WHERE token = ? AND person = ?', token, view.no ?? -1);
    if (row === undefined || view.no === null || now - Number(row.at) > UNDO_WITHIN_MS) return false;
    const registered = people.register(person);
    const { column, set, stories } = JSON.parse(String(row.change)) as UndoRecord;
    const marks = this.#marksOf(registered, token);
    this.#withMarks(person, marks, () => {
      db.run('DELETE FROM marks WHERE person = ? AND token = ?', registered.no, token);
      db.run('DELETE FROM undos WHERE token = ?', token);
    });
    for (const [story, before] of stories) this.#restore(people.register(person), story, column, set, before);
    return true;
  }

  #changeStories(person: string, { kind, ids }: StoryChange, now: number): string | null {
    const { rows, people, states } = this.#parts;
    const stories = [...new Set(ids.flatMap((id) => rows.byId(id)?.story ?? []))];
    const view = people.view(person);
    const [column, value]: [Column, number | null] = {
      read: ['read', 1] as [Column, number],
      unread: ['read', 0] as [Column, number],
      star: ['starred_at', now] as [Column, number],
      unstar: ['starred_at', null] as [Column, null],
      later: ['later_at', now] as [Column, number],
      notLater: ['later_at', null] as [Column, null],
    }[kind];
    const changed = stories.filter((story) =>
      column === 'read'
        ? states.isRead(view, story) !== (value === 1)
        : ((states.chosen(view, story)?.[column] ?? null) === null) !== (value === null),
    );
    if (changed.length === 0) return null;
    const registered = people.register(person);
    const before = changed.map(
      (story) => [story, states.chosen(registered, story)?.[column] ?? null] as const,
    );
    for (const story of changed) this.#set(registered, story, column, value);
    return this.#record(registered, { column, set: value, stories: before }, now);
  }

  #readAll(person: string, { sourceIds, upTo, before }: ReadAll, now: number): string | null {
    const { db, rows, people } = this.#parts;
    const sources = sourceIds === undefined ? [ALL_SOURCES] : rows.numbersOf(sourceIds);
    if (this.#isNothingUnread(people.view(person), sources)) return null;
    const view = people.register(person);
    const marks = sources.map((source) => ({ source, upTo, before: before ?? null }));
    const unreadByChoice = this.#unreadByChoiceIn(view, marks);
    const token = this.#record(
      view,
      { column: 'read', set: null, stories: unreadByChoice.map((story) => [story, 0]) },
      now,
    );
    for (const story of unreadByChoice) this.#set(view, story, 'read', null);
    this.#withMarks(person, marks, () => {
      for (const mark of marks)
        db.run(
          'INSERT INTO marks (person, token, source, up_to, before, at) VALUES (?, ?, ?, ?, ?, ?)',
          view.no,
          token,
          mark.source,
          upTo,
          mark.before,
          now,
        );
    });
    return token;
  }

  #isNothingUnread(view: PersonView, sources: readonly number[]): boolean {
    if (sources.length === 0) return true;
    // Without a tally the mark is cheaper than to count.
    const { tally } = view;
    return tally !== null && (sources.includes(ALL_SOURCES) ? tally.sum : tally.ofAny(sources)) === 0;
  }

  /** Stories that the person set to unread and these marks cover: the later decision counts. */
  #unreadByChoiceIn(view: RegisteredPerson, marks: readonly Mark[]): number[] {
    const { db, states } = this.#parts;
    const regions = new Map(marks.map((mark) => [mark.source, toRegion(mark)]));
    const regionOf = (source: number): Region | undefined => regions.get(ALL_SOURCES) ?? regions.get(source);
    const chosen = db.all(
      'SELECT story FROM states INDEXED BY states_unread WHERE person = ? AND read = 0',
      view.no,
    );
    return chosen
      .map(({ story }) => Number(story))
      .filter((story) =>
        states.carried(story).some(({ source, seq, ord }) => {
          const region = regionOf(source);
          return region !== undefined && isIn(region, seq, ord);
        }),
      );
  }

  /** Runs `work`, which adds or removes these marks, and updates the person's view. */
  #withMarks(person: string, marks: readonly Mark[], work: () => void): void {
    const { people, counter } = this.#parts;
    const { coverage } = people.view(person);
    work();
    counter.followMarks(coverage, people.reloadMarks(person), marks);
  }

  #marksOf(view: RegisteredPerson, token: string): readonly Mark[] {
    const sql = 'SELECT source, up_to AS upTo, before FROM marks WHERE person = ? AND token = ?';
    return this.#parts.db.all(sql, view.no, token) as unknown as Mark[];
  }

  /** Restores an earlier value, unless it was changed again since or the story is gone. */
  #restore(
    view: RegisteredPerson,
    story: number,
    column: Column,
    set: number | null,
    before: number | null,
  ): void {
    const { states } = this.#parts;
    if ((states.chosen(view, story)?.[column] ?? null) !== set || states.carried(story).length === 0) return;
    this.#set(view, story, column, before);
  }

  #set(view: RegisteredPerson, story: number, column: Column, value: number | null): void {
    const set = (): void => setState(this.#parts.db, view, story, column, value);
    if (column === 'read') this.#parts.counter.aroundChoice(view, story, set);
    else set();
  }

  #record(view: RegisteredPerson, record: UndoRecord, now: number): string {
    const { db, newToken } = this.#parts;
    const token = newToken();
    db.run(
      'INSERT INTO undos (token, person, at, change) VALUES (?, ?, ?, ?)',
      token,
      view.no,
      now,
      JSON.stringify(record),
    );
    return token;
  }
}

/** Sets one value of a state; a state without any has no row. */
export function setState(
  db: Connection,
  view: PersonView,
  story: number,
  column: Column,
  value: number | null,
): void {
  db.run(
    `INSERT INTO states (person, story, ${column}) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET ${column} = ?3`,
    view.no,
    story,
    value,
  );
  if (value === null)
    db.run(
      'DELETE FROM states WHERE person = ? AND story = ? AND read IS NULL AND starred_at IS NULL AND later_at IS NULL',
      view.no,
      story,
    );
}
