import { createHash } from 'node:crypto';
import type { DocumentSnapshot, QueryDocumentSnapshot } from '@google-cloud/firestore';
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
import { chunked } from '../../item/chunked.ts';
import { type DocumentPath, type FirestoreConnection, MAX_PER_CALL, type Write } from './connection.ts';
import type { QueryForm } from './query.ts';

/** Accounts on Firestore, shared by all replicas: one document each, as JSON beside the queried fields. */
export class FirestoreAccountStore implements AccountStore {
  readonly #connection: FirestoreConnection;

  /** The caller owns the connection. */
  constructor(connection: FirestoreConnection) {
    this.#connection = connection;
  }

  async addAccount(account: Account): Promise<'added' | 'taken'> {
    const places = [placeOf(ACCOUNTS, account.userId), nameAt(account.name)] as const;
    return this.#connection.transact(ACCOUNTS, async ({ getAll }) => {
      if ((await getAll(places)).some(({ exists }) => exists)) return { value: 'taken', writes: [] };
      return {
        value: 'added',
        writes: [
          { do: 'create', at: places[0], data: { content: JSON.stringify(account) } },
          { do: 'create', at: places[1], data: { user_id: account.userId } },
        ],
      };
    });
  }

  async findAccount(by: { readonly userId: string } | { readonly name: string }): Promise<Account | null> {
    if ('userId' in by) return parseContent<Account>(await this.#get(ACCOUNTS, by.userId));
    const userId: unknown = (await this.#connection.get(nameAt(by.name))).get('user_id');
    return typeof userId === 'string' ? this.findAccount({ userId }) : null;
  }

  async listAccounts(): Promise<readonly Account[]> {
    const found = await this.#all<Account>(ACCOUNT_QUERIES.accounts, []);
    return found.sort((a, b) => (foldedName(a.name) < foldedName(b.name) ? -1 : 1));
  }

  async setPassword(userId: string, passwordHash: string, at: number): Promise<boolean> {
    return this.#change<Account>(ACCOUNTS, userId, (account) => ({
      ...account,
      passwordHash,
      passwordChangedAt: at,
    }));
  }

  async removeAccount(userId: string): Promise<AccountRemoval> {
    const [sessions, tokens, links, marks] = await Promise.all(
      [
        ACCOUNT_QUERIES.sessionsOf,
        ACCOUNT_QUERIES.tokensOf,
        ACCOUNT_QUERIES.linksOf,
        ACCOUNT_QUERIES.marksOf,
      ].map((form) => this.#connection.query(form, { where: [userId] })),
    );
    // Delete the account first: nothing that is left of it can sign anyone in.
    const refusal = await this.#removeUnlessLastOwner(userId);
    if (refusal !== null) return { removed: false, why: refusal };
    await this.#delete([
      ...(sessions ?? []).map(({ id }): DocumentPath => [SESSIONS, id]),
      ...(tokens ?? []).map(({ id }): DocumentPath => [TOKENS, id]),
      ...(links ?? []).map(({ id }): DocumentPath => [LINKS, id]),
      ...(marks ?? []).map(({ id }): DocumentPath => [MARKS, id]),
    ]);
    const ended = [...(sessions ?? []), ...(tokens ?? [])].flatMap(
      (found) => parseContent<{ readonly id: string }>(found)?.id ?? [],
    );
    return { removed: true, ended };
  }

  /**
   * Reads the other accounts in the same transaction: of two owners who remove each other, the second is refused.
   */
  #removeUnlessLastOwner(userId: string): Promise<'unknown' | 'last_owner' | null> {
    return this.#connection.transact(ACCOUNTS, async ({ query }) => {
      const accounts = (await query(ACCOUNT_QUERIES.accounts, { where: [] })).flatMap(
        (found) => parseContent<Account>(found) ?? [],
      );
      const account = accounts.find((each) => each.userId === userId);
      if (account === undefined) return { value: 'unknown', writes: [] };
      const owners = accounts.filter(({ role }) => role === 'owner');
      if (account.role === 'owner' && owners.length === 1) return { value: 'last_owner', writes: [] };
      const places = [placeOf(ACCOUNTS, userId), nameAt(account.name)];
      return { value: null, writes: places.map((at) => ({ do: 'delete', at })) };
    });
  }

  async addSession(session: Session): Promise<void> {
    const { id, userId, expiresAt } = session;
    await this.#set(SESSIONS, id, { user_id: userId, expires_at: expiresAt }, session);
  }

  async findSession(id: string): Promise<Session | null> {
    return parseContent<Session>(await this.#get(SESSIONS, id));
  }

  async sessionsOf(userId: string, now: number): Promise<readonly Session[]> {
    const found = await this.#all<Session>(ACCOUNT_QUERIES.sessionsOf, [userId]);
    return found.filter(({ expiresAt }) => expiresAt > now).sort((a, b) => b.seenAt - a.seenAt);
  }

  async touchSession(id: string, seenAt: number, expiresAt: number): Promise<boolean> {
    return this.#change<Session>(SESSIONS, id, (session) => ({ ...session, seenAt, expiresAt }), {
      expires_at: expiresAt,
    });
  }

  async endSession(id: string): Promise<boolean> {
    return (await this.#consume(placeOf(SESSIONS, id), () => true)) !== null;
  }

  async endSessions(userId: string, except?: string): Promise<readonly string[]> {
    const found = await this.#all<Session>(ACCOUNT_QUERIES.sessionsOf, [userId]);
    const ids = found.map(({ id }) => id).filter((id) => id !== except);
    await this.#delete(ids.map((id) => placeOf(SESSIONS, id)));
    return ids;
  }

  async addLink(link: Link): Promise<void> {
    const { id, userId, purpose, expiresAt } = link;
    await this.#set(LINKS, id, { user_id: userId, purpose, expires_at: expiresAt }, link);
  }

  async findLink(id: string): Promise<Link | null> {
    return parseContent<Link>(await this.#get(LINKS, id));
  }

  async consumeLink(id: string, now: number): Promise<Link | null> {
    return this.#consume<Link>(placeOf(LINKS, id), ({ expiresAt }) => expiresAt > now);
  }

  async revokeLinks(purpose: Link['purpose']): Promise<void> {
    const found = await this.#connection.query(ACCOUNT_QUERIES.linksFor, { where: [purpose] });
    await this.#delete(found.map(({ id }): DocumentPath => [LINKS, id]));
  }

  async addToken(token: AccessToken): Promise<void> {
    const { id, userId, expiresAt } = token;
    await this.#set(TOKENS, id, { user_id: userId, expires_at: expiresAt }, token);
  }

  async findToken(id: string): Promise<AccessToken | null> {
    return parseContent<AccessToken>(await this.#get(TOKENS, id));
  }

  async tokensOf(userId: string): Promise<readonly AccessToken[]> {
    const found = await this.#all<AccessToken>(ACCOUNT_QUERIES.tokensOf, [userId]);
    return found.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  }

  async revokeToken(userId: string, id: string, at: number): Promise<boolean> {
    return this.#change<AccessToken>(TOKENS, id, (token) =>
      token.userId === userId && token.revokedAt === null ? { ...token, revokedAt: at } : null,
    );
  }

  async revokeTokens(userId: string, at: number): Promise<readonly string[]> {
    const revoked: string[] = [];
    for (const { id } of await this.tokensOf(userId))
      if (await this.revokeToken(userId, id, at)) revoked.push(id);
    return revoked;
  }

  async marksOf(userId: string): Promise<readonly ReadMark[]> {
    const found = await this.#all<ReadMark>(ACCOUNT_QUERIES.marksOf, [userId]);
    return found.sort((a, b) => (a.timeline < b.timeline ? -1 : 1));
  }

  async setMark(userId: string, mark: ReadMark): Promise<ReadMark> {
    const at = placeOf(MARKS, `${userId} ${mark.timeline}`);
    return this.#connection.mutate(at, (now) => {
      const stored = parseContent<ReadMark>(now);
      if (stored !== null && stored.markedAt > mark.markedAt) return { value: stored, writes: [] };
      const data = { user_id: userId, content: JSON.stringify(mark) };
      const { updateTime } = now;
      const write: Write =
        updateTime === undefined ? { do: 'create', at, data } : { do: 'replace', at, data, asOf: updateTime };
      return { value: mark, writes: [write] };
    });
  }

  async sweep(before: number): Promise<number> {
    let swept = 0;
    for (const form of [
      ACCOUNT_QUERIES.endedSessions,
      ACCOUNT_QUERIES.endedLinks,
      ACCOUNT_QUERIES.endedTokens,
    ])
      for (;;) {
        const page = await this.#connection.query(form, { where: [before], limit: MAX_PER_CALL });
        await this.#delete(page.map(({ id }): DocumentPath => [form.collection, id]));
        swept += page.length;
        if (page.length < MAX_PER_CALL) break;
      }
    return swept;
  }

  async signingKey(make: () => Uint8Array): Promise<Uint8Array> {
    const at: DocumentPath = [KEYS, 'own'];
    return this.#connection.mutate(at, (now) => {
      const stored: unknown = now.get('key');
      if (stored instanceof Uint8Array) return { value: new Uint8Array(stored), writes: [] };
      const key = make();
      return { value: key, writes: [{ do: 'create', at, data: { key: Buffer.from(key) } }] };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #get(collection: string, id: string): Promise<DocumentSnapshot> {
    return this.#connection.get(placeOf(collection, id));
  }

  async #all<T>(form: QueryForm, where: readonly unknown[]): Promise<T[]> {
    return (await this.#connection.query(form, { where })).flatMap((found) => parseContent<T>(found) ?? []);
  }

  async #set(collection: string, id: string, queried: Readonly<Record<string, unknown>>, record: object) {
    const data = { ...queried, content: JSON.stringify(record) };
    await this.#connection.commit([{ do: 'set', at: placeOf(collection, id), data }]);
  }

  /** False where there is no document, or the change is `null`. */
  #change<T extends object>(
    collection: string,
    id: string,
    change: (stored: T) => T | null,
    queried: Readonly<Record<string, unknown>> = {},
  ): Promise<boolean> {
    const at = placeOf(collection, id);
    return this.#connection.mutate(at, (now) => {
      const stored = parseContent<T>(now);
      const next = stored === null ? null : change(stored);
      if (next === null || now.updateTime === undefined) return { value: false, writes: [] };
      const data = { ...queried, content: JSON.stringify(next) };
      return { value: true, writes: [{ do: 'patch', at, data, asOf: now.updateTime }] };
    });
  }

  /** Reads and deletes a document; exactly one of several concurrent callers gets it. */
  #consume<T>(at: DocumentPath, isValid: (stored: T) => boolean): Promise<T | null> {
    return this.#connection.mutate(at, (now) => {
      const stored = parseContent<T>(now);
      if (stored === null || now.updateTime === undefined || !isValid(stored))
        return { value: null, writes: [] };
      return { value: stored, writes: [{ do: 'delete', at, asOf: now.updateTime }] };
    });
  }

  async #delete(places: readonly DocumentPath[]): Promise<void> {
    for (const batch of chunked(places, MAX_PER_CALL))
      await this.#connection.commit(batch.map((at) => ({ do: 'delete', at })));
  }
}

/** An external ID can be any text; a document name cannot. */
function placeOf(collection: string, id: string): DocumentPath {
  return [collection, /^[\w-]{1,200}$/.test(id) ? id : createHash('sha256').update(id).digest('hex')];
}

function nameAt(name: string): DocumentPath {
  return [ACCOUNT_NAMES, createHash('sha256').update(foldedName(name)).digest('hex')];
}

function parseContent<T>(found: DocumentSnapshot | QueryDocumentSnapshot): T | null {
  const content: unknown = found.get('content');
  return typeof content === 'string' ? (JSON.parse(content) as T) : null;
}

export const ACCOUNTS = 'accounts';
export const ACCOUNT_NAMES = 'account_names';
export const SESSIONS = 'account_sessions';
export const LINKS = 'account_links';
export const TOKENS = 'account_tokens';
export const MARKS = 'account_marks';
export const KEYS = 'account_keys';

const ofUser = (collection: string): QueryForm => ({
  collection,
  where: [['user_id', '==']],
  orderBy: [],
});
const expired = (collection: string): QueryForm => ({
  collection,
  where: [['expires_at', '<']],
  orderBy: [],
});

/** Every query of the accounts. */
export const ACCOUNT_QUERIES = {
  accounts: { collection: ACCOUNTS, where: [], orderBy: [] },
  sessionsOf: ofUser(SESSIONS),
  tokensOf: ofUser(TOKENS),
  linksOf: ofUser(LINKS),
  marksOf: ofUser(MARKS),
  linksFor: { collection: LINKS, where: [['purpose', '==']], orderBy: [] },
  endedSessions: expired(SESSIONS),
  endedLinks: expired(LINKS),
  endedTokens: expired(TOKENS),
} as const satisfies Readonly<Record<string, QueryForm>>;
