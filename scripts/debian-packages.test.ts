import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { installDebianPackages } from './debian-packages.ts';

describe('the Debian packages that the tests use', () => {
  let folder: string;
  let printed: string[];
  const print = (line: string): void => void printed.push(line);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'debian-'));
    printed = [];
    vi.stubEnv('PATH', folder);
    vi.stubEnv('KAWARABAN_NO_APT', '');
    vi.stubEnv('KAWARABAN_RELEASE_CHECK', '');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  function program(name: string, script = ''): void {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}`);
    chmodSync(join(folder, name), 0o755);
  }

  /** The script of `npm test`; its output goes into a file, so that a fake apt-get can see its progress. */
  function npmTest(...args: string[]): { lines: string[]; code: number | null } {
    const printed = join(folder, 'printed');
    const file = openSync(printed, 'a');
    const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'test.ts'), ...args], {
      env: { PATH: folder, TMPDIR: folder, HOME: folder },
      stdio: ['ignore', file, 'ignore'],
    });
    closeSync(file);
    return { lines: readFileSync(printed, 'utf8').trim().split('\n'), code: status };
  }

  it.runIf(process.getuid?.() === 0)('X10 npm test prints what it will install and why first', () => {
    const before = join(folder, 'before');
    program('apt-get', `/bin/cp ${join(folder, 'printed')} ${before}; exit 100`);
    const { lines } = npmTest('src/time/calendar-day');
    const announced = readFileSync(before, 'utf8');
    expect(announced).toContain('redis-server: for the Redis suites');
    expect(announced).toContain('chromium-headless-shell: for the browser suites');
    expect(announced).toContain('npm test -- --no-install');
    expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed, 0 skipped$/);
  });

  it('X10 npm test -- --no-install installs nothing and skips with reasons', () => {
    program('apt-get', `touch ${join(folder, 'asked')}`);
    const { lines, code } = npmTest('--no-install', 'test/grpc/timeline-commands-redis');
    expect(existsSync(join(folder, 'asked'))).toBe(false);
    expect(lines[0]).toContain('Not installed: redis-server, chromium-headless-shell');
    expect(lines.join('\n')).toMatch(/Skipped:\n.*redis-server is not installed/);
    expect(lines.at(-1)).toMatch(/^\d+ passed, 0 failed, [1-9]\d* skipped$/);
    expect(code).toBe(0);
  });

  it('X10 a user at the terminal is asked, and may decline', async () => {
    program('apt-get', `touch ${join(folder, 'asked')}`);
    const questions: string[] = [];
    const confirm = async (question: string): Promise<boolean> => questions.push(question) === 0;
    await installDebianPackages({ install: true, print, confirm, root: true });
    expect(questions).toEqual(['Install them now? [Y/n] ']);
    expect(existsSync(join(folder, 'asked'))).toBe(false);
    expect(printed.join('\n')).toContain('suites will be skipped');
  });

  it('X10 what is missing is installed, and nothing else', async () => {
    for (const name of ['chromium', 'sqlite3', 'grpc_python_plugin', 'openssl', 'systemd-analyze'])
      program(name);
    program('apt-get', `echo "$DEBIAN_FRONTEND $*" >> ${join(folder, 'asked')}`);
    await installDebianPackages({ install: true, print, root: true });
    expect(readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')).toEqual([
      'noninteractive --quiet update',
      'noninteractive --quiet install --yes --no-install-recommends redis-server prometheus',
    ]);
    expect(printed.slice(1, 3)).toEqual([
      '  redis-server: for the Redis suites',
      '  prometheus: for the alert rule suites',
    ]);
  });

  it('X10 the packages for a release are installed only for its check', async () => {
    const names = [
      'redis-server',
      'chromium',
      'promtool',
      'sqlite3',
      'grpc_python_plugin',
      'openssl',
      'systemd-analyze',
    ];
    for (const name of names) program(name);
    program('apt-get', `echo "$*" >> ${join(folder, 'asked')}`);
    vi.stubEnv('KAWARABAN_RELEASE_CHECK', '1');
    await installDebianPackages({ install: true, print, root: true });
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toContain(
      '--no-install-recommends debootstrap buildah',
    );
  });

  it('X10 nothing is printed or done where nothing is missing', async () => {
    const names = [
      'redis-server',
      'chromium',
      'promtool',
      'sqlite3',
      'grpc_python_plugin',
      'openssl',
      'systemd-analyze',
    ];
    for (const name of names) program(name);
    program('apt-get', `touch ${join(folder, 'asked')}`);
    await installDebianPackages({ install: true, print, root: true });
    expect(printed).toEqual([]);
    expect(existsSync(join(folder, 'asked'))).toBe(false);
  });

  it('X10 without the right to install, the suites that will be skipped are named, and how to get them', async () => {
    program('apt-get', `touch ${join(folder, 'asked')}`);
    await installDebianPackages({ install: true, print, root: false });
    vi.stubEnv('KAWARABAN_NO_APT', '1');
    await installDebianPackages({ install: true, print, root: true });
    expect(existsSync(join(folder, 'asked'))).toBe(false);
    expect(printed.join('\n')).toContain(
      'The Redis, browser, alert rule, takeover, Python client, TLS, systemd suites will be skipped.',
    );
    expect(printed.join('\n')).toContain(
      'sudo apt-get install --no-install-recommends redis-server chromium-headless-shell prometheus sqlite3 protobuf-compiler-grpc protobuf-compiler python3-grpcio openssl systemd',
    );
  });

  it('X10 a failing apt-get is reported with its output and stops nothing', async () => {
    program('apt-get', 'echo "E: Could not resolve mirror.example" >&2; exit 100');
    await installDebianPackages({ install: true, print, root: true });
    expect(printed.join('\n')).toContain('E: Could not resolve mirror.example');
  });
});
