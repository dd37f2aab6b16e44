import {
  type AccessToken,
  type Account,
  type AccountRemoval,
  type AccountStore,
  foldedName,
  type Link,
  type ReadMark,
  type Session,
} from '../../auth/account-store.ts';
import type { Role, Scope } from '../../auth/identity.ts';
import { Connection, type Row } from './connection.ts';
import { type Migration, openDatabase } from './database.ts';

/** Accounts in a file of their own, `accounts.db` in the data folder; `:memory:` for tests. */
export class SqliteAccountStore implements AccountStore {
  readonly #db: Connection;

  constructor(path: string) {
    const db = openDatabase(path, { name: 'the accounts', migrations: ACCOUNT_MIGRATIONS });
    this.#db = new Connection(db, path);
  }

  async addAccount(account: Account): Promise<'added' | 'taken'> {
    const { userId, name, role, passwordHash, createdAt, passwordChangedAt } = account;
    const sql = 'INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
    const values = [userId, name, foldedName(name), role, passwordHash, createdAt, passwordChangedAt];
    return this.#db.writeDurably(() => (this.#db.run(sql, ...values) === 1 ? 'added' : 'taken'));
  }

  async findAccount(by: { readonly userId: string } | { readonly name: string }): Promise<Account | null> {
    return 'userId' in by
      ? this.#one(toAccount, 'SELECT * FROM accounts WHERE user_id = ?', by.userId)
      : this.#one(toAccount, 'SELECT * FROM accounts WHERE folded_name = ?', foldedName(by.name));
  }

  async listAccounts(): Promise<readonly Account[]> {
    return this.#all(toAccount, 'SELECT * FROM accounts ORDER BY folded_name');
  }

  async setPassword(userId: string, passwordHash: string, at: number): Promise<boolean> {
    const sql = 'UPDATE accounts SET password_hash = ?, password_changed_at = ? WHERE user_id = ?';
    return this.#db.writeDurably(() => this.#db.run(sql, passwordHash, at, userId) === 1);
  }

  async removeAccount(userId: string): Promise<AccountRemoval> {
    return this.#db.writeDurably(() => {
      const account = this.#db.get('SELECT role FROM accounts WHERE user_id = ?', userId);
      if (account === undefined) return { removed: false, why: 'unknown' };
      const others = "SELECT 1 FROM accounts WHERE role = 'owner' AND user_id <> ? LIMIT 1";
      if (account.role === 'owner' && this.#db.get(others, userId) === undefined)
        return { removed: false, why: 'last_owner' };
      const ended = this.#db.all(
        'SELECT id FROM sessions WHERE user_id = ?1 UNION ALL SELECT id FROM tokens WHERE user_id = ?1',
        userId,
      );
      this.#db.run('DELETE FROM links WHERE user_id = ?', userId);
      this.#db.run('DELETE FROM accounts WHERE user_id = ?', userId);
      return { removed: true, ended: ended.map((row) => String(row.id)) };
    });
  }

  async addSession({ id, userId, createdAt, seenAt, expiresAt, device }: Session): Promise<void> {
    const sql = 'INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)';
    await this.#db.writeDurably(() => this.#db.run(sql, id, userId, createdAt, seenAt, expiresAt, device));
  }

  async findSession(id: string): Promise<Session | null> {
    return this.#one(toSession, 'SELECT * FROM sessions WHERE id = ?', id);
  }

  async sessionsOf(userId: string, now: number): Promise<readonly Session[]> {
    const sql = 'SELECT * FROM sessions WHERE user_id = ? AND expires_at > ? ORDER BY seen_at DESC, id';
    return this.#all(toSession, sql, userId, now);
  }

  async touchSession(id: string, seenAt: number, expiresAt: number): Promise<boolean> {
    const sql = 'UPDATE sessions SET seen_at = ?, expires_at = ? WHERE id = ?';
    return this.#db.write(() => this.#db.run(sql, seenAt, expiresAt, id) === 1);
  }

  async endSession(id: string): Promise<boolean> {
    return this.#db.writeDurably(() => this.#db.run('DELETE FROM sessions WHERE id = ?', id) === 1);
  }

  async endSessions(userId: string, except = ''): Promise<readonly string[]> {
    const sql = 'DELETE FROM sessions WHERE user_id = ? AND id <> ? RETURNING id';
    const rows = await this.#db.writeDurably(() => this.#db.all(sql, userId, except));
    return rows.map((row) => String(row.id));
  }

  async addLink({ id, purpose, role, userId, createdAt, expiresAt }: Link): Promise<void> {
    const sql = 'INSERT INTO links VALUES (?, ?, ?, ?, ?, ?)';
    await this.#db.writeDurably(() => this.#db.run(sql, id, purpose, role, userId, createdAt, expiresAt));
  }

  async findLink(id: string): Promise<Link | null> {
    return this.#one(toLink, 'SELECT * FROM links WHERE id = ?', id);
  }

  async consumeLink(id: string, now: number): Promise<Link | null> {
    const sql = 'DELETE FROM links WHERE id = ? AND expires_at > ? RETURNING *';
    const row = await this.#db.writeDurably(() => this.#db.get(sql, id, now));
    return row === undefined ? null : toLink(row);
  }

  async revokeLinks(purpose: Link['purpose']): Promise<void> {
    await this.#db.writeDurably(() => this.#db.run('DELETE FROM links WHERE purpose = ?', purpose));
  }

  async addToken(token: AccessToken): Promise<void> {
    const { id, userId, label, scopes, createdAt, expiresAt, revokedAt } = token;
    const values = [id, userId, label, scopes.join(' '), createdAt, expiresAt, revokedAt];
    await this.#db.writeDurably(() =>
      this.#db.run('INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?)', ...values),
    );
  }

  async findToken(id: string): Promise<AccessToken | null> {
    return this.#one(toToken, 'SELECT * FROM tokens WHERE id = ?', id);
  }

  async tokensOf(userId: string): Promise<readonly AccessToken[]> {
    return this.#all(
      toToken,
      'SELECT * FROM tokens WHERE user_id = ? ORDER BY created_at DESC, id DESC',
      userId,
    );
  }

  async revokeToken(userId: string, id: string, at: number): Promise<boolean> {
    const sql = 'UPDATE tokens SET revoked_at = ? WHERE user_id = ? AND id = ? AND revoked_at IS NULL';
    return this.#db.writeDurably(() => this.#db.run(sql, at, userId, id) === 1);
  }

  async revokeTokens(userId: string, at: number): Promise<readonly string[]> {
    const sql = 'UPDATE tokens SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL RETURNING id';
    const rows = await this.#db.writeDurably(() => this.#db.all(sql, at, userId));
    return rows.map((row) => String(row.id));
  }

  async marksOf(userId: string): Promise<readonly ReadMark[]> {
    return this.#all(toMark, 'SELECT * FROM read_marks WHERE user_id = ? ORDER BY timeline', userId);
  }

  async setMark(userId: string, mark: ReadMark): Promise<ReadMark> {
    const { timeline, position, markedAt } = mark;
    return this.#db.write(() => {
      const sql = 'SELECT * FROM read_marks WHERE user_id = ? AND timeline = ?';
      const row = this.#db.get(sql, userId, timeline);
      const current = row === undefined ? null : toMark(row);
      if (current !== null && current.markedAt > markedAt) return current;
      this.#db.run(
        'INSERT OR REPLACE INTO read_marks VALUES (?, ?, ?, ?)',
        userId,
        timeline,
        position,
        markedAt,
      );
      return mark;
    });
  }

  async sweep(before: number): Promise<number> {
    return this.#db.write(() =>
      ['sessions', 'links', 'tokens']
        .map((table) => this.#db.run(`DELETE FROM ${table} WHERE expires_at < ?`, before))
        .reduce((sum, n) => sum + n, 0),
    );
  }

  async signingKey(make: () => Uint8Array): Promise<Uint8Array> {
    return this.#db.writeDurably(() => {
      this.#db.run("INSERT INTO keys VALUES ('own', ?) ON CONFLICT DO NOTHING", make());
      const key = this.#db.get("SELECT key FROM keys WHERE name = 'own'")?.key;
      if (!(key instanceof Uint8Array)) throw new Error('The key of the newsroom cannot be read.');
      return new Uint8Array(key);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#db[Symbol.asyncDispose]();
  }

  async #one<T>(to: (row: Row) => T, sql: string, ...values: (string | number)[]): Promise<T | null> {
    const row = await this.#db.retryWhileBusy(() => this.#db.get(sql, ...values));
    return row === undefined ? null : to(row);
  }

  async #all<T>(to: (row: Row) => T, sql: string, ...values: (string | number)[]): Promise<readonly T[]> {
    return (await this.#db.retryWhileBusy(() => this.#db.all(sql, ...values))).map(to);
  }
}

export function toAccount(row: Row): Account {
  return {
    userId: String(row.user_id),
    name: String(row.name),
    role: row.role as Role,
    passwordHash: String(row.password_hash),
    createdAt: Number(row.created_at),
    passwordChangedAt: Number(row.password_changed_at),
  };
}

export function toSession(row: Row): Session {
  return {
    id: String(row.id),
    userId: String(row.user_id),
    createdAt: Number(row.created_at),
    seenAt: Number(row.seen_at),
    expiresAt: Number(row.expires_at),
    device: String(row.device),
  };
}

export function toLink(row: Row): Link {
  return {
    id: String(row.id),
    purpose: row.purpose as Link['purpose'],
    role: row.role as Role,
    userId: typeof row.user_id === 'string' ? row.user_id : null,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}

export function toToken(row: Row): AccessToken {
  return {
    id: String(row.id),
    userId: String(row.user_id),
    label: String(row.label),
    scopes: String(row.scopes).split(' ').filter(Boolean) as Scope[],
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    revokedAt: typeof row.revoked_at === 'number' ? row.revoked_at : null,
  };
}

export function toMark(row: Row): ReadMark {
  return {
    timeline: String(row.timeline),
    position: String(row.position),
    markedAt: Number(row.marked_at),
  };
}

/** Schema of accounts and sign-in sessions. Append-only. */
export const ACCOUNT_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    about: 'Creates accounts, sessions, links and tokens',
    sql: `
  CREATE TABLE accounts (
    user_id             TEXT PRIMARY KEY,
    name                TEXT NOT NULL,
    folded_name         TEXT NOT NULL UNIQUE,
    role                TEXT NOT NULL CHECK (role IN ('owner', 'reader')),
    password_hash       TEXT NOT NULL,
    created_at          INTEGER NOT NULL,
    password_changed_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES accounts (user_id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    device     TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_by_user ON sessions (user_id, seen_at DESC);
  CREATE INDEX sessions_by_end ON sessions (expires_at);

  CREATE TABLE links (
    id         TEXT PRIMARY KEY,
    purpose    TEXT NOT NULL CHECK (purpose IN ('owner', 'invite', 'reset')),
    role       TEXT NOT NULL,
    user_id    TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE tokens (
    id         TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL REFERENCES accounts (user_id) ON DELETE CASCADE,
    label      TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tokens_by_user ON tokens (user_id, created_at DESC, id DESC);

  CREATE TABLE read_marks (
    user_id    TEXT NOT NULL REFERENCES accounts (user_id) ON DELETE CASCADE,
    timeline   TEXT NOT NULL,
    position   TEXT NOT NULL,
    marked_at  INTEGER NOT NULL,
    PRIMARY KEY (user_id, timeline)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE keys (name TEXT PRIMARY KEY, key BLOB NOT NULL) STRICT, WITHOUT ROWID;
    `,
  },
];
