import { beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../telemetry/logger.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { ServiceUnavailableError, UserError } from './rules.ts';
import type { User } from './social-store.ts';
import { type AuthorAccounts, findOrCreateAuthor } from './user-accounts.ts';

const NAME = 'avion.UserService';
const AUTHOR: User = { id: 'u1', name: 'daily', displayName: 'The Daily', kind: 'pipeline', createdAt: 0 };

let clock: ManualClock;
let warnings: string[];
/** The user that the service created. */
let created: User | null;
/** Errors of the next calls, in order; later calls succeed. */
let failures: Error[];
let calls: number;

const unavailable = (why: ServiceUnavailableError['why'], passes?: boolean): Error =>
  new ServiceUnavailableError(NAME, why, 'test', passes === undefined ? {} : { passes });

const service: AuthorAccounts['users'] = {
  async findUser(name) {
    answer();
    return created?.name === name ? created : null;
  },
  async addUser() {
    // A slow service creates the user; only its reply is too late.
    if (created !== null) throw new UserError('taken', created.name);
    created = AUTHOR;
    answer();
    return created;
  },
};

function answer(): void {
  calls += 1;
  const next = failures.shift();
  if (next !== undefined) throw next;
}

const accounts = (signal?: AbortSignal): AuthorAccounts => ({
  users: service,
  retry: {
    clock,
    log: { ...silentLogger, warn: (line) => void warnings.push(line) },
    random: () => 0.999,
    ...(signal && { signal }),
  },
});

beforeEach(() => {
  clock = new ManualClock();
  warnings = [];
  created = null;
  failures = [];
  calls = 0;
});

describe('a start while the user service is', () => {
  it.each(['down', 'slow', 'resting', 'garbage'] as const)(
    'C24 %s continues when it recovers, and logs each retry',
    async (why) => {
      failures = [unavailable(why), unavailable(why), unavailable(why)];
      const author = findOrCreateAuthor('daily', 'The Daily', accounts());
      await clock.advance(SECOND + 2 * SECOND + 4 * SECOND);
      await expect(author).resolves.toEqual(AUTHOR);
      expect(warnings).toEqual(
        [1, 2, 4].map((s) => `User service unavailable during startup, retrying in ${s} s`),
      );
    },
  );

  it('C24 so slow that the reply to a creation is lost: there is one author', async () => {
    const author = findOrCreateAuthor('daily', 'The Daily', accounts());
    // The lookup succeeds; the creation does not.
    failures = [unavailable('slow')];
    await clock.advance(SECOND);
    await expect(author).resolves.toEqual(AUTHOR);
    expect(warnings).toHaveLength(1);
  });

  it('C24 down for longer than two minutes fails with the last error', async () => {
    failures = Array.from({ length: 100 }, () => unavailable('down'));
    const author = findOrCreateAuthor('daily', 'The Daily', accounts());
    const ended = expect(author).rejects.toMatchObject({ name: 'ServiceUnavailableError', why: 'down' });
    await clock.advance(3 * MINUTE);
    await ended;
    expect(calls).toBeGreaterThan(10);
    expect(calls).toBeLessThan(20);
  });

  it.each([
    ['does not accept our token', unavailable('refused')],
    ['is another program', unavailable('garbage', false)],
    ['refuses the name', new UserError('bad_name', 'daily')],
  ])('one that %s fails without a retry', async (_why, error) => {
    failures = [error];
    await expect(findOrCreateAuthor('daily', 'The Daily', accounts())).rejects.toBe(error);
    expect(warnings).toEqual([]);
    expect(calls).toBe(1);
  });

  it('C24 can be stopped during a retry delay', async () => {
    failures = [unavailable('down')];
    const stop = new AbortController();
    const waiting = findOrCreateAuthor('daily', 'The Daily', accounts(stop.signal));
    await clock.advance(0);
    stop.abort(new Error('stopped by SIGTERM'));
    await expect(waiting).rejects.toThrow('stopped by SIGTERM');
    expect(clock.sleeping).toBe(0);
  });
});
