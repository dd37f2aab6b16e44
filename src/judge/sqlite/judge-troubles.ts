import type { Connection } from '../../sqlite/connection.ts';
import type { JudgeTrouble } from '../judge.ts';
import type { JudgeTroubles } from '../judge-troubles.ts';

/** The judges' last troubles in SQLite. The connection belongs to the caller. */
export function createSqliteJudgeTroubles(connection: Connection): JudgeTroubles {
  return {
    async report(judge, trouble) {
      await connection.write(() =>
        trouble === null
          ? connection.run('DELETE FROM judge_troubles WHERE judge = ?', judge)
          : connection.run(
              `INSERT INTO judge_troubles VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
               SET why = excluded.why, detail = excluded.detail, at = excluded.at`,
              judge,
              trouble.why,
              trouble.detail,
              trouble.at,
            ),
      );
    },
    async lastTrouble(judge) {
      const row = connection.get('SELECT why, detail, at FROM judge_troubles WHERE judge = ?', judge);
      if (!row) return null;
      return { why: String(row.why) as JudgeTrouble, detail: String(row.detail), at: Number(row.at) };
    },
  };
}
