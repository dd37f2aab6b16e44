import type { Clock } from '../time/clock.ts';
import type { Identity } from './identity.ts';
import type { Revocations } from './revocations.ts';

/** A signal that is aborted as soon as the identity no longer counts. `release` ends the watch. */
export interface IdentityLife {
  readonly signal: AbortSignal;
  release(): void;
}

/** How long something that is open for an identity may stay open: until it expires or is revoked. */
export function lifeOf(
  identity: Pick<Identity, 'id' | 'expiresAt'>,
  clock: Clock,
  revocations: Pick<Revocations, 'onRevoked'>,
): IdentityLife {
  const over = new AbortController();
  const released = new AbortController();
  const unwatch = revocations.onRevoked(identity.id, () => over.abort());
  const left = identity.expiresAt - clock.now();
  if (left <= 0) over.abort();
  else if (Number.isFinite(left))
    clock.sleep(left, released.signal).then(
      () => over.abort(),
      () => {},
    );
  return {
    signal: over.signal,
    release() {
      unwatch();
      released.abort();
    },
  };
}
