import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { Authentication, Authenticator, Identity } from './identity.ts';
import type { Revocations } from './revocations.ts';
import type { Sessions } from './sessions.ts';

/** Recognises a Bearer token or a session cookie. A store that is away is an answer, not an error. */
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
    log.error('somebody could not be recognised', { by, error });
    return { kind: 'refused', by, why: 'unavailable', detail: 'The accounts cannot be read now.' };
  }
}

export interface CachingAuthenticatorOptions {
  readonly clock: Clock;
  readonly revocations: Pick<Revocations, 'onRevoked'>;
  /** How long an identity counts without being looked at again. */
  readonly ttlMs?: number;
  /** How many tokens are remembered. */
  readonly maxEntries?: number;
}

interface CachedIdentity {
  readonly identity: Identity;
  /** On the monotonic clock. */
  readonly expiresAt: number;
  readonly release: () => void;
}

/**
 * Remembers for a moment whom a Bearer token proved, so that a program that calls a thousand times a second is not looked
 * up a thousand times a second. A revocation in this copy is heard at once, and an expired token does not count.
 */
export function createCachingAuthenticator(
  authenticator: Authenticator,
  options: CachingAuthenticatorOptions,
): Authenticator {
  const { clock, revocations, ttlMs: forMs = 5 * SECOND, maxEntries: most = 10_000 } = options;
  const known = new Map<string, CachedIdentity>();

  function forget(token: string): void {
    known.get(token)?.release();
    known.delete(token);
  }

  function remember(token: string, identity: Identity): void {
    const release = revocations.onRevoked(identity.id, () => known.delete(token));
    forget(token);
    known.set(token, { identity, expiresAt: clock.monotonic() + forMs, release });
    for (const oldest of known.keys()) {
      if (known.size <= most) return;
      forget(oldest);
    }
  }

  return {
    async authenticate(credentials, signal) {
      const { authorization } = credentials;
      if (authorization === undefined) return authenticator.authenticate(credentials, signal);
      const there = known.get(authorization);
      if (there !== undefined) {
        if (there.expiresAt > clock.monotonic() && there.identity.expiresAt > clock.now())
          return { kind: 'known', identity: there.identity };
        forget(authorization);
      }
      const answer = await authenticator.authenticate(credentials, signal);
      if (answer.kind === 'known') remember(authorization, answer.identity);
      return answer;
    },
  };
}
