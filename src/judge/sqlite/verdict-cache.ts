import type { Connection, Row } from '../../sqlite/connection.ts';
import type { InterestsHistory } from '../interests-history.ts';
import type { Interest, Provenance } from '../judge.ts';
import type { CachedVerdict, VerdictCache } from '../verdict-cache.ts';

const SAME = 'question = ? AND text_hash = ? AND model = ? AND prompt_version = ?';
const GET = `SELECT * FROM judge_verdicts WHERE ${SAME} AND interests_version = ?`;
const LATEST = `SELECT * FROM judge_verdicts WHERE ${SAME} ORDER BY made_at DESC LIMIT 1`;
const PUT = `INSERT INTO judge_verdicts
  (question, text_hash, model, prompt_version, interests_version, value, provenance, made_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET value = excluded.value, provenance = excluded.provenance, made_at = excluded.made_at`;

/** Verdicts and past interests in SQLite. The connection belongs to the caller. */
export function createSqliteVerdictCache(connection: Connection): VerdictCache & InterestsHistory {
  return {
    async get(key) {
      const { question, textHash, model, promptVersion, interestsVersion } = key;
      const row = connection.get(GET, question, textHash, model, promptVersion, interestsVersion);
      return row ? verdictIn(row) : null;
    },
    async latest(key) {
      const row = connection.get(LATEST, key.question, key.textHash, key.model, key.promptVersion);
      return row ? { ...verdictIn(row), interestsVersion: String(row.interests_version) } : null;
    },
    async put(key, { value, by, madeAt }) {
      const { question, textHash, model, promptVersion, interestsVersion } = key;
      const said = JSON.stringify(value);
      const maker = JSON.stringify(by);
      await connection.write(() =>
        connection.run(PUT, question, textHash, model, promptVersion, interestsVersion, said, maker, madeAt),
      );
    },
    sweep: (before) =>
      connection.write(() => connection.run('DELETE FROM judge_verdicts WHERE made_at < ?', before)),
    async remember(interests, now) {
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

function verdictIn(row: Row): CachedVerdict {
  return {
    value: JSON.parse(String(row.value)) as unknown,
    by: JSON.parse(String(row.provenance)) as Provenance,
    madeAt: Number(row.made_at),
  };
}
