import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Program, type ProgramResult } from './program.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const FULL = /The disk that holds \S+ is full/;

/** The running program, and other commands beside it, on a disk that is full for a while. */
function onFullDisk(
  fill: (data: string) => void,
  free: (data: string) => void,
  mount?: (data: string) => void,
): void {
  let folder: string;
  let program: Program | undefined;
  const data = (): string => join(folder, 'data');
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-full-'));
    mkdirSync(data());
    mount?.(data());
    writeFileSync(join(folder, 'kawaraban.yaml'), 'timelines: {}\nserver: { port: 0, public: true }\n');
  });
  afterEach(async () => {
    await program?.kill();
    if (mount !== undefined) execFileSync('umount', [data()]);
    rmSync(folder, { recursive: true, force: true });
  });
  const command = (...args: string[]): Promise<ProgramResult> => new Program(args, {}, folder).ended;

  it('X12 C24 /readyz, status and doctor report that the disk is full, until space is freed', async () => {
    program = new Program(['start'], { KAWARABAN_LOG_LEVEL: 'silent' }, folder);
    const [, url = ''] = await program.waitForOutput(/Page +(http:\S+)/);
    await program.waitForOutput(/Ctrl-C stops it/);
    const ready = async (): Promise<{ status: number; text: string }> => {
      const response = await fetch(new URL('/readyz', url));
      return { status: response.status, text: await response.text() };
    };
    expect((await ready()).status).toBe(200);
    fill(data());
    expect(await ready()).toEqual({ status: 503, text: expect.stringMatching(FULL) });
    const status = await command('status');
    expect(status.code).not.toBe(0);
    expect(status.err).toMatch(/disk .*is full/);
    const doctor = await command('doctor', '--offline');
    expect(doctor.code).not.toBe(0);
    expect(doctor.out + doctor.err).toMatch(/the disk that holds \S+ is full/);
    free(data());
    expect((await ready()).status).toBe(200);
    expect((await command('status')).code).toBe(0);
  });
}

describe('a disk without space for a small file', () => {
  onFullDisk(
    (data) => symlinkSync('/dev/full', join(data, '.disk-probe')),
    (data) => rmSync(join(data, '.disk-probe')),
  );
});

requires('mount')('a small disk that is full', () => {
  onFullDisk(
    (data) => {
      const { bavail, bsize } = statfsSync(data);
      writeFileSync(join(data, 'ballast'), Buffer.alloc(bavail * bsize));
    },
    (data) => rmSync(join(data, 'ballast')),
    (data) => execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', data]),
  );
});
