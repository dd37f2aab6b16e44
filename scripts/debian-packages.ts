import { spawnSync } from 'node:child_process';
import { findProgram } from './find-program.ts';

const PACKAGES: readonly {
  readonly program: string;
  readonly name: string;
  /** Packages that go with it and bring no program of their own. */
  readonly also?: readonly string[];
  readonly suites: string;
}[] = [
  { program: 'redis-server', name: 'redis-server', suites: 'Redis' },
  { program: 'chromium', name: 'chromium', suites: 'browser' },
  { program: 'promtool', name: 'prometheus', suites: 'alert rule' },
  {
    program: 'grpc_python_plugin',
    name: 'protobuf-compiler-grpc',
    also: ['protobuf-compiler', 'python3-grpcio'],
    suites: 'Python client',
  },
];

/**
 * Brings in the Debian packages that the tests use, where that may be done: as root, with apt-get, and not switched
 * off by `KAWARABAN_NO_APT`. Otherwise says which suites will be skipped.
 */
export function installDebianPackages(say: (line: string) => void, root = process.getuid?.() === 0): void {
  const missing = PACKAGES.filter(({ program }) => findProgram(program) === null);
  if (missing.length === 0) return;
  const names = missing.flatMap(({ name, also = [] }) => [name, ...also]);
  const suites = missing.map((entry) => entry.suites).join(', ');
  if (process.env.KAWARABAN_NO_APT || !root || findProgram('apt-get') === null) {
    say(`Not installed: ${names.join(', ')}. The ${suites} suites will be skipped.`);
    say(`To run them: sudo apt-get install --no-install-recommends ${names.join(' ')}`);
    return;
  }
  say(`Installing Debian packages ${names.join(', ')} (once; a minute or two) …`);
  const problem = apt('update') ?? apt('install', '--yes', '--no-install-recommends', ...names);
  if (problem !== null) {
    say(`apt-get did not succeed, so the ${suites} suites will be skipped. It said:`);
    for (const line of problem.split('\n').slice(-10)) say(`  ${line}`);
  }
}

/** What apt-get said when it failed, or `null`. */
function apt(...args: readonly string[]): string | null {
  const result = spawnSync('apt-get', ['--quiet', ...args], {
    encoding: 'utf8',
    timeout: 10 * 60_000,
    // RUNLEVEL keeps the packages from starting servers of their own: the tests start what they need.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  });
  if (result.status === 0) return null;
  return (result.error?.message ?? `${result.stdout}\n${result.stderr}`).trim();
}
