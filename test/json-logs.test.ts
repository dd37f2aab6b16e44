import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Program, type ProgramResult } from './program.ts';

const CONFIG = `
server: { port: 0 }
network: { allow: [127.0.0.1] }
sources: { private: { feed: http://127.0.0.1:9/feed.xml, every: 1s } }
pipelines: { morning: { kind: curate, sources: [private], interests: [{ topic: databases }] } }
`;
/** Prints as Node and packages do, on a signal. */
const NOISE = `process.on('SIGUSR2', () => { process.emitWarning('a warning of Node'); console.error('a package:\\n', { why: 1 }); })`;

describe('JSON logs', () => {
  let folder: string;
  const running = new Set<Program>();
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-json-'));
    writeFileSync(join(folder, 'kawaraban.yaml'), CONFIG);
  });
  afterEach(async () => {
    for (const program of running) await program.kill();
    running.clear();
    rmSync(folder, { recursive: true, force: true });
  });

  function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
    const program = new Program(['start', ...args], env, folder);
    running.add(program);
    return program;
  }

  interface Line {
    readonly level: string;
    readonly time: string;
    readonly message: string;
    readonly url?: string;
  }

  /** Fails where a line is no object in the form of the log. */
  function linesOf({ out, err }: Pick<ProgramResult, 'out' | 'err'>): Line[] {
    const lines = `${out}${err}`.split('\n').filter((line) => line !== '');
    for (const line of lines)
      expect(JSON.parse(line), line).toMatchObject({
        level: expect.stringMatching(/^(debug|info|warn|error)$/),
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        message: expect.any(String),
      });
    return lines.map((line) => JSON.parse(line));
  }

  it.each([
    ['by the environment', [], { KAWARABAN_LOG_FORMAT: 'json', KAWARABAN_LOG_LEVEL: 'error' }],
    ['by --json', ['--json'], {}],
  ] as const)('I16 every line is one JSON object, from the start to the stop, %s', async (_, args, env) => {
    const program = start(args, {
      ...env,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NOISE)}`,
    });
    await program.waitForOutput(/"url":"[^"]+\/welcome#[^"]+"}/);
    if (args.length > 0) await program.waitForOutput(/"level":/, 'err');
    program.child.kill('SIGUSR2');
    await program.waitForOutput(/a package/, 'err');
    program.child.kill('SIGTERM');
    const result = await program.ended;
    expect(result.code, result.err).toBe(0);
    const lines = linesOf(result);
    const owner = lines.filter(({ message }) => message.startsWith('Link that makes you the owner'));
    expect(owner).toEqual([
      expect.objectContaining({ level: 'info', url: expect.stringContaining('/welcome#') }),
    ]);
    expect(lines).toContainEqual(expect.objectContaining({ started: true, pipelines: ['morning'] }));
    expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', message: 'a warning of Node' }));
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: expect.stringMatching(/^a package:\n.*why: 1/) }),
    );
    expect(lines.at(-1)?.message).toBe('Stopped. The next start continues from here.');
  });

  it('I16 a start that fails says why in one JSON object', async () => {
    const port = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void port.close());
    await expect.poll(() => port.listening).toBe(true);
    const used = String((port.address() as { port: number }).port);
    const failures: readonly [string, number, ProgramResult][] = [
      ['is in use', 69, await start(['--json'], { KAWARABAN_PORT: used }).ended],
      ['unknown option', 2, await start(['--json', '--jsn']).ended],
    ];
    writeFileSync(
      join(folder, 'kawaraban.yaml'),
      `${CONFIG}telemetry: { log_format: json }\nservr: 1\nstoris: 2\n`,
    );
    const problems = await start(['--config=kawaraban.yaml']).ended;
    for (const [words, code, result] of [...failures, ['has 2 problems', 78, problems] as const]) {
      const lines = linesOf(result);
      expect([words, result.code]).toEqual([words, code]);
      expect(lines.filter(({ level }) => level === 'error')).toEqual([
        expect.objectContaining({ message: expect.stringContaining(words) }),
      ]);
    }
    writeFileSync(join(folder, 'kawaraban.yaml'), 'sources: [\n');
    expect(linesOf(await start([], { KAWARABAN_LOG_FORMAT: 'json' }).ended)).toEqual([
      expect.objectContaining({ level: 'error', message: expect.stringContaining('a bracket is opened') }),
    ]);
  });
});
