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

/** An issuer whose tokens are accepted, and how they are verified. */
export interface TrustedIssuer {
  readonly issuer: string;
  /** Required `aud`; any if absent. */
  readonly audience?: string;
  /** Pinned: the algorithm in a token's own header is never trusted. */
  readonly algorithms: readonly string[];
  /** Newest secret first: the older ones stay valid, so that a secret can be rotated without a gap. */
  readonly keys: { readonly secrets: readonly Uint8Array[] } | { readonly set: JWTVerifyGetKey };
}

export const SECRET_ALGORITHMS = ['HS256'] as const;
/** Public-key signatures only, so that a published key cannot be passed off as a shared secret. */
export const PUBLIC_KEY_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA', 'Ed25519'] as const;

/** Tolerance for clock skew between machines. */
const CLOCK_SKEW_S = 30;
const MAX_TOKEN_LENGTH = 8192;

/** Verifies Bearer tokens: signature, issuer, audience, times. Does not look up the subject. */
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
    if (issuer === undefined) return refused('unknown', 'The issuer of the token is not trusted.');
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

/** Decoded without verification, only to select the key. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function claimsOf({ iss = '', sub = '', jti, exp = 0, scope }: JWTPayload): TokenVerification {
  if (sub === '' || sub.length > 200) return refused('malformed', 'The token has no valid subject.');
  const scopes = typeof scope === 'string' ? scope.split(' ').filter((each) => each !== '') : [];
  return {
    ok: true,
    claims: { issuer: iss, subject: sub, id: jti ?? null, expiresAt: exp * 1000, scopes },
  };
}

function toRefusal(error: unknown): TokenVerification {
  if (error instanceof KeySetError)
    return refused('unavailable', 'The keys of the identity provider are unavailable.');
  if (error instanceof errors.JWTExpired) return refused('expired', 'The token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed)
    return refused('malformed', `The token has an invalid claim: ${error.claim}.`);
  if (error instanceof errors.JOSEError) return refused('malformed', 'The token is invalid.');
  throw error;
}

function refused(why: RefusedBecause, detail: string): TokenVerification {
  return { ok: false, why, detail };
}

export interface KeySetOptions {
  readonly url: string;
  /** The guarded fetcher. */
  readonly fetcher: Pick<Fetcher, 'fetch'>;
  readonly clock: Clock;
}

const KEY_SET_TTL_MS = 10 * MINUTE;
/** A token with an unknown key ID causes a refetch, and any client can send one. */
const MIN_REFETCH_INTERVAL_MS = 30 * SECOND;
const MAX_KEY_SET_BYTES = 256 * 1024;

/** The provider's keys cannot be fetched, and none are cached. */
export class KeySetError extends Error {
  override readonly name = 'KeySetError';
}

/**
 * The public keys of an external identity provider, cached. An unknown key ID causes a refetch, so that the provider
 * can rotate its keys. During an outage of the provider the cached keys stay valid.
 */
export function remoteKeySet({ url, fetcher, clock }: KeySetOptions): JWTVerifyGetKey {
  let known: { readonly keys: JWTVerifyGetKey; readonly readAt: number } | null = null;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | null = null;

  const fetchKeys = async (): Promise<void> => {
    fetchedAt = clock.monotonic();
    const outcome = await fetcher.fetch({
      url,
      headers: { accept: 'application/jwk-set+json, application/json' },
      maxBytes: MAX_KEY_SET_BYTES,
      timeoutMs: 5 * SECOND,
      polite: false,
    });
    if (outcome.outcome === 'failed') throw new KeySetError(`failed to fetch the key set: ${outcome.detail}`);
    if (outcome.status !== 200)
      throw new KeySetError(`failed to fetch the key set: status ${outcome.status}`);
    known = { keys: createLocalJWKSet(parseKeySet(outcome.body)), readAt: clock.monotonic() };
  };
  const refresh = (): Promise<void> => {
    fetching ??= fetchKeys().finally(() => {
      fetching = null;
    });
    return fetching;
  };
  const mayFetch = (): boolean =>
    fetching !== null || clock.monotonic() - fetchedAt >= MIN_REFETCH_INTERVAL_MS;

  return async (header, token) => {
    const stale = known === null || clock.monotonic() - known.readAt > KEY_SET_TTL_MS;
    if (stale && mayFetch())
      await refresh().catch((error: unknown) => {
        if (known === null) throw error;
      });
    if (known === null)
      throw new KeySetError('the key set is unavailable; the last fetch failed a moment ago');
    try {
      return await known.keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !mayFetch()) throw error;
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
    throw new KeySetError('the key set is not valid JSON', { cause });
  }
  throw new KeySetError('the key set has no list of keys');
}
