import { randomUUID } from 'node:crypto';
import type { Connection } from '../../sqlite/connection.ts';
import { MINUTE } from '../../time/duration.ts';
import { type Change, changeKey, type Notice, type Noticeboard, type Unannounced } from '../noticeboard.ts';

/** Readers look every moment: what is further behind than this is of nobody's interest. */
const KEPT = 10_000;
const AT_ONCE = 1000;

/** The noticeboard, and what is not announced yet, as tables of the social store's file. */
export class SqliteNoticeboard implements Noticeboard, Unannounced {
  readonly looksEveryMs = MINUTE;
  readonly #db: Connection;
  readonly #writer = randomUUID();
  #version = -1;
  #seen: number;

  constructor(db: Connection) {
    this.#db = db;
    this.#seen = Number(db.get('SELECT max(seq) AS seq FROM notices')?.seq ?? 0);
  }

  /** Inside the transaction of the change itself: both are there, or neither. */
  pin(notice: Notice): void {
    const text = JSON.stringify(notice);
    this.#db.run('INSERT INTO notices (writer, notice) VALUES (?, ?)', this.#writer, text);
    if (notice.kind !== 'clear')
      this.#db.run('REPLACE INTO unannounced (change, notice) VALUES (?, ?)', changeKey(notice), text);
    this.#db.run('DELETE FROM notices WHERE seq <= (SELECT max(seq) FROM notices) - ?', KEPT);
  }

  async askToClear(timelines: readonly string[], rebuild: boolean): Promise<void> {
    for (let at = 0; at < timelines.length; at += AT_ONCE) {
      const some = timelines.slice(at, at + AT_ONCE);
      await this.#db.write(() => this.pin({ kind: 'clear', timelines: some, rebuild }));
    }
  }

  async waiting(): Promise<readonly Change[]> {
    const rows = await this.#db.patiently(() => this.#db.all('SELECT notice FROM unannounced ORDER BY seq'));
    return rows.map((row) => JSON.parse(String(row.notice)) as Change);
  }

  async announced(change: Change): Promise<void> {
    await this.#db.write(() => this.#db.run('DELETE FROM unannounced WHERE change = ?', changeKey(change)));
  }

  async read(): Promise<readonly Notice[]> {
    // Changes only when another connection has written: nothing is read as long as nobody else did.
    const version = Number(this.#db.get('PRAGMA data_version')?.data_version);
    if (version === this.#version) return [];
    const seen = this.#seen;
    const rows = await this.#db.patiently(() =>
      this.#db.all(
        'SELECT seq, writer, notice FROM notices WHERE seq > ? ORDER BY seq LIMIT ?',
        seen,
        AT_ONCE,
      ),
    );
    // A full page may have another behind it.
    if (rows.length < AT_ONCE) this.#version = version;
    this.#seen = Number(rows.at(-1)?.seq ?? seen);
    return rows
      .filter((row) => row.writer !== this.#writer)
      .map((row) => JSON.parse(String(row.notice)) as Notice);
  }
}
