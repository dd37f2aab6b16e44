import {
  createLocalJWKSet,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import type { TokenCheck, TokenVerification } from './access-tokens.ts';
import type { RefusedBecause } from './identity.ts';

/** Whose tokens are believed, and how they are checked. */
export interface TrustedIssuer {
  readonly issuer: string;
  /** `aud` that a token must name; any where absent. */
  readonly audience?: string;
  /** Pinned: what a token says about its own algorithm is never believed. */
  readonly algorithms: readonly string[];
  /** The newest secret first: the older ones still count, so that a secret can be changed without a gap. */
  readonly keys: { readonly secrets: readonly Uint8Array[] } | { readonly set: JWTVerifyGetKey };
}

export const SECRET_ALGORITHMS = ['HS256'] as const;
/** Signatures of a public key alone: with one of them a published key can never pass for a secret. */
export const PUBLIC_KEY_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'] as const;

/** Clocks of different machines are never quite the same. */
const CLOCK_SKEW_S = 30;
const MAX_TOKEN_LENGTH = 8192;

/** Checks Bearer tokens: signature, issuer, audience, times. Says nothing about who the subject is. */
export class TokenVerifier implements TokenCheck {
  readonly #issuers: ReadonlyMap<string, TrustedIssuer>;
  readonly #clock: Clock;

  constructor(issuers: readonly TrustedIssuer[], clock: Clock) {
    this.#issuers = new Map(issuers.map((each) => [each.issuer, each]));
    this.#clock = clock;
  }

  async verify(token: string): Promise<TokenVerification> {
    if (token.length > MAX_TOKEN_LENGTH) return refused('malformed', 'The token is too long.');
    const issuer = this.#issuers.get(issuerOf(token) ?? '');
    if (issuer === undefined)
      return refused('unknown', 'The token is of nobody whose tokens are accepted here.');
    try {
      return claimsOf(await this.#check(token, issuer));
    } catch (error) {
      return toRefusal(error);
    }
  }

  async #check(token: string, trusted: TrustedIssuer): Promise<JWTPayload> {
    const options = {
      issuer: trusted.issuer,
      algorithms: [...trusted.algorithms],
      clockTolerance: CLOCK_SKEW_S,
      currentDate: new Date(this.#clock.now()),
      requiredClaims: ['exp', 'sub'],
      ...(trusted.audience === undefined ? {} : { audience: trusted.audience }),
    };
    if ('set' in trusted.keys) return (await jwtVerify(token, trusted.keys.set, options)).payload;
    let failure: unknown = new errors.JWSSignatureVerificationFailed();
    for (const secret of trusted.keys.secrets) {
      try {
        return (await jwtVerify(token, secret, options)).payload;
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
        failure = error;
      }
    }
    throw failure;
  }
}

/** Read before anything is proved: only to know whose key to check with. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function claimsOf({ iss = '', sub = '', jti, exp = 0, scope }: JWTPayload): TokenVerification {
  if (sub === '' || sub.length > 200) return refused('malformed', 'The token names nobody.');
  const scopes = typeof scope === 'string' ? scope.split(' ').filter((each) => each !== '') : [];
  return {
    ok: true,
    claims: { issuer: iss, subject: sub, id: jti ?? null, expiresAt: exp * 1000, scopes },
  };
}

function toRefusal(error: unknown): TokenVerification {
  if (error instanceof KeySetError)
    return refused('unavailable', 'The keys of the identity provider cannot be had now.');
  if (error instanceof errors.JWTExpired) return refused('expired', 'The token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed)
    return refused('malformed', `The token is not meant for here: ${error.claim}.`);
  if (error instanceof errors.JOSEError) return refused('malformed', 'The token does not check out.');
  throw error;
}

function refused(why: RefusedBecause, detail: string): TokenVerification {
  return { ok: false, why, detail };
}

export interface KeySetOptions {
  readonly url: string;
  /** The guarded way out. */
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  readonly clock: Clock;
}

const KEY_SET_TTL_MS = 10 * MINUTE;
/** A token with an unknown key makes us ask again, and anybody can send one. */
const MIN_REFETCH_INTERVAL_MS = 30 * SECOND;
const MAX_KEY_SET_BYTES = 256 * 1024;

/** The provider's keys cannot be had, and none are known from before. */
export class KeySetError extends Error {
  override readonly name = 'KeySetError';
}

/**
 * The public keys of an outside identity provider. They are kept for a while; a key that is not among them is looked
 * for again, so that a provider can change its keys; when the provider is away the known ones go on counting.
 */
export function remoteKeySet({ url, fetcher, clock }: KeySetOptions): JWTVerifyGetKey {
  let known: { readonly keys: JWTVerifyGetKey; readonly readAt: number } | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;

  const ask = async (): Promise<void> => {
    askedAt = clock.monotonic();
    const outcome = await fetcher.fetch({
      url,
      headers: { accept: 'application/jwk-set+json, application/json' },
      maxBytes: MAX_KEY_SET_BYTES,
      timeoutMs: 5 * SECOND,
      polite: false,
    });
    if (outcome.outcome === 'failed')
      throw new KeySetError(`the key set could not be read: ${outcome.detail}`);
    if (outcome.status !== 200)
      throw new KeySetError(`the key set could not be read: answer ${outcome.status}`);
    known = { keys: createLocalJWKSet(parseKeySet(outcome.body)), readAt: clock.monotonic() };
  };
  const refresh = (): Promise<void> => {
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  };
  const mayAsk = (): boolean => asking !== null || clock.monotonic() - askedAt >= MIN_REFETCH_INTERVAL_MS;

  return async (header, token) => {
    const stale = known === null || clock.monotonic() - known.readAt > KEY_SET_TTL_MS;
    if (stale && mayAsk())
      await refresh().catch((error: unknown) => {
        if (known === null) throw error;
      });
    if (known === null) throw new KeySetError('the key set could not be read a moment ago');
    try {
      return await known.keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !mayAsk()) throw error;
      await refresh();
      return known.keys(header, token);
    }
  };
}

function parseKeySet(body: Uint8Array): JSONWebKeySet {
  try {
    const read: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof read === 'object' && read !== null && 'keys' in read && Array.isArray(read.keys))
      return read as JSONWebKeySet;
  } catch (cause) {
    throw new KeySetError('the key set is no JSON', { cause });
  }
  throw new KeySetError('the key set has no list of keys');
}
