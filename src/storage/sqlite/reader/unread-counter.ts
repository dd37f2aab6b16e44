import type { Connection } from '../connection.ts';
import { NO_SOURCE, uncovered } from './coverage.ts';
import type { EntryRows } from './entry-rows.ts';
import type { People, PersonView } from './people.ts';
import type { Contribution, StoryStates } from './story-states.ts';
import { UnreadTally } from './unread-tally.ts';

const SELECT_CHOSEN_ALONE = `SELECT s.read, c.source, c.seq, c.ord FROM states s
  CROSS JOIN entries e ON e.id = s.story AND e.shared = 0
  CROSS JOIN carried c ON c.source = ifnull(e.sources ->> 0, ${NO_SOURCE}) AND c.ord = e.ord
  WHERE s.person = ? AND s.read IS NOT NULL`;
const COUNT_COVERED_UNREAD = `SELECT c.seq, c.ord FROM states s INDEXED BY states_unread
  CROSS JOIN entries e ON e.id = s.story AND e.shared = 0
  CROSS JOIN carried c ON c.source = ? AND c.ord = e.ord
  WHERE s.person = ? AND s.read = 0`;
const SELECT_CHOSEN_SHARED = `SELECT s.story, s.read FROM states s
  WHERE s.person = ? AND s.read IS NOT NULL AND EXISTS (SELECT 1 FROM carried WHERE story = s.story AND shared = 1)`;
const SELECT_SHARED = `SELECT story, source, seq, ord FROM carried INDEXED BY carried_by_story
  WHERE shared = 1 AND story IN (SELECT value FROM json_each(?)) ORDER BY story`;
/** Stories of one statement. */
const STORIES_AT_ONCE = 1_000;

/**
 * Counts unread stories. A person's tally is counted once and then kept up to date with each change of a story; a mark of many
 * sources has it counted again, which is cheap as it leaves little.
 */
export class UnreadCounter {
  readonly #db: Connection;
  readonly #rows: EntryRows;
  readonly #people: People;
  readonly #states: StoryStates;

  constructor(db: Connection, rows: EntryRows, people: People, states: StoryStates) {
    this.#db = db;
    this.#rows = rows;
    this.#people = people;
    this.#states = states;
  }

  tallyOf(view: PersonView): UnreadTally {
    view.tally ??= this.#count(view);
    return view.tally;
  }

  /** Runs `work`, which changes a story or adds one, and updates the tallies. `story` is `null` if it is not there yet. */
  around<T extends { readonly story: number }>(story: number | null, work: () => T): T {
    const counted = this.#people.cached.filter(({ tally }) => tally !== null);
    const before = counted.map((view) => (story === null ? null : this.#states.contribution(view, story)));
    const result = work();
    for (const [n, view] of counted.entries()) {
      const was = before[n] ?? null;
      const is = this.#states.contribution(view, result.story);
      if (was !== null) view.tally?.add(was, -1);
      if (is !== null) view.tally?.add(is, 1);
    }
    return result;
  }

  /** What the stories add to a person's tally now. Nothing is computed if there is none. */
  contributions(view: PersonView, stories: Iterable<number>): Map<number, Contribution | null> {
    if (view.tally === null) return new Map();
    return new Map([...stories].map((story) => [story, this.#states.contribution(view, story)]));
  }

  /** Replaces the earlier contributions of stories by those of now. */
  update(view: PersonView, before: ReadonlyMap<number, Contribution | null>): void {
    for (const [story, was] of before) {
      const is = this.#states.contribution(view, story);
      if (was !== null) view.tally?.add(was, -1);
      if (is !== null) view.tally?.add(is, 1);
    }
  }

  /** Counts the stories of one entry and one source again, for one source. */
  recount(view: PersonView, source: number): void {
    const { sql, values } = uncovered(view.coverage.regionsOf(source));
    const person = view.no ?? -1;
    const unread = this.#db.get(
      `SELECT count(*) AS n FROM carried c INDEXED BY carried_by_arrival WHERE source = ? AND shared = 0 AND ${sql}
         AND NOT EXISTS (SELECT 1 FROM states WHERE person = ? AND story = c.story AND read = 1)`,
      source,
      ...values,
      person,
    );
    const chosen = this.#db
      .all(COUNT_COVERED_UNREAD, source, person)
      .filter(({ seq, ord }) => view.coverage.covers(source, Number(seq), Number(ord)));
    view.tally?.setAlone(source, Number(unread?.n ?? 0) + chosen.length);
  }

  #count(view: PersonView): UnreadTally {
    const tally = new UnreadTally();
    const candidates = new Set<number>();
    for (const source of [NO_SOURCE, ...this.#rows.allNumbers()]) {
      const { sql, values } = uncovered(view.coverage.regionsOf(source));
      const alone = this.#db.get(
        `SELECT count(*) AS n FROM carried INDEXED BY carried_by_arrival WHERE source = ? AND shared = 0 AND ${sql}`,
        source,
        ...values,
      );
      tally.addAlone(source, Number(alone?.n ?? 0));
      const shared = `SELECT story FROM carried INDEXED BY carried_by_arrival WHERE source = ? AND shared = 1 AND ${sql}`;
      for (const { story } of this.#db.all(shared, source, ...values)) candidates.add(Number(story));
    }
    const chosen = this.#countChosen(view, tally);
    for (const [story, read] of chosen) if (read === 0) candidates.add(story);
    this.#countShared(view, tally, [...candidates], chosen);
    return tally;
  }

  /** Corrects the counts by what the person chose. Returns the choices of shared stories. */
  #countChosen(view: PersonView, tally: UnreadTally): Map<number, number> {
    if (view.no === null) return new Map();
    for (const row of this.#db.all(SELECT_CHOSEN_ALONE, view.no)) {
      const source = Number(row.source);
      const isCovered = view.coverage.covers(source, Number(row.seq), Number(row.ord));
      if (row.read === 1 && !isCovered) tally.addAlone(source, -1);
      if (row.read === 0 && isCovered) tally.addAlone(source, 1);
    }
    const shared = this.#db.all(SELECT_CHOSEN_SHARED, view.no);
    return new Map(shared.map(({ story, read }) => [Number(story), Number(read)]));
  }

  #countShared(
    view: PersonView,
    tally: UnreadTally,
    stories: readonly number[],
    chosen: ReadonlyMap<number, number>,
  ): void {
    for (let from = 0; from < stories.length; from += STORIES_AT_ONCE) {
      const part = stories.slice(from, from + STORIES_AT_ONCE);
      const found = new Map<number, { sources: Set<number>; covered: boolean }>();
      for (const row of this.#db.all(SELECT_SHARED, JSON.stringify(part))) {
        const [story, source] = [Number(row.story), Number(row.source)];
        const known = found.get(story) ?? { sources: new Set(), covered: false };
        known.sources.add(source);
        known.covered ||= view.coverage.covers(source, Number(row.seq), Number(row.ord));
        found.set(story, known);
      }
      for (const [story, { sources, covered }] of found) {
        const read = chosen.get(story);
        if (read === undefined ? !covered : read === 0) tally.add({ shared: true, sources: [...sources] }, 1);
      }
    }
  }
}
