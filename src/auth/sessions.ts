import type { Clock } from '../time/clock.ts';
import { HOUR, SECOND } from '../time/duration.ts';
import type { Account, AccountStore, Session } from './account-store.ts';
import { type Authentication, type Identity, scopesOf } from './identity.ts';
import type { Revocations } from './revocations.ts';
import { idOf, looksLikeToken, newSecretToken } from './secret-token.ts';

export interface SessionOptions {
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly revocations: Revocations;
  /** How long a session lasts after it was last used. */
  readonly lifetimeMs: number;
  /** For how long what was read from the store counts without asking again. */
  readonly rememberMs?: number;
}

export interface OpenedSession {
  /** For the cookie. */
  readonly token: string;
  readonly identity: Identity;
}

interface Remembered {
  readonly identity: Identity;
  readonly until: number;
}

const MOST_REMEMBERED = 10_000;

/** Sessions of browsers: opened, recognised, prolonged while they are used, and ended. */
export class Sessions {
  readonly #options: SessionOptions;
  readonly #remembered = new Map<string, Remembered>();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  async open(account: Account, device: string): Promise<OpenedSession> {
    const { store, clock, lifetimeMs } = this.#options;
    const { token, id } = newSecretToken();
    const now = clock.now();
    const session: Session = {
      id,
      userId: account.userId,
      createdAt: now,
      seenAt: now,
      expiresAt: now + lifetimeMs,
      device: device.slice(0, 200),
    };
    await store.addSession(session);
    return { token, identity: identityOf(session, account) };
  }

  async recognise(token: string): Promise<Authentication> {
    if (!looksLikeToken(token)) return refused('malformed');
    const id = idOf(token);
    const { store, clock, rememberMs = 5 * SECOND } = this.#options;
    const known = this.#remembered.get(id);
    const now = clock.now();
    if (known !== undefined && known.until > clock.monotonic() && known.identity.expiresAt > now)
      return { kind: 'known', identity: known.identity };
    this.#remembered.delete(id);
    const session = await store.findSession(id);
    if (session === null) return refused('unknown');
    if (session.expiresAt <= now) return refused('expired');
    const account = await store.findAccount({ userId: session.userId });
    if (account === null) return refused('revoked');
    const current = await this.#prolonged(session);
    if (current === null) return refused('revoked');
    const identity = identityOf(current, account);
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(id, { identity, until: clock.monotonic() + rememberMs });
    return { kind: 'known', identity };
  }

  async end(id: string): Promise<boolean> {
    const ended = await this.#options.store.endSession(id);
    this.#tell([id]);
    return ended;
  }

  /** Answers how many ended. */
  async endAll(userId: string, except?: string): Promise<number> {
    const ids = await this.#options.store.endSessions(userId, except);
    this.#tell(ids);
    return ids.length;
  }

  /** These sessions and tokens have ended in the store already. */
  forget(ids: readonly string[]): void {
    this.#tell(ids);
  }

  /** Whether it is still good, asked where it is kept. */
  async stillCounts(id: string): Promise<boolean> {
    const session = await this.#options.store.findSession(id);
    return session !== null && session.expiresAt > this.#options.clock.now();
  }

  /** Written at most once an hour, or every twentieth part of a short life. */
  async #prolonged(session: Session): Promise<Session | null> {
    const { store, clock, lifetimeMs } = this.#options;
    const now = clock.now();
    if (now - session.seenAt < Math.min(HOUR, lifetimeMs / 20)) return session;
    const later = { ...session, seenAt: now, expiresAt: now + lifetimeMs };
    return (await store.touchSession(session.id, later.seenAt, later.expiresAt)) ? later : null;
  }

  #tell(ids: readonly string[]): void {
    for (const id of ids) {
      this.#remembered.delete(id);
      this.#options.revocations.revoked(id);
    }
  }
}

function identityOf(session: Session, { userId, name, role }: Account): Identity {
  const { id, expiresAt } = session;
  return { userId, name, role, scopes: scopesOf(role), expiresAt, credential: 'session', id };
}

function refused(why: 'malformed' | 'unknown' | 'expired' | 'revoked'): Authentication {
  return { kind: 'refused', by: 'session', why, detail: 'Your session has ended. Sign in again.' };
}
