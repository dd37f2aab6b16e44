import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { Authentication, Authenticator, Identity } from './identity.ts';
import type { Revocations } from './revocations.ts';
import type { Sessions } from './sessions.ts';

/** Authenticates a Bearer token or a session cookie. A store that is unavailable is an outcome, not an error. */
export function createAuthenticator(parts: {
  readonly sessions: Pick<Sessions, 'authenticate'>;
  readonly tokens: Pick<AccessTokens, 'authenticate'>;
  readonly log: Logger;
}): Authenticator {
  return {
    async authenticate({ session, authorization }): Promise<Authentication> {
      if (authorization !== undefined) {
        const [, token] = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization) ?? [];
        if (token === undefined)
          return {
            kind: 'refused',
            by: 'token',
            why: 'malformed',
            detail: 'The Authorization header must be "Bearer" and a token.',
          };
        return unavailableOnError('token', parts.log, () => parts.tokens.authenticate(token));
      }
      if (session === undefined || session === '') return { kind: 'guest' };
      return unavailableOnError('session', parts.log, () => parts.sessions.authenticate(session));
    },
  };
}

async function unavailableOnError(
  by: 'session' | 'token',
  log: Logger,
  recognise: () => Promise<Authentication>,
): Promise<Authentication> {
  try {
    return await recognise();
  } catch (error) {
    log.error('Failed to authenticate a caller', { by, error });
    return { kind: 'refused', by, why: 'unavailable', detail: 'The accounts are unavailable at the moment.' };
  }
}

export interface CachingAuthenticatorOptions {
  readonly clock: Clock;
  readonly revocations: Pick<Revocations, 'onRevoked'>;
  /** How long an identity is cached. */
  readonly ttlMs?: number;
  /** Maximum number of cached tokens. */
  readonly maxEntries?: number;
}

interface CachedIdentity {
  readonly identity: Identity;
  /** On the monotonic clock. */
  readonly expiresAt: number;
  readonly release: () => void;
}

/**
 * Caches the identity of a Bearer token for a short time, so that a client with a thousand calls a second does not cause as
 * many lookups. A revocation in this replica takes effect at once, and an expired token is never served from the cache.
 */
export function createCachingAuthenticator(
  authenticator: Authenticator,
  options: CachingAuthenticatorOptions,
): Authenticator {
  const { clock, revocations, ttlMs = 5 * SECOND, maxEntries = 10_000 } = options;
  const cache = new Map<string, CachedIdentity>();

  function evict(token: string): void {
    cache.get(token)?.release();
    cache.delete(token);
  }

  function cacheIdentity(token: string, identity: Identity): void {
    const release = revocations.onRevoked(identity.id, () => cache.delete(token));
    evict(token);
    cache.set(token, { identity, expiresAt: clock.monotonic() + ttlMs, release });
    for (const oldest of cache.keys()) {
      if (cache.size <= maxEntries) return;
      evict(oldest);
    }
  }

  return {
    async authenticate(credentials, signal) {
      const { authorization } = credentials;
      if (authorization === undefined) return authenticator.authenticate(credentials, signal);
      const cached = cache.get(authorization);
      if (cached !== undefined) {
        if (cached.expiresAt > clock.monotonic() && cached.identity.expiresAt > clock.now())
          return { kind: 'known', identity: cached.identity };
        evict(authorization);
      }
      const answer = await authenticator.authenticate(credentials, signal);
      if (answer.kind === 'known') cacheIdentity(authorization, answer.identity);
      return answer;
    },
  };
}
