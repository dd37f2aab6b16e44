import type { Connection } from '../connection.ts';
import { NO_SOURCE } from './coverage.ts';
import { type EntryRow, type EntryRows, shortHash, sourceNumbers } from './entry-rows.ts';
import type { EntryTexts } from './entry-texts.ts';
import type { People } from './people.ts';
import type { SearchIndex } from './search-index.ts';
import { setState } from './state-changes.ts';
import type { StoryStates } from './story-states.ts';
import type { UnreadCounter } from './unread-counter.ts';

export interface EntryRemoverParts {
  readonly db: Connection;
  readonly rows: EntryRows;
  readonly texts: EntryTexts;
  readonly index: SearchIndex;
  readonly people: People;
  readonly states: StoryStates;
  readonly counter: UnreadCounter;
}

/** Removes single entries and sources of entries. All methods run in a transaction of the caller. */
export class EntryRemover {
  readonly #parts: EntryRemoverParts;

  constructor(parts: EntryRemoverParts) {
    this.#parts = parts;
  }

  /** Whether a person starred the story or wants to read it later. */
  isWanted(story: number): boolean {
    const sql = `SELECT 1 FROM states WHERE story = ? AND (starred_at IS NOT NULL OR later_at IS NOT NULL) LIMIT 1`;
    return this.#parts.db.get(sql, story) !== undefined;
  }

  remove(row: EntryRow): void {
    const { db, texts, index, states, counter } = this.#parts;
    counter.around(row.story, () => {
      this.#keepRead(row, null);
      const sources = sourceNumbers(row);
      for (const source of sources.length === 0 ? [NO_SOURCE] : sources)
        db.run('DELETE FROM carried WHERE source = ? AND ord = ?', source, row.ord);
      db.run('DELETE FROM entries WHERE ord = ?', row.ord);
      if (states.carried(row.story).length === 0) {
        db.run('DELETE FROM states WHERE story = ?', row.story);
        db.run('DELETE FROM joined_states WHERE joined_to = ?', row.story);
      }
      return row;
    });
    texts.remove(row.id);
    index.remove(row.ord);
  }

  /** A source that still shows the article does not bring it back. */
  leaveTombstone(row: EntryRow, now: number): void {
    const sql = 'INSERT OR REPLACE INTO tombstones (key_hash, seen_at) VALUES (?, ?)';
    this.#parts.db.run(sql, shortHash(row.key), now);
  }

  /** Takes a source from an entry; one without any other source is removed unless a person wants it. */
  removeSource(row: EntryRow, source: number): void {
    const { db, rows, texts, index, counter } = this.#parts;
    const sources = sourceNumbers(row).filter((other) => other !== source);
    if (sources.length === 0 && !this.isWanted(row.story)) {
      this.remove(row);
      return;
    }
    counter.around(row.story, () => {
      this.#keepRead(row, source);
      db.run('UPDATE entries SET sources = ? WHERE ord = ?', JSON.stringify(sources), row.ord);
      if (sources.length === 0)
        db.run('UPDATE carried SET source = ? WHERE source = ? AND ord = ?', NO_SOURCE, source, row.ord);
      else db.run('DELETE FROM carried WHERE source = ? AND ord = ?', source, row.ord);
      return row;
    });
    const stored = rows.byOrd(row.ord);
    if (stored !== undefined) index.put(stored, texts.get(row.id)?.html ?? null);
  }

  /** A story that is read because a mark covers what goes is read by choice from now on. `source`: `null` for all of the entry. */
  #keepRead(row: EntryRow, source: number | null): void {
    const { db, people, states } = this.#parts;
    const going = states
      .carried(row.story)
      .filter((one) => one.ord === row.ord && (source === null || one.source === source));
    for (const view of people.withMarks()) {
      const covered = going.some((one) => view.coverage.covers(one.source, one.seq, one.ord));
      if (covered && (states.chosen(view, row.story)?.read ?? null) === null)
        setState(db, view, row.story, 'read', 1);
    }
  }
}
