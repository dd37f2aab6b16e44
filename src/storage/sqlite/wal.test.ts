import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WalFlusher } from './wal.ts';

describe('the log flusher', () => {
  let folder: string;
  let rows: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-log-'));
    rows = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const commits = (flusher: WalFlusher, each: number): void => {
    for (let n = 0; n < 8; n++) {
      rows += each;
      flusher.committed();
    }
  };

  it('flushes the log after many writes, not after a few', async () => {
    const path = join(folder, 'a.db');
    writeFileSync(`${path}-wal`, 'frames');
    const flusher = new WalFlusher(path, () => rows);
    const idle = new WalFlusher(path, () => rows);
    commits(idle, 1);
    await idle[Symbol.asyncDispose]();
    expect(idle.flushes).toBe(0);
    commits(flusher, 200);
    await expect.poll(() => flusher.flushes).toBe(1);
    commits(flusher, 200);
    await expect.poll(() => flusher.flushes).toBe(2);
    await flusher[Symbol.asyncDispose]();
  });

  it('flushes one at a time, and is awaited on disposal', async () => {
    const path = join(folder, 'b.db');
    writeFileSync(`${path}-wal`, 'frames');
    const flusher = new WalFlusher(path, () => rows);
    for (let n = 0; n < 5; n++) commits(flusher, 200);
    await flusher[Symbol.asyncDispose]();
    expect(flusher.flushes).toBe(1);
  });

  it('a missing log causes no error, and is not created', async () => {
    const path = join(folder, 'c.db');
    const flusher = new WalFlusher(path, () => rows);
    commits(flusher, 200);
    await flusher[Symbol.asyncDispose]();
    expect(flusher.flushes).toBe(0);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });
});
