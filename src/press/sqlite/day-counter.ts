import type { Connection } from '../../sqlite/connection.ts';
import { DAY } from '../../time/duration.ts';
import type { DayCounter } from '../day-counter.ts';

export function createSqliteDayCounter(db: Connection): DayCounter {
  return {
    take: (destination, day, most) =>
      db.write(() => {
        const row = db.get('SELECT n FROM day_counts WHERE destination = ? AND day = ?', destination, day);
        if (Number(row?.n ?? 0) >= most) return false;
        db.run('DELETE FROM day_counts WHERE destination = ? AND day < ?', destination, day - 7 * DAY);
        db.run(
          `INSERT INTO day_counts (destination, day, n) VALUES (?, ?, 1)
           ON CONFLICT (destination, day) DO UPDATE SET n = n + 1`,
          destination,
          day,
        );
        return true;
      }),
    giveBack: (destination, day) =>
      db.write(() => {
        db.run(
          'UPDATE day_counts SET n = n - 1 WHERE destination = ? AND day = ? AND n > 0',
          destination,
          day,
        );
      }),
  };
}
