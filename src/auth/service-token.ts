import { createHash, timingSafeEqual } from 'node:crypto';
import { type Authenticator, SCOPES } from './identity.ts';

/** Accepts the configured service token in addition to other credentials. */
export function withServiceToken(authenticator: Authenticator, token: () => string): Authenticator {
  return {
    async authenticate(credentials, signal) {
      const presented = /^Bearer (\S+)$/i.exec(credentials.authorization ?? '')?.[1];
      if (presented === undefined || !constantTimeEqual(presented, token()))
        return authenticator.authenticate(credentials, signal);
      return {
        kind: 'known',
        identity: {
          userId: '',
          name: 'service',
          role: 'owner',
          scopes: new Set(SCOPES),
          expiresAt: Number.POSITIVE_INFINITY,
          credential: 'service',
          id: 'service',
        },
      };
    },
  };
}

/** Constant-time comparison. */
function constantTimeEqual(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
