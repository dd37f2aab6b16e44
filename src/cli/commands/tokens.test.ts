import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { emulatorForThisFile, freshProject } from '../../../test/emulators.ts';
import { forThisFile, startRedis } from '../../../test/redis.ts';
import { requires } from '../../../test/requirements.ts';
import { StreamReader } from '../../../test/stream-reader.ts';
import type { App } from '../../app/app.ts';
import type { AccessToken } from '../../auth/account-store.ts';
import { loadConfig } from '../../config/config.ts';
import type { Drop } from '../../social/social-store.ts';
import { DAY, HOUR } from '../../time/duration.ts';
import { type CliOutput, cli as run } from '../cli.fixture.ts';
import { loadApp } from '../command.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const pollOptions = { timeout: 60_000, interval: 50 };

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'kawaraban-tokens-cli-'));
});
afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
});

const configure = (rest: string): void =>
  writeFileSync(join(cwd, 'kawaraban.yaml'), `server: { port: 0 }\n${rest}\n`);
const cli = (...args: string[]): Promise<CliOutput> => run(args, { cwd });
async function json<T>(...args: string[]): Promise<T> {
  const result = await cli(...args, '--json');
  expect(result.code, result.err).toBe(0);
  return JSON.parse(result.out) as T;
}

async function beside(work: (url: string, app: App) => Promise<void>): Promise<void> {
  const config = loadConfig(join(cwd, 'kawaraban.yaml'), {});
  if (!config.ok) throw new Error(JSON.stringify(config.problems));
  await using app = await loadApp(config.config);
  await using serving = await app.serve();
  await work(serving.url, app);
}

/** Runs the command line beside a running program on the same data. */
function besideTheProgram(): void {
  it('X12 C5 C23 a person’s token from the command line reads home, is listed, and ends when it is revoked', () =>
    beside(async (url) => {
      for (const name of ['ann', 'ben']) await json('users', 'add', name);
      await json('users', 'follow', 'ann', 'ben');
      const { drop } = await json<{ drop: Drop }>('drop', 'post', 'hello', '--as', 'ben');
      const made = await cli('tokens', 'create', 'ann', '--label', 'a script', '--expires', '12h');
      expect(made.out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
      expect(made.err).toMatch(/^Token of ann, valid until .*, to read\. It is not shown again\.\n$/);
      const headers = { authorization: `Bearer ${made.out.trim()}` };
      const home = async (): Promise<[number, unknown]> => {
        const answer = await fetch(`${url}/api/v1/timelines/home`, { headers });
        const { drops = [] } = (await answer.json()) as { drops?: Drop[] };
        return [answer.status, drops.map(({ id }) => id)];
      };
      await expect.poll(home, pollOptions).toEqual([200, [drop.id]]);
      // The token has only the scope `read`.
      const posting = await fetch(`${url}/api/v1/drops`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"text":"x"}',
      });
      expect(posting.status).toBe(403);

      const { tokens } = await json<{ tokens: AccessToken[] }>('tokens', 'list', 'ann');
      expect(tokens).toMatchObject([{ label: 'a script', scopes: ['read'], revokedAt: null }]);
      const [{ id, createdAt, expiresAt }] = tokens as [AccessToken];
      expect(expiresAt - createdAt).toBe(12 * HOUR);
      expect((await cli('tokens', 'list', 'ann')).out).toMatch(/a script +read .* kt_/);
      // Users with a token are listed, so that all access can be revoked in one place.
      expect(await json('people', 'list')).toMatchObject({ people: [{ name: 'ann', role: 'reader' }] });

      expect(await json('tokens', 'revoke', 'ann', id)).toEqual({ revoked: id });
      await expect.poll(home, pollOptions).toEqual([401, []]);
      expect((await cli('tokens', 'list', 'ann')).out).toMatch(/ revoked \d/);
      expect(await cli('tokens', 'revoke', 'ann', id)).toMatchObject({ code: 66 });
    }));

  it('X12 C20 a drop posted on the command line arrives in a stream opened with a token from there', () =>
    beside(async (url) => {
      for (const name of ['ann', 'ben']) await json('users', 'add', name);
      await json('users', 'follow', 'ann', 'ben');
      const { token, ...made } = await json<{ token: string; scopes: string[] }>(
        ...['tokens', 'create', 'ann', '--scope', 'read', 'write'],
      );
      expect(made.scopes).toEqual(['read', 'write']);
      const reader = await StreamReader.open(`${url}/events/timeline/home`, {
        authorization: `Bearer ${token}`,
      });
      try {
        await expect.poll(() => reader.lastId, pollOptions).not.toBe('');
        const { drop } = await json<{ drop: Drop }>('drop', 'post', 'hello', '--as', 'ben');
        await expect.poll(() => reader.drops, pollOptions).toEqual([drop.id]);
      } finally {
        reader.close();
      }
    }));
}

const REFUSALS: readonly (readonly [args: readonly string[], code: number, words: string])[] = [
  [['create', 'unknown'], 66, 'there is no user "unknown"'],
  [['list', 'unknown'], 66, 'there is no user "unknown"'],
  [['revoke', 'unknown', 'kt_1'], 66, 'there is no user "unknown"'],
  [['revoke', 'ann', 'kt_1'], 66, 'ann has no valid token "kt_1": `kawaraban tokens list ann`'],
  [['create', 'daily'], 2, '"daily" is a pipeline: only people have tokens'],
  [['create', 'ann', '--scope', 'control'], 2, 'ann is a reader'],
  [['create', 'ann', '--scope', 'everything'], 2, 'read, write, control'],
  [['create', 'ann', '--expires', '400d'], 2, '1m to 366d'],
  [['create', 'ann', '--expires', 'soon'], 2, '1m to 366d'],
  [['create', 'ann', '--label', ' '], 2, '1 to 100 characters'],
];

describe('tokens from the command line', () => {
  beforeEach(() => configure('timelines: {}'));
  besideTheProgram();

  it('X12 a person with an account keeps it, and only an owner’s token may control', () =>
    beside(async (_, { auth }) => {
      const link = await auth.accounts.ownerLink();
      await auth.accounts.redeemLink(link?.token ?? '', { name: 'hana', password: 'a long enough one' }, '');
      const [before] = await auth.accounts.list();
      const made = await json<AccessToken>('tokens', 'create', 'hana', '--scope', 'read', 'control');
      expect(made).toMatchObject({ label: 'command line', scopes: ['read', 'control'] });
      expect(made.expiresAt - made.createdAt).toBe(90 * DAY);
      expect(await auth.accounts.list()).toEqual([before]);
    }));

  it('X12 refuses invalid requests with a sentence, and changes nothing', async () => {
    await json('users', 'add', 'ann');
    await json('users', 'add', 'daily', '--kind', 'pipeline');
    for (const [args, code, words] of REFUSALS) {
      const result = await cli('tokens', ...args);
      expect(result.err).toContain(words);
      expect(result.code, args.join(' ')).toBe(code);
    }
    expect((await cli('tokens', 'list', 'ann')).out).toBe('ann has no tokens.\n');
    expect(await json('people', 'list')).toEqual({ people: [] });
  });
});

requires('gcloud', 'redis-server')('tokens from the command line, on Firestore and Redis', () => {
  const firestore = emulatorForThisFile('firestore');
  const redis = forThisFile(() => startRedis());
  beforeEach(() =>
    configure(`timelines: {}
engine:
  kind: distributed
  project: ${freshProject()}
  firestore: { emulator: '${firestore.host}' }
  redis: { nodes: ['${redis().address}'], prefix: '${freshProject()}:' }`),
  );
  besideTheProgram();
});
