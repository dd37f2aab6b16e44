import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';

/** Work that ignores the stop signal, in a child process. */
function stubbornWork(options: string) {
  const script = `
    import { ShutdownSignal } from './shutdown.ts';
    import { Terminal } from './terminal.ts';
    const { stdin, stdout, stderr, env } = process;
    const stopping = new ShutdownSignal(new Terminal({ stdin, stdout, stderr, env, cwd: '.' }), ${options});
    stopping.signal.addEventListener('abort', () => console.log('asked'));
    setInterval(() => {}, 1000);
    console.log('ready');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: import.meta.dirname,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stderr.resume();
  return child;
}

describe('X12 stopping', () => {
  it('X12 the first Ctrl-C stops gracefully, the second exits at once with 130', async () => {
    const child = stubbornWork('{}');
    const heard = async (): Promise<string> => String((await once(child.stdout, 'data'))[0]).trim();
    expect(await heard()).toBe('ready');
    child.kill('SIGINT');
    expect(await heard()).toBe('asked');
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([130, null]);
  });

  it('X12 work that does not end in time is aborted', async () => {
    const child = stubbornWork('{ withinMs: 50 }');
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([1, null]);
  });
});
