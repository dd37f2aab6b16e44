import type { EntryState } from '../../../reader/entry-store.ts';
import type { Connection } from '../connection.ts';
import { NO_SOURCE } from './coverage.ts';
import type { PersonView } from './people.ts';

/** One source of one entry of a story. */
export interface CarriedRow {
  readonly source: number;
  readonly seq: number;
  readonly ord: number;
}

interface StateRow {
  readonly read: number | null;
  readonly starred_at: number | null;
  readonly later_at: number | null;
}

/** What an unread story adds to the counts of a person. */
export interface Contribution {
  readonly shared: boolean;
  readonly sources: readonly number[];
}

const SELECT_SHARED = 'SELECT source, seq, ord FROM carried WHERE story = ? AND shared = 1';
const SELECT_ALONE = `SELECT c.source, c.seq, c.ord FROM entries e
  CROSS JOIN carried c ON c.source = ifnull(e.sources ->> 0, ${NO_SOURCE}) AND c.ord = e.ord WHERE e.id = ? AND e.shared = 0`;
const SELECT_STATE = 'SELECT read, starred_at, later_at FROM states WHERE person = ? AND story = ?';

/** States of stories: what a person chose, and what the person's marks cover. */
export class StoryStates {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Every source of every entry of a story; empty if it is unknown. */
  carried(story: number): readonly CarriedRow[] {
    const shared = this.#db.all(SELECT_SHARED, story);
    return (shared.length > 0 ? shared : this.#db.all(SELECT_ALONE, story)) as unknown as CarriedRow[];
  }

  isShared(story: number): boolean {
    return this.#db.get('SELECT 1 FROM carried WHERE story = ? AND shared = 1 LIMIT 1', story) !== undefined;
  }

  chosen(view: PersonView, story: number): StateRow | undefined {
    if (view.no === null) return undefined;
    return this.#db.get(SELECT_STATE, view.no, story) as StateRow | undefined;
  }

  stateOf(view: PersonView, story: number): EntryState {
    const chosen = this.chosen(view, story);
    return {
      read: isRead(view, chosen, () => this.carried(story)),
      starredAt: chosen?.starred_at ?? null,
      laterAt: chosen?.later_at ?? null,
    };
  }

  isRead(view: PersonView, story: number): boolean {
    return isRead(view, this.chosen(view, story), () => this.carried(story));
  }

  /** `null` if the story is read or unknown. */
  contribution(view: PersonView, story: number): Contribution | null {
    const carried = this.carried(story);
    if (carried.length === 0 || isRead(view, this.chosen(view, story), () => carried)) return null;
    return { shared: this.isShared(story), sources: [...new Set(carried.map(({ source }) => source))] };
  }
}

function isRead(
  view: PersonView,
  chosen: StateRow | undefined,
  carried: () => readonly CarriedRow[],
): boolean {
  const read = chosen?.read ?? null;
  if (read !== null) return read === 1;
  if (view.coverage.isEmpty) return false;
  return carried().some(({ source, seq, ord }) => view.coverage.covers(source, seq, ord));
}
