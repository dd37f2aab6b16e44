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
  /** Key and claims of tokens issued here. */
  readonly own: { readonly key: Uint8Array; readonly issuer: string; readonly audience: string };
  /** The person that a token's subject names; `null` for an unknown one. */
  readonly person: (claims: TokenClaims) => Promise<Person | null>;
}

export interface Person {
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
}

/** Prefix of the ID of every token issued by this program; its record is in the account store of the replica that issued it. */
const OWN_TOKEN_PREFIX = 'kt_';
/** IDs of tokens from earlier versions do not name their issuer. */
const ISSUER_STORE_PATTERN = /^kt_([0-9a-f]{8})_/;

export function isOwnToken(id: string): boolean {
  return id.startsWith(OWN_TOKEN_PREFIX);
}

/** Bearer tokens: issues own ones, and authenticates these and those of an external provider. */
export class AccessTokens {
  readonly #options: AccessTokenOptions;
  #storeName: Promise<string> | null = null;

  constructor(options: AccessTokenOptions) {
    this.#options = options;
  }

  /** Returns the token once; only its record is stored. */
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
    const verification = await this.#options.verifier.verify(token);
    if (!verification.ok)
      return { kind: 'refused', by: 'token', why: verification.why, detail: verification.detail };
    const { claims } = verification;
    const id = claims.id ?? `${claims.issuer} ${claims.subject}`;
    if (!(await this.isValid(id)))
      return { kind: 'refused', by: 'token', why: 'revoked', detail: 'The token was revoked.' };
    const person = await this.#options.person(claims);
    if (person === null)
      return { kind: 'refused', by: 'token', why: 'unknown', detail: 'The token names an unknown user.' };
    const granted = scopesOf(person.role);
    // A token without scopes may only read.
    const requested = claims.scopes.length === 0 ? ['read'] : claims.scopes;
    const scopes = new Set([...granted].filter((scope) => requested.includes(scope)));
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
   * Tokens of an external provider have no record, so they cannot be revoked here. A token of a replica with its own account
   * store is valid by its signature unless it is in the shared revocation list.
   */
  async isValid(id: string): Promise<boolean> {
    if (!isOwnToken(id)) return true;
    const { store, revocations } = this.#options;
    const record = await store.findToken(id);
    if (record !== null) return record.revokedAt === null;
    const issuer = ISSUER_STORE_PATTERN.exec(id)?.[1];
    if (issuer === undefined || !revocations.isShared || issuer === (await this.#issuerStore())) return false;
    return !(await revocations.isRevoked(id));
  }

  /** Identifies the account store; the same for all replicas that share it. */
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

/** Verifies a token itself; does not look up its subject. */
export interface TokenCheck {
  verify(token: string): Promise<TokenVerification>;
}

/** Claims of a verified token. */
export interface TokenClaims {
  readonly issuer: string;
  readonly subject: string;
  readonly id: string | null;
  readonly expiresAt: number;
  /** From the space-separated claim `scope`. */
  readonly scopes: readonly string[];
}

export type TokenVerification =
  | { readonly ok: true; readonly claims: TokenClaims }
  | { readonly ok: false; readonly why: RefusedBecause; readonly detail: string };
