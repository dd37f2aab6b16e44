import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkClock, checkCommand, checkFolder, checkNode, checkPort, checkSpace } from './doctor-checks.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'kawaraban-doctor-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('X12 doctor', () => {
  it('X12 finds the command of a processor by its path or in PATH', async () => {
    const path = folder();
    writeFileSync(join(path, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(path, 'notes.txt'), '');
    const state = async (program: string, search = path) =>
      (await checkCommand('videos', [program, 'x'], path, search)).state;
    expect(await state('./run.sh', '')).toBe('good');
    expect(await state('run.sh')).toBe('good');
    expect(await state('run.sh', '/nowhere')).toBe('bad');
    expect(await state('./notes.txt')).toBe('bad');
    expect(await state('./gone.sh')).toBe('bad');
  });

  it('X12 checks the version of Node', () => {
    expect(['24.1.0', '22.18.0', '22.17.9', '20.20.2'].map((v) => checkNode(v).state)).toEqual([
      'good',
      'good',
      'bad',
      'bad',
    ]);
  });

  it('X12 probes the data folder and leaves no file behind', async () => {
    const path = folder();
    expect((await checkFolder(path)).state).toBe('good');
    expect(readdirSync(path)).toEqual([]);
    expect(await checkFolder(join(path, 'new', 'data'))).toMatchObject({
      state: 'good',
      detail: expect.stringContaining('will be created'),
    });
    writeFileSync(join(path, 'file'), '');
    expect(await checkFolder(join(path, 'file', 'data'))).toMatchObject({
      state: 'bad',
      cure: expect.stringContaining('`data:`'),
    });
    expect((await checkSpace(join(path, 'new', 'data'))).detail).toMatch(/free$/);
  });

  it('X12 detects a port in use', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect((await checkPort('Web port', '127.0.0.1', port)).state).toBe('doubtful');
    expect((await checkPort('Web port', '127.0.0.1', 0)).state).toBe('good');
    expect((await checkPort('Web port', '203.0.113.7', 8080)).state).toBe('bad');
  });

  it('X12 compares the clock with the median of the servers’ clocks', () => {
    expect(checkClock([1000, 2000, 9_000_000]).state).toBe('good');
    expect(checkClock([600_000, 601_000, 0])).toMatchObject({ state: 'bad', detail: '600 s ahead' });
    expect(checkClock([null]).state).toBe('good');
  });
});
