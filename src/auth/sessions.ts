import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../time/clock.ts';
import { HOUR, SECOND } from '../time/duration.ts';
import type { Account, AccountStore, Session } from './account-store.ts';
import { type Authentication, type Identity, scopesOf } from './identity.ts';
import type { Revocations } from './revocations.ts';

export interface SessionOptions {
  readonly store: AccountStore;
  readonly clock: Clock;
  readonly revocations: Revocations;
  /** How long a session lasts after it was last used. */
  readonly lifetimeMs: number;
  /** How long a session that was read from the store is cached. */
  readonly cacheTtlMs?: number;
}

export interface OpenedSession {
  /** For the cookie. */
  readonly token: string;
  readonly identity: Identity;
}

interface CachedSession {
  readonly identity: Identity;
  readonly expiresAt: number;
}

const MAX_CACHED_SESSIONS = 10_000;

/** Browser sessions: opened, authenticated, extended while they are used, and ended. */
export class Sessions {
  readonly #options: SessionOptions;
  readonly #cache = new Map<string, CachedSession>();

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

  async authenticate(token: string): Promise<Authentication> {
    if (!isTokenFormat(token)) return refused('malformed');
    const id = hashToken(token);
    const { store, clock, cacheTtlMs = 5 * SECOND } = this.#options;
    const known = this.#cache.get(id);
    const now = clock.now();
    if (known !== undefined && known.expiresAt > clock.monotonic() && known.identity.expiresAt > now)
      return { kind: 'known', identity: known.identity };
    this.#cache.delete(id);
    const session = await store.findSession(id);
    if (session === null) return refused('unknown');
    if (session.expiresAt <= now) return refused('expired');
    const account = await store.findAccount({ userId: session.userId });
    if (account === null) return refused('revoked');
    const current = await this.#extended(session);
    if (current === null) return refused('revoked');
    const identity = identityOf(current, account);
    if (this.#cache.size >= MAX_CACHED_SESSIONS) this.#cache.clear();
    this.#cache.set(id, { identity, expiresAt: clock.monotonic() + cacheTtlMs });
    return { kind: 'known', identity };
  }

  async end(id: string): Promise<boolean> {
    const ended = await this.#options.store.endSession(id);
    this.#notifyRevoked([id]);
    return ended;
  }

  /** Returns the number of sessions ended. */
  async endAll(userId: string, except?: string): Promise<number> {
    const ids = await this.#options.store.endSessions(userId, except);
    this.#notifyRevoked(ids);
    return ids.length;
  }

  /** Evicts sessions and tokens that have already ended in the store. */
  evict(ids: readonly string[]): void {
    this.#notifyRevoked(ids);
  }

  /** Reads the store, not the cache. */
  async isValid(id: string): Promise<boolean> {
    const session = await this.#options.store.findSession(id);
    return session !== null && session.expiresAt > this.#options.clock.now();
  }

  /** Writes at most once an hour, or once per twentieth of a short lifetime. */
  async #extended(session: Session): Promise<Session | null> {
    const { store, clock, lifetimeMs } = this.#options;
    const now = clock.now();
    if (now - session.seenAt < Math.min(HOUR, lifetimeMs / 20)) return session;
    const later = { ...session, seenAt: now, expiresAt: now + lifetimeMs };
    return (await store.touchSession(session.id, later.seenAt, later.expiresAt)) ? later : null;
  }

  #notifyRevoked(ids: readonly string[]): void {
    for (const id of ids) {
      this.#cache.delete(id);
      this.#options.revocations.notifyRevoked(id);
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

/** A bearer secret, and the hash under which it is stored. */
export interface SecretToken {
  readonly token: string;
  readonly id: string;
}

/** 256 random bits: too many to guess, so a plain hash is enough. */
export function newSecretToken(random: (bytes: number) => Uint8Array = randomBytes): SecretToken {
  const token = Buffer.from(random(32)).toString('base64url');
  return { token, id: hashToken(token) };
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Checks the format only. */
export function isTokenFormat(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
