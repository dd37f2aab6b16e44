import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { installDebianPackages } from './debian-packages.ts';

describe('the Debian packages that the tests use', () => {
  let folder: string;
  let said: string[];
  const say = (line: string): void => void said.push(line);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'debian-'));
    said = [];
    vi.stubEnv('PATH', folder);
    vi.stubEnv('KAWARABAN_NO_APT', '');
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  function program(name: string, script = ''): void {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}`);
    chmodSync(join(folder, name), 0o755);
  }

  it('X10 what is missing is installed, and nothing else', () => {
    for (const name of ['chromium', 'grpc_python_plugin']) program(name);
    program('apt-get', `echo "$DEBIAN_FRONTEND $*" >> ${join(folder, 'asked')}`);
    installDebianPackages(say, true);
    expect(readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')).toEqual([
      'noninteractive --quiet update',
      'noninteractive --quiet install --yes --no-install-recommends redis-server prometheus',
    ]);
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('redis-server, prometheus');
  });

  it('X10 nothing is said or done where all is there', () => {
    for (const name of ['redis-server', 'chromium', 'promtool', 'grpc_python_plugin']) program(name);
    program('apt-get', `touch ${join(folder, 'asked')}`);
    installDebianPackages(say, true);
    expect(said).toEqual([]);
    expect(existsSync(join(folder, 'asked'))).toBe(false);
  });

  it('X10 without the right to install, the suites that will be skipped are named, and how to get them', () => {
    program('apt-get', `touch ${join(folder, 'asked')}`);
    installDebianPackages(say, false);
    vi.stubEnv('KAWARABAN_NO_APT', '1');
    installDebianPackages(say, true);
    expect(existsSync(join(folder, 'asked'))).toBe(false);
    expect(said.join('\n')).toContain(
      'The Redis, browser, alert rule, Python client suites will be skipped.',
    );
    expect(said.join('\n')).toContain(
      'sudo apt-get install --no-install-recommends redis-server chromium prometheus protobuf-compiler-grpc protobuf-compiler python3-grpcio',
    );
  });

  it('X10 a failing apt-get is told with its own words and stops nothing', () => {
    program('apt-get', 'echo "E: Could not resolve mirror.example" >&2; exit 100');
    installDebianPackages(say, true);
    expect(said.join('\n')).toContain('E: Could not resolve mirror.example');
  });
});
