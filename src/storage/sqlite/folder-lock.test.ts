import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FolderInUseError, FolderLock } from './folder-lock.ts';

describe('the lock of a data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function otherProcess() {
    const script = `
      import { FolderLock } from './folder-lock.ts';
      globalThis.lock = FolderLock.acquire(${JSON.stringify(folder)}, 'a newsroom');
      console.log('held');
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    return child;
  }

  it('refuses a second process and names the holder', async () => {
    const child = await otherProcess();
    expect(() => FolderLock.acquire(folder, 'a restore')).toThrow(FolderInUseError);
    expect(() => FolderLock.acquire(folder, 'a restore')).toThrow(`a newsroom (process ${child.pid} on `);
  });

  it('is released when its process ends, even when killed', async () => {
    const child = await otherProcess();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = FolderLock.acquire(folder, 'a restore');
    await lock[Symbol.asyncDispose]();
    const again = FolderLock.acquire(folder, 'a restore');
    await again[Symbol.asyncDispose]();
  });
});
