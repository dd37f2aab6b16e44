import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Clock } from '../time/clock.ts';
import type { AccessToken, AccountStore } from './account-store.ts';
import { type Authentication, type Identity, type Role, type Scope, scopesOf } from './identity.ts';
import type { Revocations } from './revocations.ts';
import type { TokenClaims, TokenReader } from './token-reader.ts';

export interface AccessTokenOptions {
  readonly store: Pick<AccountStore, 'addToken' | 'findToken' | 'tokensOf' | 'revokeToken'>;
  readonly clock: Clock;
  readonly revocations: Revocations;
  readonly verifier: TokenReader;
  /** What tokens made here are signed with, and say about themselves. */
  readonly own: { readonly key: Uint8Array; readonly issuer: string; readonly audience: string };
  /** The person whom a token's subject means; `null` where it means nobody. */
  readonly person: (claims: TokenClaims) => Promise<Person | null>;
}

export interface Person {
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
}

/** Begins the ID of every token that was made here, of which a record must be there. */
const MADE_HERE = 'kt_';

/** Bearer tokens: made for people's programs, and recognised, those of an outside provider as well. */
export class AccessTokens {
  readonly #options: AccessTokenOptions;

  constructor(options: AccessTokenOptions) {
    this.#options = options;
  }

  /** The token itself is given out once and kept nowhere. */
  async make(
    { userId, role }: Pick<Identity, 'userId' | 'role'>,
    ask: { readonly label: string; readonly scopes: readonly Scope[]; readonly lifetimeMs: number },
  ): Promise<{ readonly token: string; readonly record: AccessToken }> {
    const { store, clock, own } = this.#options;
    const now = clock.now();
    const granted = scopesOf(role);
    const record: AccessToken = {
      id: `${MADE_HERE}${randomUUID()}`,
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

  async recognise(token: string): Promise<Authentication> {
    const reading = await this.#options.verifier.verify(token);
    if (!reading.ok) return { kind: 'refused', by: 'token', why: reading.why, detail: reading.detail };
    const { claims } = reading;
    const id = claims.id ?? `${claims.issuer} ${claims.subject}`;
    if (!(await this.stillCounts(id)))
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
    if (done) revocations.revoked(id);
    return done;
  }

  /** Of a token that was not made here nothing is kept, so nothing says that it was revoked. */
  async stillCounts(id: string): Promise<boolean> {
    if (!id.startsWith(MADE_HERE)) return true;
    const record = await this.#options.store.findToken(id);
    return record !== null && record.revokedAt === null;
  }
}
