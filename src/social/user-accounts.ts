import { createHash } from 'node:crypto';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { jitteredBackoff } from '../time/retry.ts';
import { ServiceUnavailableError } from './rules.ts';
import type { SocialStore } from './social-store.ts';

const MAX_NAME_LENGTH = 64;

/** Whether only a pipeline or source can have this name. */
export function isQualifiedName(name: string): boolean {
  return name.startsWith('pipeline.') || name.startsWith('source.');
}

/** The name beside the plain one, for a pipeline or source whose own name somebody else has. IDs have no dot, so no other ID is in its way. */
export function qualifiedName(kind: 'pipeline' | 'source', id: string): string {
  const name = `${kind}.${id}`;
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_NAME_LENGTH - 9)}.${hash}`;
}

/** What is asked of the user service while the program starts. */
export type UserAccounts = Pick<SocialStore, 'findUser' | 'addUser'>;

export interface RetryingUsersParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the waiting: the program is stopped before it has started. */
  readonly signal?: AbortSignal;
  readonly random?: () => number;
}

/** A service that is restarted or moved to another machine is back by then; after that a person should look. */
const MAX_OUTAGE_MS = 2 * MINUTE;
const RETRY_BACKOFF = { baseMs: SECOND, capMs: 10 * SECOND };

/**
 * Users at a service that may be slow or away for a while: each question is asked again until it is answered. What cannot mend
 * itself (no permission, another program at that address, a name that is somebody else's) is not asked twice.
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
        log.warn(`the start waits for the user service; it is asked again in ${seconds} s`, {
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
    // Whether a call whose reply was lost did its work is seen by the next: the name is taken then.
    addUser: (user) => persist(() => users.addUser(user)),
  };
}
