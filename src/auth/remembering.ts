import type { Clock } from '../time/clock.ts';
import { SECOND } from '../time/duration.ts';
import type { Authenticator, Identity } from './identity.ts';
import type { Revocations } from './revocations.ts';

export interface RememberingOptions {
  readonly clock: Clock;
  readonly revocations: Pick<Revocations, 'onRevoked'>;
  /** How long an identity counts without being looked at again. */
  readonly forMs?: number;
  /** How many tokens are remembered. */
  readonly most?: number;
}

interface Remembered {
  readonly identity: Identity;
  /** On the monotonic clock. */
  readonly until: number;
  readonly release: () => void;
}

/**
 * Remembers for a moment whom a Bearer token proved, so that a program that calls a thousand times a second is not looked
 * up a thousand times a second. A revocation in this copy is heard at once, and an expired token does not count.
 */
export function remembering(authenticator: Authenticator, options: RememberingOptions): Authenticator {
  const { clock, revocations, forMs = 5 * SECOND, most = 10_000 } = options;
  const known = new Map<string, Remembered>();

  function forget(token: string): void {
    known.get(token)?.release();
    known.delete(token);
  }

  function remember(token: string, identity: Identity): void {
    const release = revocations.onRevoked(identity.id, () => known.delete(token));
    forget(token);
    known.set(token, { identity, until: clock.monotonic() + forMs, release });
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
        if (there.until > clock.monotonic() && there.identity.expiresAt > clock.now())
          return { kind: 'known', identity: there.identity };
        forget(authorization);
      }
      const answer = await authenticator.authenticate(credentials, signal);
      if (answer.kind === 'known') remember(authorization, answer.identity);
      return answer;
    },
  };
}
