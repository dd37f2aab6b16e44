import { beforeEach, describe, expect, it } from 'vitest';
import { findOrCreateAuthor } from '../app/build-publishers.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { ServiceUnavailableError, UserError } from './rules.ts';
import type { User } from './social-store.ts';
import { retryingUsers, type UserAccounts } from './user-accounts.ts';

const NAME = 'avion.UserService';
const DESK: User = { id: 'u1', name: 'desk', displayName: 'The desk', kind: 'pipeline', createdAt: 0 };

let clock: ManualClock;
let warnings: string[];
/** The user that the service has created. */
let made: User | null;
/** Failures of the next calls, in order; after these it works. */
let failures: Error[];
let calls: number;

const failure = (why: ServiceUnavailableError['why'], passes?: boolean): Error =>
  new ServiceUnavailableError(NAME, why, 'so it is', passes === undefined ? {} : { passes });

const service: UserAccounts = {
  async findUser(name) {
    answer();
    return made?.name === name ? made : null;
  },
  async addUser() {
    // A slow service still does its work: only its reply is late.
    if (made !== null) throw new UserError('taken', made.name);
    made = DESK;
    answer();
    return made;
  },
};

function answer(): void {
  calls += 1;
  const next = failures.shift();
  if (next !== undefined) throw next;
}

const users = (signal?: AbortSignal): UserAccounts =>
  retryingUsers(service, {
    clock,
    log: { ...silentLogger, warn: (line) => void warnings.push(line) },
    random: () => 0.999,
    ...(signal && { signal }),
  });

beforeEach(() => {
  clock = new ManualClock();
  warnings = [];
  made = null;
  failures = [];
  calls = 0;
});

describe('a start while the user service is', () => {
  it.each(['down', 'slow', 'resting', 'garbage'] as const)(
    'C24 %s goes on when it is back, and the log says what it waits for',
    async (why) => {
      failures = [failure(why), failure(why), failure(why)];
      const author = findOrCreateAuthor('desk', 'The desk', users());
      await clock.advance(SECOND + 2 * SECOND + 4 * SECOND);
      await expect(author).resolves.toEqual(DESK);
      expect(warnings).toEqual(
        [1, 2, 4].map((s) => `User service unavailable during startup, retrying in ${s} s`),
      );
    },
  );

  it('C24 so slow that a user is made and its reply is lost: there is one author', async () => {
    const author = findOrCreateAuthor('desk', 'The desk', users());
    // The lookup succeeds at once; the creation does not.
    failures = [failure('slow')];
    await clock.advance(SECOND);
    await expect(author).resolves.toEqual(DESK);
    expect(warnings).toHaveLength(1);
  });

  it('C24 away for longer than two minutes ends with what it said last', async () => {
    failures = Array.from({ length: 100 }, () => failure('down'));
    const author = findOrCreateAuthor('desk', 'The desk', users());
    const ended = expect(author).rejects.toMatchObject({ name: 'ServiceUnavailableError', why: 'down' });
    await clock.advance(3 * MINUTE);
    await ended;
    expect(calls).toBeGreaterThan(10);
    expect(calls).toBeLessThan(20);
  });

  it.each([
    ['does not accept our token', failure('refused')],
    ['is another program', failure('garbage', false)],
    ['refuses the name', new UserError('bad_name', 'desk')],
  ])('one that %s ends at once', async (_why, error) => {
    failures = [error];
    await expect(users().findUser('desk')).rejects.toBe(error);
    expect(warnings).toEqual([]);
    expect(calls).toBe(1);
  });

  it('C24 is stopped while it waits', async () => {
    failures = [failure('down')];
    const stop = new AbortController();
    const waiting = users(stop.signal).findUser('desk');
    await clock.advance(0);
    stop.abort(new Error('stopped by SIGTERM'));
    await expect(waiting).rejects.toThrow('stopped by SIGTERM');
    expect(clock.sleeping).toBe(0);
  });
});
