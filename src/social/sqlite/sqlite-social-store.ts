import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Clock } from '../../time/clock.ts';
import { type DropIds, makeDropIds } from '../drop-id.ts';
import { checkDrop, checkUserName, UserError } from '../refusals.ts';
import type { Drop, DropRef, NewDrop, SocialStore, User } from '../services.ts';
import { toDrop, toDropRef, toUser } from './rows.ts';
import { migrate } from './schema.ts';

export interface SqliteSocialOptions {
  /** Usually `social.db` in the data folder; `:memory:` for tests. */
  readonly path: string;
  readonly clock: Clock;
  readonly random?: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array;
}

const REF = 'id, user_id, visibility, created_at';
const DROP = `${REF}, text, title, url, item_key, pipeline`;
/** Above every position, for a page that starts at the top. */
const TOP = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

/** The embedded user and post services, in a file of their own. */
export class SqliteSocialStore implements SocialStore {
  readonly #db: DatabaseSync;
  readonly #clock: Clock;
  readonly #dropIds: DropIds;
  readonly #userIds: DropIds;
  readonly #prepared = new Map<string, StatementSync>();

  private constructor(db: DatabaseSync, options: SqliteSocialOptions) {
    this.#db = db;
    this.#clock = options.clock;
    const random = options.random === undefined ? {} : { random: options.random };
    const now = (): number => options.clock.now();
    const newest = db.prepare('SELECT max(id) AS id FROM drops').get()?.id;
    this.#dropIds = makeDropIds({ now, ...random, ...(typeof newest === 'string' ? { after: newest } : {}) });
    this.#userIds = makeDropIds({ now, ...random });
  }

  /** Opens or makes the file, and brings its schema up to date. */
  static open(options: SqliteSocialOptions): SqliteSocialStore {
    const db = new DatabaseSync(options.path);
    try {
      db.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
      db.exec('PRAGMA foreign_keys = ON');
      migrate(db, options.path);
      return new SqliteSocialStore(db, options);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  async addUser(user: Pick<User, 'name' | 'displayName' | 'kind'>): Promise<User> {
    checkUserName(user.name);
    const row = this.#sql(
      `INSERT INTO users (id, name, display_name, kind, created_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (name) DO NOTHING RETURNING *`,
    ).get(this.#userIds.next().id, user.name, user.displayName, user.kind, this.#clock.now());
    if (row === undefined) throw new UserError('taken', user.name);
    return toUser(row);
  }

  async findUser(idOrName: string): Promise<User | null> {
    const row = this.#sql('SELECT * FROM users WHERE id = ?1 OR name = ?1').get(idOrName);
    return row === undefined ? null : toUser(row);
  }

  async listUsers(): Promise<readonly User[]> {
    return this.#sql('SELECT * FROM users ORDER BY name').all().map(toUser);
  }

  async follow(followerId: string, followedId: string): Promise<boolean> {
    this.#mustExist(followerId);
    this.#mustExist(followedId);
    if (followerId === followedId) return false;
    const done = this.#sql(
      'INSERT INTO follows (follower_id, followed_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ).run(followerId, followedId, this.#clock.now());
    return done.changes === 1;
  }

  async unfollow(followerId: string, followedId: string): Promise<boolean> {
    const done = this.#sql('DELETE FROM follows WHERE follower_id = ? AND followed_id = ?').run(
      followerId,
      followedId,
    );
    return done.changes === 1;
  }

  async getFollowingList(userId: string): Promise<readonly string[]> {
    const rows = this.#sql('SELECT followed_id AS id FROM follows WHERE follower_id = ?').all(userId);
    return rows.map((row) => String(row.id));
  }

  async getFollowersList(userId: string): Promise<readonly string[]> {
    const rows = this.#sql('SELECT follower_id AS id FROM follows WHERE followed_id = ?').all(userId);
    return rows.map((row) => String(row.id));
  }

  async post(drop: NewDrop): Promise<{ readonly drop: Drop; readonly created: boolean }> {
    checkDrop(drop);
    this.#mustExist(drop.userId);
    const { id, time } = this.#dropIds.next();
    const made = this.#sql(
      `INSERT INTO drops (${DROP}, dedupe_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (dedupe_key) DO NOTHING RETURNING ${DROP}`,
    ).get(
      id,
      drop.userId,
      drop.visibility,
      time,
      drop.text,
      drop.title ?? null,
      drop.url ?? null,
      drop.itemKey ?? null,
      drop.pipeline ?? null,
      drop.dedupeKey ?? null,
    );
    if (made !== undefined) return { drop: toDrop(made), created: true };
    const there = this.#sql(`SELECT ${DROP} FROM drops WHERE dedupe_key = ?`).get(drop.dedupeKey ?? null);
    if (there === undefined) throw new Error('A drop with the same key was there and is gone.');
    return { drop: toDrop(there), created: false };
  }

  async deleteDrop(dropId: string): Promise<Drop | null> {
    const row = this.#sql(`SELECT ${DROP} FROM drops WHERE id = ? AND deleted_at IS NULL`).get(dropId);
    if (row === undefined) return null;
    const done = this.#sql(
      "UPDATE drops SET deleted_at = ?, text = '', title = NULL, url = NULL WHERE id = ? AND deleted_at IS NULL",
    ).run(this.#clock.now(), dropId);
    return done.changes === 1 ? toDrop(row) : null;
  }

  /** In the order asked for; what is deleted or unknown is left out. */
  async getDrops(ids: readonly string[]): Promise<readonly Drop[]> {
    const rows = this.#sql(
      `SELECT ${DROP} FROM drops WHERE deleted_at IS NULL AND id IN (SELECT value FROM json_each(?))`,
    ).all(JSON.stringify(ids));
    const found = new Map(rows.map((row) => [String(row.id), toDrop(row)]));
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async getDropsByUserId(
    userId: string,
    page: { readonly limit: number; readonly before?: { readonly createdAt: number; readonly id: string } },
  ): Promise<readonly DropRef[]> {
    const { createdAt, id } = page.before ?? TOP;
    return this.#sql(
      `SELECT ${REF} FROM drops WHERE user_id = ? AND deleted_at IS NULL AND (created_at, id) < (?, ?)
       ORDER BY created_at DESC, id DESC LIMIT ?`,
    )
      .all(userId, createdAt, id, page.limit)
      .map(toDropRef);
  }

  async recentPublic(
    limit: number,
    before?: { readonly createdAt: number; readonly id: string },
  ): Promise<readonly DropRef[]> {
    const { createdAt, id } = before ?? TOP;
    return this.#sql(
      `SELECT ${REF} FROM drops WHERE visibility = 'public' AND deleted_at IS NULL AND (created_at, id) < (?, ?)
       ORDER BY created_at DESC, id DESC LIMIT ?`,
    )
      .all(createdAt, id, limit)
      .map(toDropRef);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#db.isOpen) this.#db.close();
  }

  #mustExist(userId: string): void {
    if (this.#sql('SELECT 1 FROM users WHERE id = ?').get(userId) === undefined)
      throw new UserError('unknown', userId);
  }

  #sql(text: string): StatementSync {
    const known = this.#prepared.get(text);
    if (known) return known;
    const statement = this.#db.prepare(text);
    this.#prepared.set(text, statement);
    return statement;
  }
}
