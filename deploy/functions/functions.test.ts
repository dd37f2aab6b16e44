import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../scripts/build.ts';
import { freePort } from '../../scripts/free-port.ts';
import { stage } from '../../scripts/package/program.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { newsroomText, publishNews, secretsOf } from '../../test/crash/newsroom-config.ts';
import { NODE } from '../../test/program.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const FRAMEWORK = '@google-cloud/functions-framework';

/** Google's own server of functions, from npm; kept in `build/` for the next time. `null`: npm cannot load it. */
async function functionsFramework(): Promise<string | null> {
  const folder = join(root, 'build', 'functions-framework');
  const program = join(folder, 'node_modules', FRAMEWORK, 'build', 'src', 'main.js');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const args = [
    'install',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--ignore-scripts',
    `${FRAMEWORK}@5.0.5`,
  ];
  return run('npm', args, { cwd: folder }).then(
    () => program,
    () => null,
  );
}

describe('the function for Google Cloud', () => {
  let folder: string;
  let simulator: Simulator;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-function-'));
    simulator = await startSimulator({ discord: { limits: false }, mastodon: { limits: false } });
  });
  afterEach(async () => {
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('I9 A14 is loaded by functions-framework, and runs once however often it is called', async ({
    skip,
  }) => {
    const framework = await functionsFramework();
    if (framework === null) return skip('functions-framework cannot be loaded from npm');
    cpSync(import.meta.dirname, folder, { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
    // The package as it is published.
    await build();
    const published = join(folder, 'node_modules', 'kawaraban');
    stage(published);
    const feed = publishNews(simulator, 'news', 3).url;
    const text = newsroomText({ kind: 'curate', destination: 'webhook', feed }, simulator);
    writeFileSync(join(folder, 'kawaraban.yaml'), text);

    const port = await freePort();
    const child: ChildProcess = spawn(NODE, [framework, '--target=kawaraban', `--port=${port}`], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        ...secretsOf(simulator),
        KAWARABAN_CONFIG: 'kawaraban.yaml',
        KAWARABAN_DATA: join(folder, 'data'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => (printed += String(chunk)));
    const url = `http://127.0.0.1:${port}`;
    await expect
      .poll(() =>
        fetch(`${url}/healthz`).then(
          ({ status }) => status,
          () => printed,
        ),
      )
      .toBe(200);

    const call = async () => {
      const answer = await fetch(`${url}/run/desk`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ scheduledFor: '2026-11-01T09:00:00Z' }),
      });
      return { status: answer.status, ...((await answer.json()) as { outcome?: string }) };
    };
    expect(await call(), printed).toMatchObject({ status: 200, outcome: 'ran' });
    expect(await call(), printed).toMatchObject({ status: 200, outcome: 'done already' });
    expect(simulator.discord.messages()).toHaveLength(1);
  });
});
