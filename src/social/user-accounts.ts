import { createHash } from 'node:crypto';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { jitteredBackoff } from '../time/retry.ts';
import { ServiceUnavailableError } from './rules.ts';
import type { SocialStore } from './social-store.ts';

const MAX_NAME_LENGTH = 64;

/** Whether this name is reserved for pipelines and sources. */
export function isQualifiedName(name: string): boolean {
  return name.startsWith('pipeline.') || name.startsWith('source.');
}

/** Fallback name of a pipeline or source whose plain name is taken. IDs have no dot, so it cannot collide with another ID. */
export function qualifiedName(kind: 'pipeline' | 'source', id: string): string {
  const name = `${kind}.${id}`;
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_NAME_LENGTH - 9)}.${hash}`;
}

/** Calls of the user service during startup. */
export type UserAccounts = Pick<SocialStore, 'findUser' | 'addUser'>;

export interface RetryingUsersParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Stops the retries when the program is stopped during startup. */
  readonly signal?: AbortSignal;
  readonly random?: () => number;
}

/** Long enough for a service that is restarted or moved to another machine; a longer outage needs an operator. */
const MAX_OUTAGE_MS = 2 * MINUTE;
const RETRY_BACKOFF = { baseMs: SECOND, capMs: 10 * SECOND };

/**
 * Users at a remote service that may be slow or unavailable for a while: each call is retried. Permanent failures (no
 * permission, another program at that address, a name that is taken) are not retried.
 */
export function retryingUsers(
  users: UserAccounts,
  { clock, log, signal, random = Math.random }: RetryingUsersParts,
): UserAccounts {
  const persist = async <T>(ask: () => Promise<T>): Promise<T> => {
    const began = clock.monotonic();
    for (let failures = 1; ; failures++) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof ServiceUnavailableError) || !error.isTransient) throw error;
        signal?.throwIfAborted();
        const waitMs = jitteredBackoff(failures, RETRY_BACKOFF, random());
        if (clock.monotonic() - began + waitMs > MAX_OUTAGE_MS) throw error;
        const seconds = Math.max(1, Math.round(waitMs / SECOND));
        log.warn(`User service unavailable during startup, retrying in ${seconds} s`, {
          service: error.service,
          failures,
          error,
        });
        await clock.sleep(waitMs, signal);
      }
    }
  };
  return {
    findUser: (idOrName, stop) => persist(() => users.findUser(idOrName, stop)),
    // If the reply to a successful call was lost, the retry finds the name taken.
    addUser: (user) => persist(() => users.addUser(user)),
  };
}
