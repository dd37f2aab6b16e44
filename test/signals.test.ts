import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FolderLock } from '../src/storage/sqlite/folder-lock.ts';
import { NEW_PID_NAMESPACE, requires } from './requirements.ts';

vi.setConfig({ testTimeout: 120_000 });

const ROOT = join(import.meta.dirname, '..');
const STOPPED = 'Stopped. The next start continues from here.';

/** A newsroom as a person starts it, with every process between the person and the program. */
class StartedNewsroom {
  readonly child: ChildProcess;
  readonly data: string;
  /** All processes that could write to its output have ended. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  output = '';

  constructor(command: readonly string[]) {
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-signals-'));
    this.data = join(folder, 'data');
    writeFileSync(join(folder, 'kawaraban.yaml'), 'timelines: {}\nserver: { port: 0 }\n');
    const [program = '', ...args] = command;
    this.child = spawn(program, args, {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        KAWARABAN_CONFIG: join(folder, 'kawaraban.yaml'),
        KAWARABAN_DATA: this.data,
        KAWARABAN_LOG_LEVEL: 'warn',
      },
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal }));
    onTestFinished(async () => {
      for (const pid of this.group()) kill(pid, 'SIGKILL');
      await this.ended;
      rmSync(folder, { recursive: true, force: true });
    });
  }

  /** URL of the page. */
  async url(): Promise<string> {
    await this.waitForOutput('Ctrl-C stops it');
    return /Page +(http:\S+)/.exec(this.output)?.[1] ?? '';
  }

  async waitForOutput(words: string): Promise<void> {
    while (!this.output.includes(words)) {
      const { stdout, stderr } = this.child;
      if (stdout === null || stderr === null) throw new Error('no output');
      const over = new AbortController();
      await Promise.race([
        ...[stdout, stderr].map((stream) => once(stream, 'data', { signal: over.signal })),
        this.ended.then(() => {
          throw new Error(`it ended with this output:\n${this.output}`);
        }),
      ]).finally(() => over.abort());
    }
  }

  /** Living processes of its group, by the kernel's list. */
  group(): number[] {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => {
        const [state, , group] = stat(pid);
        return Number(group) === this.child.pid && state !== 'Z';
      });
  }

  pidOf(words: RegExp): number {
    const found = this.group().find((pid) => words.test(read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')));
    if (found === undefined) throw new Error(`there is no process ${words}`);
    return found;
  }
}

const WRAPPER = /^node \S*with-setup\.mjs/;
const PROGRAM = /main\.ts start/;

async function expectEnded(started: StartedNewsroom, url: string): Promise<void> {
  await started.ended;
  expect(started.output).toContain(STOPPED);
  // A process closes its output a moment before it ends.
  await expect.poll(() => started.group()).toEqual([]);
  await expect(fetch(url)).rejects.toThrow();
  await FolderLock.acquire(started.data, 'a test')[Symbol.asyncDispose]();
}

describe('X12 signals reach the program', () => {
  it.each([
    ['SIGTERM', 0],
    ['SIGINT', 0],
    ['SIGHUP', null],
    ['SIGKILL', null],
  ] as const)('X12 %s to npm stops the newsroom cleanly', async (signal, code) => {
    const started = new StartedNewsroom(['npm', 'start']);
    const url = await started.url();
    kill(started.child.pid ?? 0, signal);
    await expectEnded(started, url);
    expect(await started.ended).toEqual({ code, signal: code === null ? signal : null });
  });

  it.each(['SIGHUP', 'SIGKILL'] as const)(
    'X12 %s to the process that set it up stops the newsroom cleanly',
    async (signal) => {
      const started = new StartedNewsroom(['npm', 'start']);
      const url = await started.url();
      kill(started.pidOf(WRAPPER), signal);
      await expectEnded(started, url);
    },
  );

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'X12 %s to all of its processes at once, as systemd and a terminal send it, is one request to stop',
    async (signal) => {
      const started = new StartedNewsroom(['npm', 'start']);
      const url = await started.url();
      kill(-(started.child.pid ?? 0), signal);
      await expectEnded(started, url);
    },
  );

  it('X12 SIGTERM to npx, whose shell forwards no signal, stops the newsroom cleanly', async () => {
    const started = new StartedNewsroom(['npx', 'kawaraban', 'start']);
    const url = await started.url();
    kill(started.child.pid ?? 0, 'SIGTERM');
    await expectEnded(started, url);
  });

  it('X12 a newsroom in the background outlives the shell that started it', async () => {
    const started = new StartedNewsroom(['sh', '-c', 'npm start &']);
    await once(started.child, 'exit');
    const url = await started.url();
    const program = started.pidOf(PROGRAM);
    // Two intervals of the check for a dead parent.
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    kill(program, 'SIGTERM');
    await expectEnded(started, url);
  });
});

requires('pid-namespace')('X12 the program as PID 1 of a container', () => {
  /** The program in a PID namespace of its own, and its PID outside of it. */
  async function startAsFirst(): Promise<{ started: StartedNewsroom; url: string; pid: number }> {
    // As `kawaraban` of the image does, in the same process.
    const started = new StartedNewsroom([
      'unshare',
      ...NEW_PID_NAMESPACE,
      process.execPath,
      join(ROOT, 'bin', 'kawaraban.mjs'),
      'start',
    ]);
    const url = await started.url();
    const pid = started.pidOf(/^(?!unshare).*kawaraban\.mjs start/);
    expect(/^NSpid:.*\t(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1]).toBe('1');
    return { started, url, pid };
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('X12 %s stops the newsroom cleanly', async (signal) => {
    const { started, url, pid } = await startAsFirst();
    kill(pid, signal);
    await expectEnded(started, url);
    expect(await started.ended).toEqual({ code: 0, signal: null });
  });

  it('X12 orphaned processes do not prevent it from stopping', async () => {
    const { started, url, pid } = await startAsFirst();
    // Their parent ends before they do, so PID 1 adopts them.
    const script = 'sleep 600 & sleep 600 & exit 0';
    const parent = spawn('nsenter', ['--target', String(pid), '--pid', 'sh', '-c', script], {
      stdio: 'ignore',
    });
    await once(parent, 'exit');
    // The program has children of its own, too.
    const left = (): number[] =>
      childrenOf(pid).filter(
        (child) => stat(child)[0] !== 'Z' && read(`/proc/${child}/comm`).trim() === 'sleep',
      );
    await expect.poll(() => left().length).toBe(2);
    kill(left()[0] ?? 0, 'SIGKILL');
    await expect.poll(() => left().length).toBe(1);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    kill(pid, 'SIGTERM');
    await expectEnded(started, url);
    expect(await started.ended).toEqual({ code: 0, signal: null });
  });
});

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number(stat(pid)[1]) === parent);
}

function stat(pid: number): string[] {
  // The name, in parentheses, may hold anything.
  return read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}
