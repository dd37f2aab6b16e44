import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import { build as buildExecutable, COMPILED } from '../../scripts/package/executable.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import type { ProcessReply } from '../../src/articles/isolated/isolated-process.ts';
import { documents } from '../../src/articles/pdf/documents.testdata.ts';
import { RECIPES } from '../../src/cli/recipes.ts';
import { Program } from '../program.ts';
import { requires } from '../requirements.ts';

/** The libraries of C and of C++: Debian's libc6, libgcc-s1, libstdc++6 and libatomic1. */
const LIBRARIES = /^(?:ld-linux.*|lib(?:c|dl|m|pthread|gcc_s|stdc\+\+|atomic))\.so\.\d+$/;
const PDFS = join(import.meta.dirname, '../../src/articles/testdata/pdf');
/** Where the executable mounts its files. */
const MOUNTED = '/dev/null/vfs/0';
const BUILD_TIMEOUT_MS = 600_000;

const CHROOT = '/usr/sbin/chroot';
const IN_CHROOT = process.getuid?.() === 0;

requires('release-check')(`the executable ${IN_CHROOT ? 'in an empty root' : 'in an empty folder'}`, () => {
  let folder: string;
  let executable: string;
  let libraries: readonly string[];
  let running: Program[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-executable-'));
    executable = join(folder, 'kawaraban');
    copyFileSync(await buildExecutable(), executable);
    libraries = execFileSync('ldd', [executable], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
    for (const path of libraries) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      copyFileSync(path, join(folder, path));
    }
    mkdirSync(join(folder, 'tmp'));
    // A child process without input opens it; a plain file will do.
    mkdirSync(join(folder, 'dev'));
    writeFileSync(join(folder, 'dev', 'null'), '');
  }, BUILD_TIMEOUT_MS);
  afterEach(async () => {
    await Promise.all(running.map((program) => program.kill()));
    running = [];
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The command that runs the executable: no shell, no /etc, no /proc, and no environment. */
  const command = (args: readonly string[]): [string, ...string[]] =>
    IN_CHROOT ? [CHROOT, folder, '/kawaraban', ...args] : [executable, ...args];
  function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
    const [node, program = '', ...rest] = command(args);
    const nothing = { PATH: undefined, NODE_COMPILE_CACHE: undefined };
    const started = new Program(rest, { ...nothing, ...env }, folder, { node, program });
    running.push(started);
    return started;
  }
  async function run(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
    const { code, out, err } = await start(args, env).ended;
    expect(code, err).toBe(0);
    return out;
  }
  const place = (path: string): string => (IN_CHROOT ? path : join(folder, path));
  const files = (): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => !path.startsWith('data'))
      .toSorted();

  it('I4 needs nothing but the libraries of C and C++', () => {
    expect(libraries.map((path) => basename(path)).filter((name) => !LIBRARIES.test(name))).toEqual([]);
  });

  it('I4 checkpoints many stories in a thread, which finds its module in the executable', async () => {
    await using simulator = await startSimulator({ port: 0, epoch: 0 });
    const { hackernews } = simulator.urls;
    writeFileSync(
      join(folder, 'backfill.yaml'),
      `stories: { enabled: true, source: hackernews, base_url: '${hackernews}' }\nnetwork: { allow: ['127.0.0.1'] }\n`,
    );
    const env = { KAWARABAN_DATA: place('/data-stories') };
    const range = ['50000000', '50008000'];
    const program = start(['stories', 'backfill', ...range, '--json', '--config', 'backfill.yaml'], env);
    // One that does not find its module ends at once, and the next checkpoint starts another one.
    const threads = new Set<string>();
    const watching = setInterval(() => {
      for (const id of threadsOf(program)) threads.add(id);
    }, 5);
    const { code, out, err } = await program.ended.finally(() => clearInterval(watching));
    expect(code, err).toBe(0);
    expect(JSON.parse(out).tally.added).toBeGreaterThan(4000);
    expect(threads.size).toBe(1);
  });

  it('I4 knows its version, and writes each recipe', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
      version: string;
    };
    expect(await run(['--version'])).toBe(`${version}\n`);
    for (const { name } of RECIPES) {
      await run(['init', '--recipe', name, '--config', `${name}.yaml`]);
      // An editor cannot open the schema inside.
      expect(readFileSync(join(folder, `${name}.yaml`), 'utf8')).not.toContain('$schema');
    }
    // It needs no secrets.
    expect(await run(['config', 'check', '--config', 'reader.yaml'])).toContain('reader.yaml is valid');
  });

  it('I4 shows the page with items, reads articles and PDFs in its isolated process, and ends cleanly', async () => {
    const before = files();
    const env = { KAWARABAN_DATA: place('/data'), KAWARABAN_PORT: '0', KAWARABAN_SIMULATOR_PORT: '0' };
    const program = start(['start', '--sample'], env);
    const [, url = ''] = await program.waitForOutput(/Page +(http\S+)/);

    const page = await fetch(url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const [script = ''] = /\/assets\/[^"]+\.js/.exec(await page.text()) ?? [];
    expect((await fetch(url + script)).status).toBe(200);
    await expect
      .poll(async () => (await fetch(`${url}/api/v1/timelines/local`)).text())
      .toMatch(/^{"drops":\[{/);

    // An article gets its score from the text that the isolated process has read.
    const articles = async (): Promise<unknown> =>
      JSON.parse(await run(['items', '--pipeline', 'morning', '--state', 'published', '--json'], env));
    await expect.poll(async () => JSON.stringify(await articles())).toMatch(/"score":\d/);
    expect(await run(['status'], env)).toMatch(/^morning +curate /m);

    const isolated = await isolatedProcessOf(program);
    program.child.kill('SIGTERM');
    const { code, err } = await program.ended;
    expect([code, err]).toEqual([0, expect.stringMatching(/^\nStopping .+\nStopped\. .+\n$/)]);
    // Nothing was unpacked.
    expect(files()).toEqual(before);

    // The same process as the program started it, at the end of our own channel.
    const sandbox = new Sandbox(command(isolated), folder);
    onTestFinished(() => sandbox[Symbol.asyncDispose]());
    const attempts = `data:text/javascript,${encodeURIComponent(ATTEMPTS)}`;
    expect(await sandbox.run(attempts, { accounts: place('/data/accounts.db') })).toEqual({
      read: 'ERR_ACCESS_DENIED',
      write: 'ERR_ACCESS_DENIED',
      spawn: 'ERR_ACCESS_DENIED',
      thread: 'ERR_ACCESS_DENIED',
      connect: 'ERR_ACCESS_DENIED',
      environment: 0,
    });
    const task = readdirSync(join(COMPILED, 'chunks')).find((name) =>
      name.startsWith('extract-pdf-text-task'),
    );
    for (const [file, expected] of documents.filter(([name]) => /english|japanese/.test(name))) {
      const input = { bytes: readFileSync(join(PDFS, file)), maxPages: 20, maxCharacters: 10_000 };
      expect(await sandbox.run(`file://${MOUNTED}/dist/chunks/${task}`, input)).toMatchObject(expected);
    }
  });
});

/** What a task must not do, as a module. */
const ATTEMPTS = `
  import { readFileSync, writeFileSync } from 'node:fs';
  import { spawnSync } from 'node:child_process';
  import { connect } from 'node:net';
  import { Worker } from 'node:worker_threads';
  const code = (attempt) => { try { attempt(); return 'allowed'; } catch (error) { return error.code; } };
  const failed = (socket) => new Promise((resolve) => socket.on('error', (error) => resolve(error.code)).on('connect', resolve));
  export default async ({ accounts }) => ({
    read: code(() => readFileSync(accounts)),
    write: code(() => writeFileSync(\`\${accounts}.new\`, '')),
    spawn: code(() => spawnSync(process.execPath, ['--version'])),
    thread: code(() => new Worker('', { eval: true, execArgv: [] })),
    connect: await failed(connect(9, '127.0.0.1')),
    environment: Object.keys(process.env).length,
  });
`;

/** The isolated process of the executable, which answers to the test instead of to the program. */
class Sandbox implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  constructor([file, ...args]: readonly [string, ...string[]], folder: string) {
    this.#child = spawn(file, args, {
      cwd: folder,
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#exited = once(this.#child, 'exit');
  }

  async run(task: string, input: unknown): Promise<unknown> {
    this.#child.send({ id: 1, task, input, limitMs: 240_000 });
    const [{ outcome }] = (await once(this.#child, 'message')) as [ProcessReply];
    if (outcome.outcome !== 'done') throw new Error(JSON.stringify(outcome));
    return outcome.value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#exited;
  }
}

/** Arguments of the isolated process, which comes and goes. */
async function isolatedProcessOf({ child: { pid } }: Program): Promise<string[]> {
  let found: string[] | undefined;
  await expect
    .poll(() => {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
      found = children
        .map((id) => readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').slice(1, -1))
        .find((args) => args.some((arg) => arg.includes('/process-entry-')));
      return found;
    })
    .toBeDefined();
  return found ?? [];
}

/** IDs of its threads in JavaScript, without those of Node itself. */
function threadsOf({ child: { pid } }: Program): string[] {
  const folder = `/proc/${pid}/task`;
  try {
    return readdirSync(folder).filter(
      (id) => readFileSync(join(folder, id, 'comm'), 'utf8') === 'WorkerThread\n',
    );
  } catch {
    // The program, or one of its threads, has ended.
    return [];
  }
}
