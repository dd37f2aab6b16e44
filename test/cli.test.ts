import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INVALID_CONFIGS } from '../src/config/invalid-configs.testdata.ts';
import { Program, type ProgramResult } from './program.ts';

let cwd: string;
const running = new Set<Program>();
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'kawaraban-program-'));
});
afterEach(async () => {
  for (const program of running) await program.kill();
  running.clear();
  rmSync(cwd, { recursive: true, force: true });
});

const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Program => {
  const program = new Program(args, env, cwd);
  running.add(program);
  return program;
};
const kawaraban = (...args: string[]): Promise<ProgramResult> => start(args).ended;

describe('X12 the program from the command line', () => {
  it('X12 --help names every command and every exit code, and exits with 0', async () => {
    const result = await kawaraban('--help');
    expect(result.code).toBe(0);
    for (const name of [
      'init',
      'start',
      'run',
      'status',
      'items',
      'explain',
      'retry',
      'park',
      'resolve',
      'doctor',
      'config',
      'sweep',
      'export',
      'import',
      'sources',
      'judge',
      'interests',
      'press',
    ])
      expect(result.out).toMatch(new RegExp(`^  ${name} `, 'm'));
    for (const code of [0, 1, 2, 65, 66, 69, 73, 74, 78, 130])
      expect(result.out).toMatch(new RegExp(`^ +${code}  \\w`, 'm'));
    expect(result.out.split('\n').every((line) => line.length <= 110)).toBe(true);
  });

  it('X12 help explains a command, also one of a group', async () => {
    const all = await kawaraban('help');
    expect([all.code, all.out]).toEqual([0, (await kawaraban('--help')).out]);
    const one = await kawaraban('help', 'sources', 'add');
    expect([one.code, one.err]).toEqual([0, '']);
    expect(one.out).toBe((await kawaraban('sources', 'add', '--help')).out);
    const unknown = await kawaraban('help', 'statsu');
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('there is no command `statsu`: did you mean `status`?');
  });

  it('X12 an unknown command gets the nearest one suggested; no command gets the help', async () => {
    const wrong = await kawaraban('statsu');
    expect([wrong.code, wrong.out]).toEqual([2, '']);
    expect(wrong.err).toContain('Did you mean status?');
    const none = await kawaraban();
    expect(none.code).toBe(2);
    expect(none.err).toContain('Usage: kawaraban <command>');
    const option = await kawaraban('status', '--jsn');
    expect(option.code).toBe(2);
    expect(option.err).toContain('Did you mean --json?');
  });

  it('X11 config check finds every mistake of the table, without a stack trace', async () => {
    const names = INVALID_CONFIGS.map(({ text }, n) => {
      writeFileSync(join(cwd, `${n}.yaml`), text);
      return `${n}.yaml`;
    });
    const result = await start(['config', 'check', ...names], { HOME: '/root' }).ended;
    expect(result.code).toBe(78);
    const lines = result.out.split('\n');
    for (const [n, { mistake, expected }] of INVALID_CONFIGS.entries()) {
      const own = lines.filter((line) => line.startsWith(`${n}.yaml`));
      expect(
        own.some((line) => line.includes(expected.replace('FILE', `${n}.yaml`))),
        `${mistake}: ${own.join('\n')}`,
      ).toBe(true);
    }
    expect(result.out + result.err).not.toMatch(/^\s+at /m);
    expect(INVALID_CONFIGS.length).toBeGreaterThanOrEqual(40);
  });

  it('X11 nothing is written and nothing starts on a configuration with problems', async () => {
    writeFileSync(join(cwd, 'kawaraban.yaml'), 'sources: [\n');
    for (const command of [['start'], ['status'], ['run', 'x'], ['doctor']]) {
      const result = await kawaraban(...command);
      expect(result.code, command.join(' ')).toBe(command[0] === 'doctor' ? 1 : 78);
      expect(result.out + result.err).toContain('a bracket is opened and not closed');
    }
    expect(readdirSync(cwd)).toEqual(['kawaraban.yaml']);
  });

  it('X12 an unusable data folder is reported in a sentence with its path', async () => {
    writeFileSync(join(cwd, 'file'), '');
    writeFileSync(join(cwd, 'kawaraban.yaml'), 'data: ./file/data\ntimelines: {}\nserver: { port: 0 }\n');
    const result = await kawaraban('start');
    expect(result.code).toBe(73);
    expect(result.err).toContain(join(cwd, 'file'));
    expect(result.err.trim().split('\n')).toHaveLength(1);
  });

  it('X12 a port in use is reported in a sentence, and the program exits', async () => {
    const server: Server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    writeFileSync(join(cwd, 'kawaraban.yaml'), `timelines: {}\nserver: { port: ${port} }\n`);
    const result = await kawaraban('start');
    server.close();
    expect(result.code).toBe(69);
    expect(result.err).toMatch(new RegExp(`port ${port}\\b.* in use`, 'i'));
    expect(result.err).not.toMatch(/^\s+at /m);
  });

  it('X12 a full disk is reported in a sentence, and no partial file remains', async ({ skip }) => {
    const disk = join(cwd, 'disk');
    try {
      execFileSync('sh', ['-c', `mkdir "${disk}" && mount -t tmpfs -o size=32k tmpfs "${disk}"`], {
        stdio: 'ignore',
      });
    } catch {
      skip('a small disk can only be made by root');
    }
    try {
      writeFileSync(join(disk, 'fill'), Buffer.alloc(32 * 1024));
      const result = await new Program(['init', '--recipe', 'curator'], {}, disk).ended;
      expect([result.code, result.err]).toEqual([
        74,
        'kawaraban: kawaraban.yaml cannot be written: the disk is full\n',
      ]);
      expect(readdirSync(disk)).toEqual(['fill']);
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  it('X12 a finished command exits although a timer of a library is left', async () => {
    const timer = 'data:text/javascript,setTimeout(()=>{},3600000)';
    const result = await start(['--help'], { NODE_OPTIONS: `--import=${timer}` }).ended;
    expect(result.code).toBe(0);
    expect(result.out).toContain('kawaraban <command>');
  });

  it('X12 a closed output pipe is no error', async () => {
    const program = start(['--help']);
    program.child.stdout?.destroy();
    expect((await program.ended).err).toBe('');
  });
});

describe('X10 the sample newsroom', () => {
  const env = { KAWARABAN_PORT: '0', KAWARABAN_SIMULATOR_PORT: '0', KAWARABAN_LOG_LEVEL: 'warn' };

  it('X10 starts without set-up, prints that it is the sample and how to create one’s own, and stops cleanly', {
    timeout: 240_000,
  }, async () => {
    const program = start(['start'], env);
    const [, url = ''] = await program.waitForOutput(/Page +(http:\S+)/);
    await program.waitForOutput(/Ctrl-C stops it/);
    expect(program.out).toContain('the sample newsroom is running');
    expect(program.out).toContain('kawaraban init');
    expect((await fetch(`${url}/healthz`)).status).toBeLessThan(500);
    // Other commands find it, and items flow.
    await expect
      .poll(async () => (await start(['items', '--state', 'published', '--json'], env).ended).out, {
        interval: 500,
      })
      .toContain('"state":"published"');
    program.child.kill('SIGINT');
    const result = await program.ended;
    expect([result.code, result.err]).toEqual([
      0,
      expect.stringContaining('The next start continues from here.'),
    ]);
    expect(readdirSync(join(cwd, 'data', 'sample'))).toContain('kawaraban.yaml');
    expect(result.out + result.err).not.toContain(
      readFileSync(join(cwd, 'data', 'sample', '.env'), 'utf8')
        .split('=')[1]
        ?.trim(),
    );
  });

  it('X10 the links of its ranked stories stay on this machine', async () => {
    const program = start(['start', '--json'], env);
    const { url } = JSON.parse((await program.waitForOutput(/^\{.*\}$/m))[0]) as { url: string };
    interface Stories {
      readonly stories: readonly { readonly id: number; readonly url: string }[];
    }
    const read = async (path: string): Promise<unknown> => (await fetch(`${url}/api/v1${path}`)).json();
    const list = async () => ((await read('/stories?set=hackernews')) as Stories).stories;
    await expect.poll(async () => (await list()).length, { timeout: 60_000 }).toBeGreaterThan(0);
    const { sets } = (await read('/stories/sets')) as {
      sets: readonly { readonly name: string; readonly comments: string | null }[];
    };
    const comments = sets.find(({ name }) => name === 'hackernews')?.comments ?? '';
    const stories = await list();
    for (const link of [...stories.map((story) => story.url).filter((one) => one !== ''), comments])
      expect(new URL(link).hostname).toBe('127.0.0.1');
    expect((await fetch(`${comments}${stories[0]?.id}`)).status).toBe(200);
    program.child.kill('SIGTERM');
    expect((await program.ended).code).toBe(0);
  });

  it('X12 SIGTERM is a clean stop as well, and --json reports what started', async () => {
    const program = start(['start', '--json'], env);
    const started = JSON.parse((await program.waitForOutput(/^\{.*\}$/m))[0]) as {
      sample: boolean;
      pipelines: string[];
    };
    expect(started).toMatchObject({
      started: true,
      sample: true,
      pipelines: ['morning', 'ministry', 'videos'],
    });
    program.child.kill('SIGTERM');
    expect((await program.ended).code).toBe(0);
  });

  it('X10 a kawaraban.yaml takes precedence over the sample', async () => {
    writeFileSync(join(cwd, 'kawaraban.yaml'), 'timelines: {}\nserver: { port: 0 }\n');
    const program = start(['start'], { KAWARABAN_LOG_LEVEL: 'warn' });
    await program.waitForOutput(/Ctrl-C stops it/);
    expect(program.out).toContain('Kawaraban is running');
    expect(program.out).not.toContain('sample');
    expect(existsSync(join(cwd, 'data', 'sample'))).toBe(false);
    program.child.kill('SIGINT');
    expect((await program.ended).code).toBe(0);
  });

  it('X12 C24 Ctrl-C does not wait for an open stream, an idle or an unused connection', async () => {
    // Longer than a test may take: a stop that waits does not end.
    writeFileSync(
      join(cwd, 'kawaraban.yaml'),
      'timelines: { stream: { drain: 10m } }\nserver: { port: 0, stop_within: 10m }\n',
    );
    const program = start(['start', '--json'], { KAWARABAN_LOG_LEVEL: 'warn' });
    const { url } = JSON.parse((await program.waitForOutput(/^\{.*\}$/m))[0]) as { url: string };
    const requests = [
      'GET /events/timeline/local HTTP/1.1',
      'GET /events/reader HTTP/1.1',
      'GET /healthz HTTP/1.1',
      null,
    ];
    const sockets = await Promise.all(
      requests.map(async (request) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
        await once(socket, 'connect');
        if (request === null) return socket;
        socket.write(`${request}\r\nHost: h\r\n\r\n`);
        await once(socket, 'data');
        return socket;
      }),
    );
    program.child.kill('SIGINT');
    expect((await program.ended).code).toBe(0);
    for (const socket of sockets) socket.destroy();
  });
});
