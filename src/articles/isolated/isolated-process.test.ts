import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../time/clock.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { IsolatedProcess } from './isolated-process.ts';

const WORK = new URL('../testing/isolated-work.ts', import.meta.url);
const FINE = { outcome: 'done', value: { size: 7, environment: 0 } };

describe('IsolatedProcess', () => {
  let isolated: IsolatedProcess;
  beforeEach(() => {
    isolated = new IsolatedProcess({ clock: systemClock });
  });
  afterEach(() => isolated[Symbol.asyncDispose]());

  const run = (does: string, limitMs = 120_000, signal?: AbortSignal) =>
    isolated.run(WORK, { does, size: 7 }, limitMs, signal);

  it('X6 starts at the first task, without access to the environment', async () => {
    expect(isolated.running).toBe(false);
    expect(await run('answer')).toEqual(FINE);
    expect(isolated.running).toBe(true);
  });

  it('X6 survives tasks that throw, loop, overflow the stack or exhaust memory', async () => {
    const outcomes = await Promise.all([
      run('throw'),
      run('loop', 300),
      run('overflow'),
      run('buffers'),
      run('answer'),
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      'crashed',
      'timeout',
      'crashed',
      'crashed',
      'done',
    ]);
  });

  it('X6 survives the end of the whole process', async () => {
    expect(await run('kill')).toMatchObject({ outcome: 'crashed' });
    expect(await run('answer')).toEqual(FINE);
  });

  it('X6 prevents a task from writing files and starting programs', async () => {
    const path = join(tmpdir(), `kawaraban-must-not-exist-${process.pid}`);
    const written = await isolated.run<string>(WORK, { does: 'write', path }, 120_000);
    const started = await isolated.run<string>(WORK, { does: 'spawn' }, 120_000);
    expect([written, started]).toEqual([
      { outcome: 'done', value: 'ERR_ACCESS_DENIED' },
      { outcome: 'done', value: 'ERR_ACCESS_DENIED' },
    ]);
    expect(existsSync(path)).toBe(false);
  });

  it('X6 prevents a task from changing what the program has compiled', async () => {
    const path = join(getCompileCacheDir() ?? tmpdir(), `kawaraban-must-not-exist-${process.pid}`);
    expect(await isolated.run<string>(WORK, { does: 'write', path }, 120_000)).toEqual({
      outcome: 'done',
      value: 'ERR_ACCESS_DENIED',
    });
    expect(existsSync(path)).toBe(false);
  });

  it('X10 does not keep the program alive when disposed during a task', async () => {
    const clock = new ManualClock();
    const closed = new IsolatedProcess({ clock });
    const work = closed.run(WORK, { does: 'loop', size: 7 }, 60_000);
    await closed[Symbol.asyncDispose]();
    expect(await work).toMatchObject({ outcome: 'crashed' });
    expect(clock.sleeping).toBe(0);
  });

  it('X6 ends a task whose caller aborts', async () => {
    const giveUp = new AbortController();
    const loop = run('loop', 60_000, giveUp.signal);
    const next = run('answer');
    setImmediate(() => giveUp.abort(new Error('enough')));
    await expect(loop).rejects.toThrow('enough');
    expect(await next).toEqual(FINE);
  });

  it.skipIf(process.platform !== 'linux')(
    'X6 ends with the program that started it, even in the middle of a loop',
    async () => {
      const module = new URL('isolated-process.ts', import.meta.url).href;
      const clock = new URL('../../time/clock.ts', import.meta.url).href;
      const program = spawn(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          `import { IsolatedProcess } from '${module}'; import { systemClock } from '${clock}';
         const isolated = new IsolatedProcess({ clock: systemClock });
         await isolated.run(new URL('${WORK.href}'), { does: 'answer' }, 20000);
         void isolated.run(new URL('${WORK.href}'), { does: 'loop' }, 600000);
         console.log('looping'); setInterval(() => {}, 1000);`,
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      await once(program.stdout, 'data');
      const [child] = readFileSync(`/proc/${program.pid}/task/${program.pid}/children`, 'utf8')
        .trim()
        .split(' ');
      expect(Number(child)).toBeGreaterThan(0);
      program.kill('SIGKILL');
      await once(program, 'exit');
      await expect.poll(() => existsSync(`/proc/${child}`)).toBe(false);
    },
  );

  it('X6 passes bytes in and text out', async () => {
    const bytes = Buffer.alloc(3_000_000, 'a');
    expect(await isolated.run(WORK, { does: 'measure', bytes }, 20_000)).toEqual({
      outcome: 'done',
      value: 3_000_000,
    });
  });

  it('X6 there is no process while idle', async () => {
    const clock = new ManualClock();
    const idleProcess = new IsolatedProcess({ clock, idleMs: 1000 });
    expect(await idleProcess.run(WORK, { does: 'answer', size: 7 }, 60_000)).toEqual(FINE);
    await clock.advance(999);
    expect(idleProcess.running).toBe(true);
    expect(await idleProcess.run(WORK, { does: 'answer', size: 7 }, 60_000)).toEqual(FINE);
    await clock.advance(999);
    expect(idleProcess.running).toBe(true);
    await clock.advance(1);
    expect(idleProcess.running).toBe(false);
    expect(await idleProcess.run(WORK, { does: 'answer', size: 7 }, 60_000)).toEqual(FINE);
    await idleProcess[Symbol.asyncDispose]();
    expect(await idleProcess.run(WORK, { does: 'answer', size: 7 }, 60_000)).toMatchObject({
      outcome: 'crashed',
    });
  });
});
