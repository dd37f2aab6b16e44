import { decodeJwt, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Clock } from '../../time/clock.ts';
import type { RefusedBecause } from '../identity.ts';
import type { TokenReader, TokenReading } from '../token-reader.ts';
import { KeySetError } from './key-set.ts';

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
const LONGEST_TOKEN = 8192;

/** Checks Bearer tokens: signature, issuer, audience, times. Says nothing about who the subject is. */
export class TokenVerifier implements TokenReader {
  readonly #issuers: ReadonlyMap<string, TrustedIssuer>;
  readonly #clock: Clock;

  constructor(issuers: readonly TrustedIssuer[], clock: Clock) {
    this.#issuers = new Map(issuers.map((each) => [each.issuer, each]));
    this.#clock = clock;
  }

  async verify(token: string): Promise<TokenReading> {
    if (token.length > LONGEST_TOKEN) return refused('malformed', 'The token is too long.');
    const issuer = this.#issuers.get(issuerOf(token) ?? '');
    if (issuer === undefined)
      return refused('unknown', 'The token is of nobody whose tokens are accepted here.');
    try {
      return claimsOf(await this.#check(token, issuer));
    } catch (error) {
      return refusalOf(error);
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

function claimsOf({ iss = '', sub = '', jti, exp = 0, scope }: JWTPayload): TokenReading {
  if (sub === '' || sub.length > 200) return refused('malformed', 'The token names nobody.');
  const scopes = typeof scope === 'string' ? scope.split(' ').filter((each) => each !== '') : [];
  return {
    ok: true,
    claims: { issuer: iss, subject: sub, id: jti ?? null, expiresAt: exp * 1000, scopes },
  };
}

function refusalOf(error: unknown): TokenReading {
  if (error instanceof KeySetError)
    return refused('unavailable', 'The keys of the identity provider cannot be had now.');
  if (error instanceof errors.JWTExpired) return refused('expired', 'The token has expired.');
  if (error instanceof errors.JWTClaimValidationFailed)
    return refused('malformed', `The token is not meant for here: ${error.claim}.`);
  if (error instanceof errors.JOSEError) return refused('malformed', 'The token does not check out.');
  throw error;
}

function refused(why: RefusedBecause, detail: string): TokenReading {
  return { ok: false, why, detail };
}
