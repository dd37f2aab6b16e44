import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApp } from '../../app/app.ts';
import { loadConfig } from '../../config/config.ts';
import { silentTelemetry } from '../../telemetry/telemetry.ts';
import { type CliOutput, cli as run } from '../cli.fixture.ts';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'kawaraban-people-'));
  writeFileSync(join(cwd, 'kawaraban.yaml'), 'timelines: {}\nserver: { address: "https://news.example/" }\n');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const cli = (...args: string[]): Promise<CliOutput> => run(['people', ...args], { cwd });
const linkIn = ({ out }: CliOutput): string =>
  /https:\/\/news\.example\/welcome#([\w-]{43})\n/.exec(out)?.[1] ?? '';

/** Redeems a link, as the web page does. */
async function welcome(token: string, name: string): Promise<boolean> {
  const loaded = loadConfig(join(cwd, 'kawaraban.yaml'), {});
  if (!loaded.ok) throw new Error('bad configuration');
  const app = await openApp(loaded.config, {
    telemetry: silentTelemetry,
    version: '0',
    passwordCost: { n: 2 ** 10, r: 8, p: 1 },
  });
  try {
    return (await app.auth.accounts.redeemLink(token, { name, password: 'a long enough one' }, '')).ok;
  } finally {
    await app[Symbol.asyncDispose]();
  }
}

it('X12 people are invited by links from the command line, listed, and removed', async () => {
  expect((await cli('list')).out).toContain('There are no accounts');
  const first = await cli('reset-link');
  expect(first.out).toContain('For the first owner');
  expect(await welcome(linkIn(first), 'hana')).toBe(true);

  const invited = await cli('invite');
  expect(await welcome(linkIn(invited), 'ben')).toBe(true);
  expect(await welcome(linkIn(invited), 'eve')).toBe(false);
  const { people } = JSON.parse((await cli('list', '--json')).out) as { people: { name: string }[] };
  expect(people).toMatchObject([
    { name: 'ben', role: 'reader' },
    { name: 'hana', role: 'owner' },
  ]);

  expect((await cli('reset-link')).out).toContain('For hana, once');
  expect(await cli('reset-link', 'nobody')).toMatchObject({ code: 66 });
  expect((await cli('remove', 'BEN')).out).toContain('can no longer sign in');
  const last = await cli('remove', 'hana');
  expect(last.code).not.toBe(0);
  expect(last.err).toContain('only owner');
});
