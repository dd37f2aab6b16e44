import { randomUUID } from 'node:crypto';
import { type BudgetStore, exceededLimit, MINUTE_WINDOW_MS, type Spend } from '../../judge/budget/budget.ts';
import type { InterestsHistory } from '../../judge/interests.ts';
import type { Interest, JudgeFailure, Provenance } from '../../judge/judge.ts';
import type { JudgeFailureStore, JudgeStores } from '../../judge/judge-stores.ts';
import type { CachedVerdict, VerdictCache } from '../../judge/verdict-cache.ts';
import type { CalendarDay } from '../../time/calendar-day.ts';
import { CLOCK_TOLERANCE } from '../../time/clock.ts';
import { Connection, type Row } from './connection.ts';
import { type Migration, openDatabase } from './database.ts';

/** Schema of the judge stores. Append-only. */
export const JUDGE_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    about: 'Creates calls, verdicts and interests of judges',
    sql: `
      CREATE TABLE judge_calls (
        id TEXT PRIMARY KEY,
        purse TEXT NOT NULL,
        at INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        micro_usd INTEGER NOT NULL,
        settled INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX judge_calls_purse_at ON judge_calls (purse, at, calls, tokens, micro_usd);
      CREATE INDEX judge_calls_at ON judge_calls (at);
      CREATE TABLE judge_verdicts (
        question TEXT NOT NULL,
        text_hash TEXT NOT NULL,
        model TEXT NOT NULL,
        prompt_version TEXT NOT NULL,
        interests_version TEXT NOT NULL,
        value TEXT NOT NULL,
        provenance TEXT NOT NULL,
        made_at INTEGER NOT NULL,
        PRIMARY KEY (question, text_hash, model, prompt_version, interests_version)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX judge_verdicts_made_at ON judge_verdicts (made_at);
      CREATE TABLE judge_interests (
        version TEXT PRIMARY KEY,
        topics TEXT NOT NULL,
        first_seen_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;`,
  },
  {
    version: 2,
    about: 'Adds the last failure of each judge',
    sql: `
      CREATE TABLE judge_troubles (
        judge TEXT PRIMARY KEY,
        why TEXT NOT NULL,
        detail TEXT NOT NULL,
        at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;`,
  },
];

const SELECT_LAST_MINUTE =
  'SELECT COALESCE(SUM(calls), 0) AS calls, MIN(at) AS oldest FROM judge_calls WHERE purse = ? AND at > ? AND at <= ?';
const SELECT_TODAY = `SELECT COALESCE(SUM(calls), 0) AS calls, COALESCE(SUM(tokens), 0) AS tokens,
  COALESCE(SUM(micro_usd), 0) AS micro_usd FROM judge_calls WHERE purse = ? AND at >= ?`;
const UPDATE_USAGE =
  'UPDATE judge_calls SET calls = ?, tokens = ?, micro_usd = ?, settled = 1 WHERE id = ? AND settled = 0';

/** Budgets in SQLite: shared by every process that opens the file. The connection belongs to the caller. */
export function createSqliteBudgetStore(
  connection: Connection,
  newId: () => string = randomUUID,
): BudgetStore {
  const read = (budgetId: string, now: number, day: CalendarDay): { spend: Spend; oldest: number } => {
    const last = connection.get(SELECT_LAST_MINUTE, budgetId, now - MINUTE_WINDOW_MS, now + CLOCK_TOLERANCE);
    const all = connection.get(SELECT_TODAY, budgetId, day.start);
    return {
      oldest: Number(last?.oldest ?? now),
      spend: {
        lastMinute: { calls: Number(last?.calls ?? 0) },
        today: {
          calls: Number(all?.calls ?? 0),
          tokens: Number(all?.tokens ?? 0),
          microUsd: Number(all?.micro_usd ?? 0),
        },
      },
    };
  };

  return {
    reserve: (budgetId, amount, limits, now, day) =>
      connection.write(() => {
        const { spend, oldest } = read(budgetId, now, day);
        const limit = exceededLimit(spend, amount, limits);
        if (limit === 'callsPerMinute') return { reserved: false, limit, until: oldest + MINUTE_WINDOW_MS };
        if (limit !== null) return { reserved: false, limit, until: day.end };
        const id = newId();
        const { calls, tokens, microUsd } = amount;
        connection.run(
          'INSERT INTO judge_calls VALUES (?, ?, ?, ?, ?, ?, 0)',
          id,
          budgetId,
          now,
          calls,
          tokens,
          microUsd,
        );
        return { reserved: true, id };
      }),
    async recordUsage(id, used) {
      await connection.write(() => connection.run(UPDATE_USAGE, used.calls, used.tokens, used.microUsd, id));
    },
    spent: (budgetId, now, day) => connection.read(() => read(budgetId, now, day).spend),
    sweep: (before) => connection.write(() => connection.run('DELETE FROM judge_calls WHERE at < ?', before)),
    async [Symbol.asyncDispose]() {},
  };
}

/** The last failures of the judges in SQLite. The connection belongs to the caller. */
export function createSqliteJudgeFailureStore(connection: Connection): JudgeFailureStore {
  return {
    async report(judge, failure) {
      await connection.write(() =>
        failure === null
          ? connection.run('DELETE FROM judge_troubles WHERE judge = ?', judge)
          : connection.run(
              `INSERT INTO judge_troubles VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
               SET why = excluded.why, detail = excluded.detail, at = excluded.at`,
              judge,
              failure.why,
              failure.detail,
              failure.at,
            ),
      );
    },
    async lastFailure(judge) {
      const row = connection.get('SELECT why, detail, at FROM judge_troubles WHERE judge = ?', judge);
      if (!row) return null;
      return { why: String(row.why) as JudgeFailure, detail: String(row.detail), at: Number(row.at) };
    },
  };
}

const SAME_QUESTION = 'question = ? AND text_hash = ? AND model = ? AND prompt_version = ?';
const SELECT_VERDICT = `SELECT * FROM judge_verdicts WHERE ${SAME_QUESTION} AND interests_version = ?`;
const SELECT_LATEST = `SELECT * FROM judge_verdicts WHERE ${SAME_QUESTION} ORDER BY made_at DESC LIMIT 1`;
const UPSERT_VERDICT = `INSERT INTO judge_verdicts
  (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET value = excluded.value, provenance = excluded.provenance, made_at = excluded.made_at`;

/** Verdicts and past interests in SQLite. The connection belongs to the caller. */
export function createSqliteVerdictCache(connection: Connection): VerdictCache & InterestsHistory {
  return {
    async get(key) {
      const { question, textHash, model, promptVersion, interestsVersion } = key;
      const row = connection.get(SELECT_VERDICT, question, textHash, model, promptVersion, interestsVersion);
      return row ? verdictOfRow(row) : null;
    },
    async latest(key) {
      const row = connection.get(SELECT_LATEST, key.question, key.textHash, key.model, key.promptVersion);
      return row ? { ...verdictOfRow(row), interestsVersion: String(row.interests_version) } : null;
    },
    async put(key, { value, by, madeAt }) {
      const { question, textHash, model, promptVersion, interestsVersion } = key;
      const json = JSON.stringify(value);
      const provenance = JSON.stringify(by);
      await connection.write(() =>
        connection.run(
          UPSERT_VERDICT,
          question,
          textHash,
          model,
          promptVersion,
          interestsVersion,
          json,
          provenance,
          madeAt,
        ),
      );
    },
    sweep: (before) =>
      connection.write(() => connection.run('DELETE FROM judge_verdicts WHERE made_at < ?', before)),
    async save(interests, now) {
      const topics = JSON.stringify(interests.topics);
      await connection.write(() =>
        connection.run(
          'INSERT INTO judge_interests VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
          interests.version,
          topics,
          now,
        ),
      );
    },
    async at(version) {
      const row = connection.get('SELECT topics FROM judge_interests WHERE version = ?', version);
      return row ? { version, topics: JSON.parse(String(row.topics)) as Interest[] } : null;
    },
    async [Symbol.asyncDispose]() {},
  };
}

function verdictOfRow(row: Row): CachedVerdict {
  return {
    value: JSON.parse(String(row.value)) as unknown,
    by: JSON.parse(String(row.provenance)) as Provenance,
    madeAt: Number(row.made_at),
  };
}

/** Opens the judge stores in a file. Several processes may share it. */
export function openSqliteJudgeStores(path: string): JudgeStores {
  const database = openDatabase(path, { name: 'the judge stores', migrations: JUDGE_MIGRATIONS });
  const connection = new Connection(database, path);
  return {
    budgets: createSqliteBudgetStore(connection),
    verdicts: createSqliteVerdictCache(connection),
    failures: createSqliteJudgeFailureStore(connection),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
