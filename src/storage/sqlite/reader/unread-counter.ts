import { chunked } from '../../../item/chunked.ts';
import type { Connection } from '../connection.ts';
import { NO_SOURCE, uncovered } from './coverage.ts';
import type { EntryRows } from './entry-rows.ts';
import type { People, PersonView } from './people.ts';
import type { Contribution, StoryStates } from './story-states.ts';
import { UnreadTally } from './unread-tally.ts';

/** The sources, numbers and places of stories of one entry and one source that the person chose to be read or unread. */
const CHOSEN_ALONE = `CROSS JOIN entries e ON e.id = s.story AND e.shared = 0
  CROSS JOIN carried c ON c.source = ifnull(e.sources ->> 0, ${NO_SOURCE}) AND c.ord = e.ord`;
const SELECT_CHOSEN_ALONE = {
  read: `SELECT c.source, c.seq, c.ord FROM states s ${CHOSEN_ALONE} WHERE s.person = ? AND s.read = 1`,
  unread: `SELECT c.source, c.seq, c.ord FROM states s INDEXED BY states_unread ${CHOSEN_ALONE}
    WHERE s.person = ? AND s.read = 0`,
};
const SELECT_SHARED = `SELECT story, source, seq, ord FROM carried INDEXED BY carried_by_story
  WHERE shared = 1 AND story IN (SELECT value FROM json_each(?)) ORDER BY story`;
const SELECT_CHOSEN = `SELECT s.story, s.read FROM json_each(?) CROSS JOIN states s ON s.person = ? AND s.story = json_each.value
  WHERE s.read IS NOT NULL`;
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

  /** Counts the stories of one entry and one source again, for some sources. */
  recount(view: PersonView, sources: readonly number[]): void {
    for (const source of sources) view.tally?.setAlone(source, this.#uncoveredAndNotRead(view, source));
    const recounted = new Set(sources);
    this.#eachChosen(view, 'unread', (source, isCovered) => {
      if (isCovered && recounted.has(source)) view.tally?.addAlone(source, 1);
    });
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
    if (view.no !== null) {
      this.#countChosenAlone(view, tally);
      const unread = 'SELECT story FROM states INDEXED BY states_unread WHERE person = ? AND read = 0';
      for (const { story } of this.#db.all(unread, view.no)) candidates.add(Number(story));
    }
    this.#countShared(view, tally, [...candidates]);
    return tally;
  }

  /** Corrects the counts by what the person chose: by the choices or by what is uncovered, whichever is less. */
  #countChosenAlone(view: PersonView, tally: UnreadTally): void {
    const read = this.#db.get('SELECT count(*) AS n FROM states WHERE person = ? AND read = 1', view.no);
    if (tally.sum < Number(read?.n ?? 0))
      for (const source of tally.sources) tally.setAlone(source, this.#uncoveredAndNotRead(view, source));
    else
      this.#eachChosen(view, 'read', (source, isCovered) => {
        if (!isCovered) tally.addAlone(source, -1);
      });
    this.#eachChosen(view, 'unread', (source, isCovered) => {
      if (isCovered) tally.addAlone(source, 1);
    });
  }

  #uncoveredAndNotRead(view: PersonView, source: number): number {
    const { sql, values } = uncovered(view.coverage.regionsOf(source));
    const row = this.#db.get(
      `SELECT count(*) AS n FROM carried c INDEXED BY carried_by_arrival WHERE source = ? AND shared = 0 AND ${sql}
         AND NOT EXISTS (SELECT 1 FROM states WHERE person = ? AND story = c.story AND read = 1)`,
      source,
      ...values,
      view.no ?? -1,
    );
    return Number(row?.n ?? 0);
  }

  /** The stories of one entry and one source that the person chose to be read or unread. */
  #eachChosen(
    view: PersonView,
    chosen: 'read' | 'unread',
    visit: (source: number, isCovered: boolean) => void,
  ): void {
    for (const row of this.#db.all(SELECT_CHOSEN_ALONE[chosen], view.no ?? -1)) {
      const source = Number(row.source);
      visit(source, view.coverage.covers(source, Number(row.seq), Number(row.ord)));
    }
  }

  #countShared(view: PersonView, tally: UnreadTally, stories: readonly number[]): void {
    for (const part of chunked(stories, STORIES_AT_ONCE)) {
      const list = JSON.stringify(part);
      const chosen = new Map(
        this.#db
          .all(SELECT_CHOSEN, list, view.no ?? -1)
          .map(({ story, read }) => [Number(story), Number(read)]),
      );
      const found = new Map<number, { sources: Set<number>; covered: boolean }>();
      for (const row of this.#db.all(SELECT_SHARED, list)) {
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
