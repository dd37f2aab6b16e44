import type { Logger } from '../telemetry/logger.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { Authentication, Authenticator } from './identity.ts';
import type { Sessions } from './sessions.ts';

/** Recognises a Bearer token or a session cookie. A store that is away is an answer, not an error. */
export function createAuthenticator(parts: {
  readonly sessions: Pick<Sessions, 'recognise'>;
  readonly tokens: Pick<AccessTokens, 'recognise'>;
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
        return guarded('token', parts.log, () => parts.tokens.recognise(token));
      }
      if (session === undefined || session === '') return { kind: 'guest' };
      return guarded('session', parts.log, () => parts.sessions.recognise(session));
    },
  };
}

async function guarded(
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
