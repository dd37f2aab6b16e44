import { beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../telemetry/logger.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { ServiceUnavailableError, UserError } from './rules.ts';
import type { User } from './social-store.ts';
import { type AuthorAccounts, findOrCreateAuthor } from './user-accounts.ts';

const NAME = 'avion.UserService';
const DESK: User = { id: 'u1', name: 'desk', displayName: 'The desk', kind: 'pipeline', createdAt: 0 };

let clock: ManualClock;
let told: string[];
/** What the service has made. */
let made: User | null;
/** What it answers with, one after the other; then it does its work. */
let troubles: Error[];
let asked: number;

const trouble = (why: ServiceUnavailableError['why'], passes?: boolean): Error =>
  new ServiceUnavailableError(NAME, why, 'so it is', passes === undefined ? {} : { passes });

const service: AuthorAccounts['users'] = {
  async findUser(name) {
    answer();
    return made?.name === name ? made : null;
  },
  async addUser() {
    // A slow service does its work after all: only its reply is too late.
    if (made !== null) throw new UserError('taken', made.name);
    made = DESK;
    answer();
    return made;
  },
};

function answer(): void {
  asked += 1;
  const next = troubles.shift();
  if (next !== undefined) throw next;
}

const accounts = (signal?: AbortSignal): AuthorAccounts => ({
  users: service,
  retry: {
    clock,
    log: { ...silentLogger, warn: (line) => void told.push(line) },
    random: () => 0.999,
    ...(signal && { signal }),
  },
});

beforeEach(() => {
  clock = new ManualClock();
  told = [];
  made = null;
  troubles = [];
  asked = 0;
});

describe('a start while the user service is', () => {
  it.each(['down', 'slow', 'resting', 'garbage'] as const)(
    'C24 %s goes on when it is back, and the log says what it waits for',
    async (why) => {
      troubles = [trouble(why), trouble(why), trouble(why)];
      const author = findOrCreateAuthor('desk', 'The desk', accounts());
      await clock.advance(SECOND + 2 * SECOND + 4 * SECOND);
      await expect(author).resolves.toEqual(DESK);
      expect(told).toEqual(
        [1, 2, 4].map((s) => `User service unavailable during startup, retrying in ${s} s`),
      );
    },
  );

  it('C24 so slow that a user is made and its reply is lost: there is one author', async () => {
    const author = findOrCreateAuthor('desk', 'The desk', accounts());
    // Whether there is one was answered at once; the making is not.
    troubles = [trouble('slow')];
    await clock.advance(SECOND);
    await expect(author).resolves.toEqual(DESK);
    expect(told).toHaveLength(1);
  });

  it('C24 away for longer than two minutes ends with what it said last', async () => {
    troubles = Array.from({ length: 100 }, () => trouble('down'));
    const author = findOrCreateAuthor('desk', 'The desk', accounts());
    const ended = expect(author).rejects.toMatchObject({ name: 'ServiceUnavailableError', why: 'down' });
    await clock.advance(3 * MINUTE);
    await ended;
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThan(20);
  });

  it.each([
    ['does not accept our token', trouble('refused')],
    ['is another program', trouble('garbage', false)],
    ['refuses the name', new UserError('bad_name', 'desk')],
  ])('one that %s ends at once', async (_why, error) => {
    troubles = [error];
    await expect(findOrCreateAuthor('desk', 'The desk', accounts())).rejects.toBe(error);
    expect(told).toEqual([]);
    expect(asked).toBe(1);
  });

  it('C24 is stopped while it waits', async () => {
    troubles = [trouble('down')];
    const stop = new AbortController();
    const waiting = findOrCreateAuthor('desk', 'The desk', accounts(stop.signal));
    await clock.advance(0);
    stop.abort(new Error('stopped by SIGTERM'));
    await expect(waiting).rejects.toThrow('stopped by SIGTERM');
    expect(clock.sleeping).toBe(0);
  });
});
