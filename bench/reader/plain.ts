import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** Plain statements on the same file that do the least for the same answer, without states and stories. */
export class PlainReader implements Disposable {
  readonly #db: DatabaseSync;
  /** Apart: a change by another connection would have the reader count again. */
  readonly #marks: DatabaseSync;

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -48000; PRAGMA temp_store = MEMORY');
    this.#marks = new DatabaseSync(`${path}.plain`);
    this.#marks.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    this.#marks.exec('CREATE TABLE marks (person INTEGER, source INTEGER, up_to INTEGER)');
  }

  countBySource(): number {
    return this.#all(
      'SELECT source, count(*) AS n FROM carried INDEXED BY carried_by_arrival GROUP BY source',
    ).length;
  }

  newest(): number {
    return this.#all('SELECT * FROM entries ORDER BY ord DESC LIMIT 50').length;
  }

  ofSource(source: number): number {
    return this.#all(
      'SELECT e.* FROM carried c CROSS JOIN entries e ON e.ord = c.ord WHERE c.source = ? ORDER BY c.ord DESC LIMIT 50',
      source,
    ).length;
  }

  ofSources(sources: readonly number[]): number {
    return this.#all(
      `SELECT e.* FROM carried c CROSS JOIN entries e ON e.ord = c.ord
         WHERE c.source IN (SELECT value FROM json_each(?)) ORDER BY c.ord DESC LIMIT 50`,
      JSON.stringify(sources),
    ).length;
  }

  unread(person: number): number {
    return this.#all(
      `SELECT e.* FROM entries e WHERE NOT EXISTS (SELECT 1 FROM states WHERE person = ? AND story = e.story AND read = 1)
         ORDER BY ord DESC LIMIT 50`,
      person,
    ).length;
  }

  starred(person: number): number {
    return this.#all(
      `SELECT e.* FROM states s CROSS JOIN entries e ON e.id = s.story
         WHERE s.person = ? AND s.starred_at IS NOT NULL ORDER BY e.ord DESC LIMIT 50`,
      person,
    ).length;
  }

  found(expression: string): number {
    return this.#all(
      `SELECT e.* FROM search CROSS JOIN entries e ON e.ord = search.rowid WHERE search MATCH ?
         ORDER BY search.rowid DESC LIMIT 50`,
      expression,
    ).length;
  }

  /** One row in, one row out, each in a transaction. */
  markAndUndo(): number {
    this.#marks.prepare('INSERT INTO marks VALUES (1, 1, 1)').run();
    this.#marks.prepare('DELETE FROM marks').run();
    return 1;
  }

  [Symbol.dispose](): void {
    this.#db.close();
    this.#marks.close();
  }

  #all(sql: string, ...values: SQLInputValue[]): unknown[] {
    return this.#db.prepare(sql).all(...values);
  }
}
