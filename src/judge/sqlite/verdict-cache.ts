import type { DatabaseSync } from 'node:sqlite';
import type { InterestsHistory } from '../interests-history.ts';
import type { Interest, Provenance } from '../judge.ts';
import type { CachedVerdict, VerdictCache } from '../verdict-cache.ts';

/** Verdicts and past interests in SQLite. The caller closes the database. */
export function createSqliteVerdictCache(database: DatabaseSync): VerdictCache & InterestsHistory {
  const same = 'question = ? AND text_hash = ? AND model = ? AND prompt_version = ?';
  const get = database.prepare(`SELECT * FROM judge_verdicts WHERE ${same} AND interests_version = ?`);
  const latest = database.prepare(`SELECT * FROM judge_verdicts WHERE ${same} ORDER BY made_at DESC LIMIT 1`);
  const put = database.prepare(
    `INSERT INTO judge_verdicts (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET value = excluded.value, provenance = excluded.provenance, made_at = excluded.made_at`,
  );
  const sweep = database.prepare('DELETE FROM judge_verdicts WHERE made_at < ?');
  const remember = database.prepare('INSERT INTO judge_interests VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const at = database.prepare('SELECT topics FROM judge_interests WHERE version = ?');

  return {
    async get(key) {
      const row = get.get(key.question, key.textHash, key.model, key.promptVersion, key.interestsVersion);
      return row ? verdictIn(row) : null;
    },
    async latest(key) {
      const row = latest.get(key.question, key.textHash, key.model, key.promptVersion);
      return row ? { ...verdictIn(row), interestsVersion: String(row.interests_version) } : null;
    },
    async put(key, verdict) {
      put.run(
        key.question,
        key.textHash,
        key.model,
        key.promptVersion,
        key.interestsVersion,
        JSON.stringify(verdict.value),
        JSON.stringify(verdict.by),
        verdict.madeAt,
      );
    },
    async sweep(before) {
      return Number(sweep.run(before).changes);
    },
    async remember(interests, now) {
      remember.run(interests.version, JSON.stringify(interests.topics), now);
    },
    async at(version) {
      const row = at.get(version);
      return row ? { version, topics: JSON.parse(String(row.topics)) as Interest[] } : null;
    },
    async [Symbol.asyncDispose]() {},
  };
}

function verdictIn(row: Record<string, unknown>): CachedVerdict {
  return {
    value: JSON.parse(String(row.value)) as unknown,
    by: JSON.parse(String(row.provenance)) as Provenance,
    madeAt: Number(row.made_at),
  };
}
