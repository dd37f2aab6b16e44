import { ServiceUnavailableError } from '../social/refusals.ts';
import type { SocialStore } from '../social/services.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { jitteredBackoff } from '../time/retry.ts';

/** What is asked of the user service while the program starts. */
export type Users = Pick<SocialStore, 'findUser' | 'addUser'>;

export interface PatienceParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the waiting: the program is stopped before it has started. */
  readonly signal?: AbortSignal;
  readonly random?: () => number;
}

/** A service that is restarted or moved to another machine is back by then; after that a person should look. */
const LONGEST_AWAY = 2 * MINUTE;
const AGAIN = { baseMs: SECOND, capMs: 10 * SECOND };

/**
 * Users at a service that may be slow or away for a while: each question is asked again until it is answered. What cannot mend
 * itself (no permission, another program at that address, a name that is somebody else's) is not asked twice.
 */
export function patientUsers(
  users: Users,
  { clock, log, signal, random = Math.random }: PatienceParts,
): Users {
  const persist = async <T>(ask: () => Promise<T>): Promise<T> => {
    const began = clock.monotonic();
    for (let failures = 1; ; failures++) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof ServiceUnavailableError) || !error.passes) throw error;
        signal?.throwIfAborted();
        const waitMs = jitteredBackoff(failures, AGAIN, random());
        if (clock.monotonic() - began + waitMs > LONGEST_AWAY) throw error;
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
