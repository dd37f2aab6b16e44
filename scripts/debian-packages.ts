import { spawnSync } from 'node:child_process';
import { findProgram } from './find-program.ts';

const PACKAGES: readonly {
  readonly program: string;
  readonly name: string;
  /** Another program that does as well. */
  readonly otherwise?: string;
  /** Packages that belong to it and have no program of their own. */
  readonly also?: readonly string[];
  readonly suites: string;
  /** Only `npm run release:check` needs it. */
  readonly forRelease?: true;
}[] = [
  { program: 'redis-server', name: 'redis-server', suites: 'Redis' },
  {
    program: 'chromium-headless-shell',
    name: 'chromium-headless-shell',
    otherwise: 'chromium',
    suites: 'browser',
  },
  { program: 'promtool', name: 'prometheus', suites: 'alert rule' },
  { program: 'sqlite3', name: 'sqlite3', suites: 'takeover' },
  {
    program: 'grpc_python_plugin',
    name: 'protobuf-compiler-grpc',
    also: ['protobuf-compiler', 'python3-grpcio'],
    suites: 'Python client',
  },
  { program: 'openssl', name: 'openssl', suites: 'TLS' },
  { program: 'systemd-analyze', name: 'systemd', suites: 'systemd' },
  { program: 'debootstrap', name: 'debootstrap', suites: 'Debian package', forRelease: true },
  { program: 'buildah', name: 'buildah', suites: 'container image', forRelease: true },
];

export interface InstallOptions {
  /** `false` skips the packages, as `npm test -- --no-install` does. */
  readonly install: boolean;
  readonly print: (line: string) => void;
  /** Asks the user at the terminal; absent where there is none, as in CI. */
  readonly confirm?: (question: string) => Promise<boolean>;
  readonly root?: boolean;
}

/**
 * Installs the Debian packages that the tests use, after printing which and why. It needs root and apt-get, and can be
 * switched off by `--no-install` or `KAWARABAN_NO_APT`; then it prints which suites will be skipped.
 */
export async function installDebianPackages(options: InstallOptions): Promise<void> {
  const { print, confirm, root = process.getuid?.() === 0 } = options;
  const missing = PACKAGES.filter(
    ({ program, otherwise = program, forRelease }) =>
      (!forRelease || process.env.KAWARABAN_RELEASE_CHECK === '1') &&
      findProgram(program) === null &&
      findProgram(otherwise) === null,
  );
  if (missing.length === 0) return;
  const names = missing.flatMap(({ name, also = [] }) => [name, ...also]);
  const suites = missing.map((entry) => entry.suites).join(', ');
  const leaveOut = (): void => {
    print(`Not installed: ${names.join(', ')}. The ${suites} suites will be skipped.`);
    print(`To run them: sudo apt-get install --no-install-recommends ${names.join(' ')}`);
  };
  if (!options.install || process.env.KAWARABAN_NO_APT || !root || findProgram('apt-get') === null)
    return leaveOut();
  print('Some suites need Debian packages that are missing. apt-get will install, once:');
  for (const { name, also = [], suites: which } of missing)
    print(`  ${[name, ...also].join(', ')}: for the ${which} suites`);
  print('To leave them out and skip these suites: npm test -- --no-install');
  if (confirm !== undefined && !(await confirm('Install them now? [Y/n] '))) return leaveOut();
  print('Installing (a minute or two) …');
  const problem = apt('update') ?? apt('install', '--yes', '--no-install-recommends', ...names);
  if (problem !== null) {
    print(`apt-get did not succeed, so the ${suites} suites will be skipped. Its output:`);
    for (const line of problem.split('\n').slice(-10)) print(`  ${line}`);
  }
}

/** The output of apt-get when it failed, or `null`. */
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
