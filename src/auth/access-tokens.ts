import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Clock } from '../time/clock.ts';
import type { AccessToken, AccountStore } from './account-store.ts';
import {
  type Authentication,
  type Identity,
  type RefusedBecause,
  type Role,
  type Scope,
  scopesOf,
} from './identity.ts';
import type { Revocations } from './revocations.ts';

export interface AccessTokenOptions {
  readonly store: Pick<AccountStore, 'addToken' | 'findToken' | 'tokensOf' | 'revokeToken' | 'signingKey'>;
  readonly clock: Clock;
  readonly revocations: Revocations;
  readonly verifier: TokenCheck;
  /** What tokens made here are signed with, and say about themselves. */
  readonly own: { readonly key: Uint8Array; readonly issuer: string; readonly audience: string };
  /** The person whom a token's subject means; `null` where there is no such person. */
  readonly person: (claims: TokenClaims) => Promise<Person | null>;
}

export interface Person {
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
}

/** Begins the ID of every token that this program made; its record is in the account store of the replica that made it. */
const OWN_TOKEN_PREFIX = 'kt_';
/** Tokens of earlier versions do not say by whom they were made. */
const ISSUER_STORE_PATTERN = /^kt_([0-9a-f]{8})_/;

export function isOwnToken(id: string): boolean {
  return id.startsWith(OWN_TOKEN_PREFIX);
}

/** Bearer tokens: made for people's programs, and recognised, those of an outside provider as well. */
export class AccessTokens {
  readonly #options: AccessTokenOptions;
  #storeName: Promise<string> | null = null;

  constructor(options: AccessTokenOptions) {
    this.#options = options;
  }

  /** The token itself is given out once and kept nowhere. */
  async issue(
    { userId, role }: Pick<Identity, 'userId' | 'role'>,
    ask: { readonly label: string; readonly scopes: readonly Scope[]; readonly lifetimeMs: number },
  ): Promise<{ readonly token: string; readonly record: AccessToken }> {
    const { store, clock, own } = this.#options;
    const now = clock.now();
    const granted = scopesOf(role);
    const record: AccessToken = {
      id: `${OWN_TOKEN_PREFIX}${await this.#issuerStore()}_${randomUUID()}`,
      userId,
      label: ask.label,
      scopes: ask.scopes.filter((scope) => granted.has(scope)),
      createdAt: now,
      expiresAt: now + ask.lifetimeMs,
      revokedAt: null,
    };
    const token = await new SignJWT({ scope: record.scopes.join(' ') })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(own.issuer)
      .setAudience(own.audience)
      .setSubject(userId)
      .setJti(record.id)
      .setIssuedAt(new Date(now))
      .setExpirationTime(new Date(record.expiresAt))
      .sign(own.key);
    await store.addToken(record);
    return { token, record };
  }

  async authenticate(token: string): Promise<Authentication> {
    const reading = await this.#options.verifier.verify(token);
    if (!reading.ok) return { kind: 'refused', by: 'token', why: reading.why, detail: reading.detail };
    const { claims } = reading;
    const id = claims.id ?? `${claims.issuer} ${claims.subject}`;
    if (!(await this.isValid(id)))
      return { kind: 'refused', by: 'token', why: 'revoked', detail: 'The token was revoked.' };
    const person = await this.#options.person(claims);
    if (person === null)
      return { kind: 'refused', by: 'token', why: 'unknown', detail: 'The token names nobody here.' };
    const granted = scopesOf(person.role);
    // Without a word about scopes, reading is all that was meant for certain.
    const asked = claims.scopes.length === 0 ? ['read'] : claims.scopes;
    const scopes = new Set([...granted].filter((scope) => asked.includes(scope)));
    return {
      kind: 'known',
      identity: { ...person, scopes, expiresAt: claims.expiresAt, credential: 'token', id },
    };
  }

  list(userId: string): Promise<readonly AccessToken[]> {
    return this.#options.store.tokensOf(userId);
  }

  async revoke(userId: string, id: string): Promise<boolean> {
    const { store, clock, revocations } = this.#options;
    const done = await store.revokeToken(userId, id, clock.now());
    if (done) revocations.notifyRevoked(id);
    return done;
  }

  /**
   * Of a token that an outside provider made nothing is kept, so nothing says that it was revoked. One of a replica with an account
   * store of its own counts by its signature, unless the list that replicas share says that it was revoked.
   */
  async isValid(id: string): Promise<boolean> {
    if (!isOwnToken(id)) return true;
    const { store, revocations } = this.#options;
    const record = await store.findToken(id);
    if (record !== null) return record.revokedAt === null;
    const maker = ISSUER_STORE_PATTERN.exec(id)?.[1];
    if (maker === undefined || !revocations.isShared || maker === (await this.#issuerStore())) return false;
    return !(await revocations.isRevoked(id));
  }

  /** Names the account store, the same for all replicas that share it. */
  #issuerStore(): Promise<string> {
    this.#storeName ??= this.#options.store
      .signingKey(() => randomBytes(32))
      .then((key) => createHash('sha256').update('store ').update(key).digest('hex').slice(0, 8))
      .catch((error: unknown) => {
        this.#storeName = null;
        throw error;
      });
    return this.#storeName;
  }
}

/** Checks a token as such; who its subject is here is not its business. */
export interface TokenCheck {
  verify(token: string): Promise<TokenVerification>;
}

/** What a verified token says. */
export interface TokenClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly id: string | null;
  readonly expiresAt: number;
  /** As written: `scope` with spaces between. */
  readonly scopes: readonly string[];
}

export type TokenVerification =
  | { readonly ok: true; readonly claims: TokenClaims }
  | { readonly ok: false; readonly why: RefusedBecause; readonly detail: string };
