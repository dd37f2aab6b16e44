import { DatabaseSync } from 'node:sqlite';
import { TIMESPANS, type Timespan } from '../../src/stories/story.ts';
import { TIMESPAN_AGES_MS } from '../../src/stories/story-lists.ts';

/** The same stories in the table of the original program, with its two indexes. */
export function copyForOriginal(ours: string, path: string): void {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000');
  db.exec(`ATTACH '${ours}' AS ours;
    CREATE TABLE stories (id INTEGER PRIMARY KEY, by TEXT, descendants INTEGER, kids TEXT, score INTEGER, time INTEGER,
      title TEXT, url TEXT, updated INTEGER);
    INSERT INTO stories SELECT id, by, descendants, kids, score, time, title, url, updated FROM ours.stories;
    DETACH ours;
    CREATE INDEX idx_time ON stories (time);
    CREATE INDEX idx_score ON stories (score);
    ANALYZE;
    PRAGMA journal_mode = WAL`);
  db.close();
}

/** Its query for a first page, as it forces the index: by time for Day, Week and Month, by score for Year and All. */
export function askOriginal(db: DatabaseSync, timespan: Timespan, now: number): number {
  const byTime = timespan === 'Day' || timespan === 'Week' || timespan === 'Month';
  const age = TIMESPAN_AGES_MS[timespan];
  const sql = `SELECT * FROM stories INDEXED BY ${byTime ? 'idx_time' : 'idx_score'} WHERE ${byTime ? '' : '+'}time > ? ORDER BY score DESC LIMIT 500`;
  const began = performance.now();
  db.prepare(sql).all(age === null ? 0 : now - age);
  return performance.now() - began;
}

/** Milliseconds of each timespan's first page, one after the other, several rounds; the process does nothing else. */
export function measureOriginal(path: string, rounds: number, now: number): Record<Timespan, number[]> {
  const db = new DatabaseSync(path, { readOnly: true });
  const times = Object.fromEntries(TIMESPANS.map((name) => [name, [] as number[]])) as Record<
    Timespan,
    number[]
  >;
  for (let round = 0; round <= rounds; round++)
    for (const timespan of TIMESPANS) {
      const ms = askOriginal(db, timespan, now);
      if (round > 0) times[timespan].push(ms);
    }
  db.close();
  return times;
}

if (import.meta.main) {
  const [path = '', rounds = '5', now = '0'] = process.argv.slice(2);
  console.log(JSON.stringify(measureOriginal(path, Number(rounds), Number(now))));
}
