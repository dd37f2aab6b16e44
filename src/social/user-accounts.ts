import { createHash } from 'node:crypto';
import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { jitteredBackoff } from '../time/retry.ts';
import { ServiceUnavailableError, UserError } from './rules.ts';
import type { SocialStore, User } from './social-store.ts';

const MAX_NAME_LENGTH = 64;

/** Whether only a pipeline or source can have this name. */
export function isQualifiedName(name: string): boolean {
  return name.startsWith('pipeline.') || name.startsWith('source.');
}

/** The name beside the plain one, for a pipeline or source whose own name is taken. IDs have no dot, so no other ID is in its way. */
export function qualifiedName(kind: 'pipeline' | 'source', id: string): string {
  const name = `${kind}.${id}`;
  if (name.length <= MAX_NAME_LENGTH) return name;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_NAME_LENGTH - 9)}.${hash}`;
}

/** What pipelines need of the user service: their authors. */
export interface AuthorAccounts {
  readonly users: Pick<SocialStore, 'findUser' | 'addUser'>;
  /** Retries while the service is unavailable; `null`: the first failure is reported, as a person at a terminal expects. */
  readonly retry: RetryOptions | null;
}

export interface RetryOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the retries: the program is stopped before it has started. */
  readonly signal?: AbortSignal;
  readonly random?: () => number;
}

/** Time for a service to restart or move to another machine; after that an operator has to intervene. */
const MAX_OUTAGE_MS = 2 * MINUTE;
const RETRY_BACKOFF = { baseMs: SECOND, capMs: 10 * SECOND };
const PIPELINE_ACCOUNTS: readonly User['kind'][] = ['pipeline'];

/**
 * The account that a pipeline posts with, created when it is first needed; another replica may create it at the same
 * time. A pipeline never posts as a source, nor as a person who has its name: it takes another name then.
 */
export async function findOrCreateAuthor(
  name: string,
  displayName: string,
  accounts: AuthorAccounts,
  kinds = PIPELINE_ACCOUNTS,
): Promise<User> {
  for (const candidate of [name, qualifiedName('pipeline', name)]) {
    const found = await retried(accounts, ({ users }) => users.findUser(candidate));
    const author = found ?? (await createAuthor(candidate, displayName, accounts));
    if (kinds.includes(author.kind)) return author;
  }
  throw new UserError('taken', qualifiedName('pipeline', name));
}

async function createAuthor(name: string, displayName: string, accounts: AuthorAccounts): Promise<User> {
  try {
    return await retried(accounts, ({ users }) => users.addUser({ name, displayName, kind: 'pipeline' }));
  } catch (error) {
    // Also where a call whose reply was lost did its work.
    if (!(error instanceof UserError) || error.problem !== 'taken') throw error;
    const created = await retried(accounts, ({ users }) => users.findUser(name));
    if (created === null) throw error;
    return created;
  }
}

/** Errors that do not pass by themselves (no permission, another program at that address) are not retried. */
async function retried<T>(
  accounts: AuthorAccounts,
  call: (accounts: AuthorAccounts) => Promise<T>,
): Promise<T> {
  const { retry } = accounts;
  if (retry === null) return call(accounts);
  const { clock, log, signal, random = Math.random } = retry;
  const began = clock.monotonic();
  for (let failures = 1; ; failures++) {
    try {
      return await call(accounts);
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
}
