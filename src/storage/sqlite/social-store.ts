import { createDropIds, type DropIds } from '../../social/drop-id.ts';
import { checkDrop, checkEdit, checkUserName, UserError } from '../../social/rules.ts';
import type {
  BlockOutcome,
  Drop,
  DropRef,
  NewDrop,
  SocialStore,
  User,
  Visibility,
} from '../../social/social-store.ts';
import type { Clock } from '../../time/clock.ts';
import { type Change, dropCreated } from '../../timelines/change-feed.ts';
import { SqliteChangeFeed } from './change-feed.ts';
import { Connection, type Row } from './connection.ts';
import { openDatabase } from './database.ts';
import { SOCIAL_MIGRATIONS } from './social-migrations.ts';

export interface SqliteSocialOptions {
  /** Usually `social.db` in the data folder; `:memory:` for tests. */
  readonly path: string;
  readonly clock: Clock;
  readonly random?: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array;
}

const REF_COLUMNS = 'id, user_id, visibility, created_at';
const POSTED_COLUMNS = `${REF_COLUMNS}, text, title, url, item_key, pipeline`;
const DROP_COLUMNS = `${POSTED_COLUMNS}, edited_at`;
/** Above every position, for the first page. */
const TOP_POSITION = { createdAt: Number.MAX_SAFE_INTEGER, id: '' };

/** The embedded user and post services, in a file of their own. */
export class SqliteSocialStore implements SocialStore {
  readonly changes: SqliteChangeFeed;
  readonly #db: Connection;
  readonly #clock: Clock;
  readonly #dropIds: DropIds;
  readonly #userIds: DropIds;

  private constructor(db: Connection, options: SqliteSocialOptions) {
    this.#db = db;
    this.changes = new SqliteChangeFeed(db, options.clock);
    this.#clock = options.clock;
    const random = options.random === undefined ? {} : { random: options.random };
    const now = (): number => options.clock.now();
    const newest = db.get('SELECT max(id) AS id FROM drops')?.id;
    this.#dropIds = createDropIds({
      now,
      ...random,
      ...(typeof newest === 'string' ? { after: newest } : {}),
    });
    this.#userIds = createDropIds({ now, ...random });
  }

  /** Opens or creates the file, and migrates its schema. */
  static open(options: SqliteSocialOptions): SqliteSocialStore {
    const { path } = options;
    const db = openDatabase(path, { name: 'the social store', migrations: SOCIAL_MIGRATIONS });
    return new SqliteSocialStore(new Connection(db, path), options);
  }

  async addUser(user: Pick<User, 'name' | 'displayName' | 'kind'>): Promise<User> {
    checkUserName(user.name);
    const row = await this.#db.write(() =>
      this.#db.get(
        `INSERT INTO users (id, name, display_name, kind, created_at) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (name) DO NOTHING RETURNING *`,
        this.#userIds.next().id,
        user.name,
        user.displayName,
        user.kind,
        this.#clock.now(),
      ),
    );
    if (row === undefined) throw new UserError('taken', user.name);
    return toUser(row);
  }

  async renameUser(userId: string, displayName: string): Promise<boolean> {
    const sql = 'UPDATE users SET display_name = ? WHERE id = ? RETURNING id';
    return (await this.#db.write(() => this.#db.get(sql, displayName, userId))) !== undefined;
  }

  async findUser(idOrName: string): Promise<User | null> {
    const [row] = await this.#read('SELECT * FROM users WHERE id = ?1 OR name = ?1', idOrName);
    return row === undefined ? null : toUser(row);
  }

  async listUsers(page?: { readonly limit: number; readonly after?: string }): Promise<readonly User[]> {
    // Names are never empty, and a negative limit is none.
    const { limit = -1, after = '' } = page ?? {};
    const sql = 'SELECT * FROM users WHERE name > ? ORDER BY name LIMIT ?';
    return (await this.#read(sql, after, limit)).map(toUser);
  }

  async follow(followerId: string, followedId: string): Promise<boolean> {
    const sql =
      'INSERT INTO follows (follower_id, followed_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
    const recordChange = this.changes.writer();
    return this.#db.write(() => {
      this.#mustExist(followerId);
      this.#mustExist(followedId);
      if (this.#haveBlocked(followerId, followedId)) throw new UserError('blocked', followedId);
      const changed =
        followerId !== followedId && this.#db.run(sql, followerId, followedId, this.#clock.now()) === 1;
      if (changed) recordChange({ type: 'followed', user_id: followerId, author_id: followedId });
      return changed;
    });
  }

  async unfollow(followerId: string, followedId: string): Promise<boolean> {
    const recordChange = this.changes.writer();
    return this.#db.write(() => this.#endFollowing(followerId, followedId, recordChange));
  }

  async block(blockerId: string, blockedId: string): Promise<BlockOutcome> {
    const sql =
      'INSERT INTO blocks (blocker_id, blocked_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
    const recordChange = this.changes.writer();
    return this.#db.write(() => {
      this.#mustExist(blockerId);
      this.#mustExist(blockedId);
      const isOther = blockerId !== blockedId;
      return {
        changed: isOther && this.#db.run(sql, blockerId, blockedId, this.#clock.now()) === 1,
        endedFollowing: isOther && this.#endFollowing(blockerId, blockedId, recordChange),
        endedBeingFollowed: isOther && this.#endFollowing(blockedId, blockerId, recordChange),
      };
    });
  }

  async unblock(blockerId: string, blockedId: string): Promise<boolean> {
    const sql = 'DELETE FROM blocks WHERE blocker_id = ? AND blocked_id = ?';
    return this.#db.write(() => this.#db.run(sql, blockerId, blockedId) === 1);
  }

  async getBlockedList(userId: string): Promise<readonly string[]> {
    const sql = 'SELECT blocked_id AS id FROM blocks WHERE blocker_id = ? ORDER BY blocked_id';
    return (await this.#read(sql, userId)).map((row) => String(row.id));
  }

  async getFollowingList(userId: string): Promise<readonly string[]> {
    const rows = await this.#read('SELECT followed_id AS id FROM follows WHERE follower_id = ?', userId);
    return rows.map((row) => String(row.id));
  }

  async getFollowersPage(
    userId: string,
    { limit, after = '' }: { readonly limit: number; readonly after?: string },
  ): Promise<readonly string[]> {
    const rows = await this.#read(
      'SELECT follower_id AS id FROM follows WHERE followed_id = ? AND follower_id > ? ORDER BY follower_id LIMIT ?',
      userId,
      after,
      limit,
    );
    return rows.map((row) => String(row.id));
  }

  async post(drop: NewDrop): Promise<{ readonly drop: Drop; readonly created: boolean }> {
    checkDrop(drop);
    const recordChange = this.changes.writer();
    // Synced before it is reported: the caller records next that it was posted.
    return this.#db.writeDurably(() => {
      this.#mustExist(drop.userId);
      const { id, time } = this.#dropIds.next();
      const made = this.#db.get(
        `INSERT INTO drops (${POSTED_COLUMNS}, dedupe_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (dedupe_key) DO NOTHING RETURNING ${DROP_COLUMNS}`,
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
      if (made !== undefined) {
        const posted = toDrop(made);
        recordChange(dropCreated(posted));
        return { drop: posted, created: true };
      }
      const existing = this.#db.get(
        `SELECT ${DROP_COLUMNS} FROM drops WHERE dedupe_key = ?`,
        drop.dedupeKey ?? null,
      );
      if (existing === undefined) throw new Error('No drop has the dedupe key that is in use.');
      return { drop: toDrop(existing), created: false };
    });
  }

  async editDrop(dropId: string, text: string): Promise<Drop | null> {
    return this.#db.writeDurably(() => {
      const select = `SELECT ${DROP_COLUMNS} FROM drops WHERE id = ? AND deleted_at IS NULL`;
      const row = this.#db.get(select, dropId);
      if (row === undefined) return null;
      checkEdit(toDrop(row), text);
      const edited = this.#db.get(
        `UPDATE drops SET text = ?, edited_at = ? WHERE id = ? RETURNING ${DROP_COLUMNS}`,
        text,
        this.#clock.now(),
        dropId,
      );
      return edited === undefined ? null : toDrop(edited);
    });
  }

  async deleteDrop(dropId: string): Promise<Drop | null> {
    const recordChange = this.changes.writer();
    return this.#db.writeDurably(() => {
      const row = this.#db.get(
        `SELECT ${DROP_COLUMNS} FROM drops WHERE id = ? AND deleted_at IS NULL`,
        dropId,
      );
      if (row === undefined) return null;
      this.#db.run(
        "UPDATE drops SET deleted_at = ?, text = '', title = NULL, url = NULL WHERE id = ?",
        this.#clock.now(),
        dropId,
      );
      recordChange({ type: 'drop_deleted', drop_id: dropId, user_id: String(row.user_id) });
      return toDrop(row);
    });
  }

  /** In the requested order, without deleted and unknown drops. */
  async getDrops(ids: readonly string[]): Promise<readonly Drop[]> {
    const rows = await this.#read(
      `SELECT ${DROP_COLUMNS} FROM drops WHERE deleted_at IS NULL AND id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
    const found = new Map(rows.map((row) => [String(row.id), toDrop(row)]));
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  async getDropsByUserId(
    userId: string,
    page: { readonly limit: number; readonly before?: { readonly createdAt: number; readonly id: string } },
  ): Promise<readonly DropRef[]> {
    const { createdAt, id } = page.before ?? TOP_POSITION;
    const rows = await this.#read(
      `SELECT ${REF_COLUMNS} FROM drops WHERE user_id = ? AND deleted_at IS NULL AND (created_at, id) < (?, ?)
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      userId,
      createdAt,
      id,
      page.limit,
    );
    return rows.map(toDropRef);
  }

  async recentPublic(
    limit: number,
    before?: { readonly createdAt: number; readonly id: string },
  ): Promise<readonly DropRef[]> {
    const { createdAt, id } = before ?? TOP_POSITION;
    const rows = await this.#read(
      `SELECT ${REF_COLUMNS} FROM drops WHERE visibility = 'public' AND deleted_at IS NULL AND (created_at, id) < (?, ?)
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      createdAt,
      id,
      limit,
    );
    return rows.map(toDropRef);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#db[Symbol.asyncDispose]();
  }

  /** For the timelines a block is an unfollow, in each direction that existed. */
  #endFollowing(followerId: string, followedId: string, recordChange: (change: Change) => void): boolean {
    const sql = 'DELETE FROM follows WHERE follower_id = ? AND followed_id = ?';
    const changed = this.#db.run(sql, followerId, followedId) === 1;
    if (changed) recordChange({ type: 'unfollowed', user_id: followerId, author_id: followedId });
    return changed;
  }

  #haveBlocked(one: string, other: string): boolean {
    const sql =
      'SELECT 1 FROM blocks WHERE (blocker_id, blocked_id) = (?1, ?2) OR (blocker_id, blocked_id) = (?2, ?1)';
    return this.#db.get(sql, one, other) !== undefined;
  }

  #mustExist(userId: string): void {
    if (this.#db.get('SELECT 1 FROM users WHERE id = ?', userId) === undefined)
      throw new UserError('unknown', userId);
  }

  #read(sql: string, ...values: (string | number)[]): Promise<Row[]> {
    return this.#db.retryWhileBusy(() => this.#db.all(sql, ...values));
  }
}

export function toUser(row: Row): User {
  return {
    id: String(row.id),
    name: String(row.name),
    displayName: String(row.display_name),
    kind: toKind(row.kind),
    createdAt: Number(row.created_at),
  };
}

export function toDropRef(row: Row): DropRef {
  return {
    id: String(row.id),
    userId: String(row.user_id),
    visibility: toVisibility(row.visibility),
    createdAt: Number(row.created_at),
  };
}

export function toDrop(row: Row): Drop {
  return {
    ...toDropRef(row),
    text: String(row.text),
    title: textOrNull(row.title),
    url: textOrNull(row.url),
    itemKey: textOrNull(row.item_key),
    pipeline: textOrNull(row.pipeline),
    editedAt: typeof row.edited_at === 'number' ? row.edited_at : null,
  };
}

function toKind(value: unknown): User['kind'] {
  return value === 'pipeline' || value === 'source' ? value : 'person';
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function toVisibility(value: unknown): Visibility {
  return value === 'public' || value === 'followers' ? value : 'private';
}
