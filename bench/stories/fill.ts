import { DatabaseSync } from 'node:sqlite';
import { StoryFile } from '../../src/storage/sqlite/story-file.ts';
import { BUCKET_WIDTHS_MS } from '../../src/storage/sqlite/story-ranks.ts';
import { systemClock } from '../../src/time/clock.ts';
import { DAY } from '../../src/time/duration.ts';

export const READER = 'ann';
/** Nineteen years of five million stories; fewer stories are fewer years, so that a day is as full. */
const DAYS_OF_A_STORY = (19 * 365) / 5_000_000;
const BATCH_SIZE = 50_000;

/** Scores as they are: most stories have a point or two, one in two hundred has a hundred, one in two thousand a thousand. */
export function scoreOf(chance: number): number {
  return Math.min(6000, Math.floor((1 - chance) ** -0.9));
}

/** The same numbers each time. */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * A file with so many stories over many years, ever more of them each year, as after many writes; and a
 * reader who hid the very best ones. Filled in bulk: stories first, then each order in one go.
 */
export async function fill(path: string, stories: number, hidden: number, now: number): Promise<void> {
  const file = StoryFile.open(path, systemClock);
  await file.storeOf('hackernews');
  await file[Symbol.asyncDispose]();
  const db = new DatabaseSync(path);
  db.exec(
    'PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; DROP INDEX stories_by_time',
  );
  insert(db, stories, now);
  db.exec('CREATE INDEX stories_by_time ON stories (set_no, time, id, updated, score)');
  for (const [level, width] of BUCKET_WIDTHS_MS.entries())
    db.exec(`INSERT INTO ranks (bucket, score, id)
      SELECT (1 * ${BUCKET_WIDTHS_MS.length} + ${level}) * ${2 ** 28} + time / ${width} AS bucket, score, id
      FROM stories INDEXED BY stories_by_time WHERE set_no = 1 ORDER BY bucket, score DESC, id DESC`);
  db.exec('UPDATE sets SET latest = (SELECT max(id) FROM stories) WHERE no = 1');
  db.exec(`INSERT INTO people (no, name) VALUES (1, '${READER}')`);
  db.exec(`INSERT INTO hidden (person_no, story_id, added_at)
    SELECT 1, id, ${now} FROM (SELECT id FROM stories ORDER BY score DESC, id DESC LIMIT ${hidden})`);
  db.exec('PRAGMA analysis_limit = 1000; ANALYZE');
  db.exec('PRAGMA journal_mode = WAL');
  db.close();
}

function insert(db: DatabaseSync, stories: number, now: number): void {
  const statement = db.prepare(
    'INSERT INTO stories (id, set_no, score, time, updated, descendants, by, title, url, kids) VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const next = dice(1);
  const span = stories * DAYS_OF_A_STORY * DAY;
  for (let n = 0; n < stories; n++) {
    if (n % BATCH_SIZE === 0) db.exec(n === 0 ? 'BEGIN' : 'COMMIT; BEGIN');
    const id = 8 * n + 1;
    const time = Math.floor(now - span + span * ((n + 1) / (stories + 1)) ** 0.7);
    const score = scoreOf(next());
    statement.run(
      id,
      score,
      time,
      now - Math.floor(next() * DAY),
      score >> 1,
      `author${id % 50_000}`,
      `Story ${id}: a title of usual length about a new finding`,
      `https://site${id % 9000}.example/articles/2026/${id}/a-usual-address`,
      `[${id + 1},${id + 2},${id + 3}]`,
    );
  }
  db.exec('COMMIT');
}
