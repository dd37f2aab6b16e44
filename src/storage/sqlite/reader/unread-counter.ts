import { chunked } from '../../../item/chunked.ts';
import type { Connection } from '../connection.ts';
import { ALL_SOURCES, type Coverage, type Mark, NO_SOURCE, uncovered } from './coverage.ts';
import type { EntryRows } from './entry-rows.ts';
import type { ListThresholds } from './list-thresholds.ts';
import type { People, PersonView } from './people.ts';
import type { StoryStates } from './story-states.ts';
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
  WHERE shared = 1 ORDER BY story`;
const SELECT_SHARED_AMONG = `SELECT story, source, seq, ord FROM carried INDEXED BY carried_by_story
  WHERE shared = 1 AND story IN (SELECT value FROM json_each(?)) ORDER BY story`;
const SELECT_CHOSEN = 'SELECT story, read FROM states WHERE person = ? AND read IS NOT NULL';
/** With more uncovered rows of shared stories, all of them are read in one go. */
const MAX_SHARED_LOOKUPS = 20_000;
/** Stories of one statement. */
const STORIES_AT_ONCE = 1_000;

export interface UnreadCounterParts {
  readonly db: Connection;
  readonly rows: EntryRows;
  readonly people: People;
  readonly states: StoryStates;
  readonly thresholds: ListThresholds;
}

type SharedRow = readonly [story: number, source: number, seq: number, ord: number];

/**
 * Counts unread stories. A person's tally is counted once and then kept up to date with each change of a story; a mark of many
 * sources has it counted again, which is cheap as it leaves little.
 */
export class UnreadCounter {
  readonly #db: Connection;
  readonly #rows: EntryRows;
  readonly #people: People;
  readonly #states: StoryStates;
  readonly #thresholds: ListThresholds;

  constructor({ db, rows, people, states, thresholds }: UnreadCounterParts) {
    this.#db = db;
    this.#rows = rows;
    this.#people = people;
    this.#states = states;
    this.#thresholds = thresholds;
  }

  tallyOf(view: PersonView): UnreadTally {
    view.tally ??= this.#count(view);
    return view.tally;
  }

  /** Runs `work`, which changes a story or adds one, and updates the tallies. `story` is `null` if it is not there yet. */
  around<T extends { readonly story: number }>(story: number | null, work: () => T): T {
    return this.#follow(this.#people.cached, story, work);
  }

  /** Runs `work`, which changes a person's choice, and updates the tally. */
  aroundChoice(view: PersonView, story: number, work: () => void): void {
    this.#follow([view], story, () => {
      work();
      return { story };
    });
  }

  /** Updates the tally after these marks were added or removed, or discards it if counting again is cheaper. */
  followMarks(before: Coverage, view: PersonView, marks: readonly Mark[]): void {
    const { tally } = view;
    if (tally === null || marks.length === 0) return;
    const stories = this.#sharedOf(marks);
    if (stories === null) {
      view.tally = null;
      return;
    }
    for (const part of chunked(stories, STORIES_AT_ONCE))
      for (const { story, sources, rows } of byStory(this.#all(SELECT_SHARED_AMONG, JSON.stringify(part)))) {
        const [was, is] = [isCovered(before, rows), isCovered(view.coverage, rows)];
        if (was === is || (this.#states.chosen(view, story)?.read ?? null) !== null) continue;
        tally.add({ shared: true, sources }, is ? -1 : 1);
      }
    this.#recount(
      view,
      tally,
      marks.map(({ source }) => source),
    );
  }

  #follow<T extends { readonly story: number }>(
    views: readonly PersonView[],
    story: number | null,
    work: () => T,
  ): T {
    const counted = views.filter(({ tally }) => tally !== null);
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

  /** The shared stories of the marked sources; `null` if they are too many. */
  #sharedOf(marks: readonly Mark[]): number[] | null {
    const { recountedSources, recountedStories } = this.#thresholds;
    if (marks.length > recountedSources || marks.some(({ source }) => source === ALL_SOURCES)) return null;
    const stories = new Set<number>();
    const sql = 'SELECT DISTINCT story FROM carried WHERE source = ? AND shared = 1 AND seq <= ? LIMIT ?';
    for (const { source, upTo } of marks) {
      const rows = this.#db.all(sql, source, upTo, recountedStories + 1);
      for (const { story } of rows) stories.add(Number(story));
      if (stories.size > recountedStories) return null;
    }
    return [...stories];
  }

  /** Counts the stories of one entry and one source again, for some sources. */
  #recount(view: PersonView, tally: UnreadTally, sources: readonly number[]): void {
    for (const source of sources) tally.setAlone(source, this.#uncoveredAndNotRead(view, source));
    const recounted = new Set(sources);
    this.#eachChosen(view, 'unread', (source, covered) => {
      if (covered && recounted.has(source)) tally.addAlone(source, 1);
    });
  }

  #count(view: PersonView): UnreadTally {
    const tally = new UnreadTally();
    const sources = [NO_SOURCE, ...this.#rows.allNumbers()];
    let shared = 0;
    for (const source of sources) {
      tally.addAlone(source, this.#countUncovered(view, source, 0));
      shared += this.#countUncovered(view, source, 1);
    }
    if (view.no !== null) this.#countChosenAlone(view, tally);
    if (shared > MAX_SHARED_LOOKUPS) {
      const chosen = this.#db.all(SELECT_CHOSEN, view.no ?? -1);
      const read = new Map(chosen.map((row) => [Number(row.story), Number(row.read)]));
      this.#countShared(view, tally, this.#all(SELECT_SHARED), (story) => read.get(story) ?? null);
    } else
      for (const part of chunked(this.#sharedCandidates(view, sources), STORIES_AT_ONCE))
        this.#countShared(
          view,
          tally,
          this.#all(SELECT_SHARED_AMONG, JSON.stringify(part)),
          (story) => this.#states.chosen(view, story)?.read ?? null,
        );
    return tally;
  }

  #countUncovered(view: PersonView, source: number, shared: 0 | 1): number {
    const { sql, values } = uncovered(view.coverage.regionsOf(source));
    const row = this.#db.get(
      `SELECT count(*) AS n FROM carried INDEXED BY carried_by_arrival WHERE source = ? AND shared = ${shared} AND ${sql}`,
      source,
      ...values,
    );
    return Number(row?.n ?? 0);
  }

  /** Shared stories with an entry that no mark covers, or that the person chose to be unread. */
  #sharedCandidates(view: PersonView, sources: readonly number[]): number[] {
    const candidates = new Set<number>();
    for (const source of sources) {
      const { sql, values } = uncovered(view.coverage.regionsOf(source));
      const select = `SELECT story FROM carried INDEXED BY carried_by_arrival WHERE source = ? AND shared = 1 AND ${sql}`;
      for (const { story } of this.#db.all(select, source, ...values)) candidates.add(Number(story));
    }
    const unread = 'SELECT story FROM states INDEXED BY states_unread WHERE person = ? AND read = 0';
    for (const { story } of this.#db.all(unread, view.no ?? -1)) candidates.add(Number(story));
    return [...candidates];
  }

  /** Corrects the counts by what the person chose: by the choices or by what is uncovered, whichever is less. */
  #countChosenAlone(view: PersonView, tally: UnreadTally): void {
    const read = this.#db.get('SELECT count(*) AS n FROM states WHERE person = ? AND read = 1', view.no);
    if (tally.sum < Number(read?.n ?? 0))
      for (const source of tally.sources) tally.setAlone(source, this.#uncoveredAndNotRead(view, source));
    else
      this.#eachChosen(view, 'read', (source, covered) => {
        if (!covered) tally.addAlone(source, -1);
      });
    this.#eachChosen(view, 'unread', (source, covered) => {
      if (covered) tally.addAlone(source, 1);
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
    visit: (source: number, covered: boolean) => void,
  ): void {
    for (const row of this.#db.all(SELECT_CHOSEN_ALONE[chosen], view.no ?? -1)) {
      const source = Number(row.source);
      visit(source, view.coverage.covers(source, Number(row.seq), Number(row.ord)));
    }
  }

  /** Counts shared stories, given all their rows. */
  #countShared(
    view: PersonView,
    tally: UnreadTally,
    all: readonly SharedRow[],
    chosen: (story: number) => number | null,
  ): void {
    for (const { story, sources, rows } of byStory(all)) {
      const read = chosen(story);
      if (read === null ? !isCovered(view.coverage, rows) : read === 0)
        tally.add({ shared: true, sources }, 1);
    }
  }

  /** Rows as lists of their values, which is twice as fast for very many. */
  #all(sql: string, ...values: string[]): SharedRow[] {
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    return statement.all(...values) as unknown as SharedRow[];
  }
}

interface StoryRows {
  readonly story: number;
  readonly sources: readonly number[];
  readonly rows: readonly SharedRow[];
}

/** `rows` are sorted by story. */
function* byStory(rows: readonly SharedRow[]): Generator<StoryRows, void, undefined> {
  for (let from = 0, to = 1; to <= rows.length; to++) {
    const story = rows[from]?.[0];
    if (story === undefined || rows[to]?.[0] === story) continue;
    const own = rows.slice(from, to);
    yield { story, sources: [...new Set(own.map(([, source]) => source))], rows: own };
    from = to;
  }
}

function isCovered(coverage: Coverage, rows: readonly SharedRow[]): boolean {
  return rows.some(([, source, seq, ord]) => coverage.covers(source, seq, ord));
}
