import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import { findProgram } from '../scripts/find-program.ts';
import { findHelm } from '../scripts/helm.ts';

/** The distribution's Python, which Debian's packages are for; another may come first on the search path. */
export const DEBIAN_PYTHON = '/usr/bin/python3';

const ROOT = join(import.meta.dirname, '..');

/** Arguments of `unshare` whose command is PID 1, as in a container. */
export const NEW_PID_NAMESPACE = ['--pid', '--fork', '--kill-child', '--mount-proc'] as const;

/**
 * What a suite needs that the project itself cannot bring. A suite whose need is not met is skipped, and the run ends
 * with the reason, once for each need.
 */
export type Requirement =
  | 'redis-server'
  | 'openssl'
  | 'localedef'
  | 'chromium'
  | 'promtool'
  | 'sqlite3'
  | 'gcloud'
  | 'terraform'
  | 'kubectl'
  | 'helm'
  | 'buf'
  | 'curl'
  | 'python-grpc'
  | 'systemd'
  | 'debian-system'
  | 'buildah'
  | 'release-check'
  | 'mount'
  | 'pid-namespace';

declare module 'vitest' {
  interface TaskMeta {
    /** Why this suite is skipped, in words for the end of the run. */
    skipReason?: string;
  }
}

const REQUIREMENTS: Readonly<Record<Requirement, { isAvailable(): boolean; otherwise: string }>> = {
  'redis-server': {
    isAvailable: () => findProgram('redis-server') !== null,
    otherwise: 'redis-server is not installed (apt-get install redis-server)',
  },
  openssl: {
    isAvailable: () => findProgram('openssl') !== null,
    otherwise: 'openssl is not installed (apt-get install openssl)',
  },
  localedef: {
    isAvailable: () => findProgram('localedef') !== null,
    otherwise: 'localedef is not installed (it comes with glibc)',
  },
  chromium: {
    isAvailable: () => findProgram('chromium-headless-shell') !== null || findProgram('chromium') !== null,
    otherwise: 'Chromium is not installed (apt-get install chromium-headless-shell)',
  },
  promtool: {
    isAvailable: () => findProgram('promtool') !== null,
    otherwise: 'promtool is not installed (apt-get install prometheus)',
  },
  sqlite3: {
    isAvailable: () => findProgram('sqlite3') !== null,
    otherwise: 'sqlite3 is not installed (apt-get install sqlite3)',
  },
  gcloud: {
    isAvailable: () => findProgram('java') !== null && emulatorFolder() !== null,
    otherwise: "gcloud with Google's Firestore and Pub/Sub emulators, and java, are not installed",
  },
  terraform: {
    isAvailable: () => findProgram('terraform') !== null,
    otherwise: 'terraform is not installed',
  },
  kubectl: {
    isAvailable: () => findProgram('kubectl') !== null,
    otherwise: 'kubectl is not installed',
  },
  helm: {
    isAvailable: () => findHelm() !== null,
    otherwise: 'helm is not installed',
  },
  buf: {
    isAvailable: () => spawnSync(join(ROOT, 'node_modules/.bin/buf'), ['--version']).status === 0,
    otherwise: 'buf does not run on this machine',
  },
  curl: {
    isAvailable: () => findProgram('curl') !== null,
    otherwise: 'curl is not installed (apt-get install curl)',
  },
  'python-grpc': {
    isAvailable: () =>
      findProgram('grpc_python_plugin') !== null &&
      spawnSync(DEBIAN_PYTHON, ['-c', 'import grpc, google.protobuf']).status === 0,
    otherwise:
      'gRPC for Python is not installed (apt-get install protobuf-compiler-grpc protobuf-compiler python3-grpcio)',
  },
  systemd: {
    isAvailable: () =>
      existsSync(DEBIAN_PYTHON) &&
      findProgram('systemd-analyze') !== null &&
      findProgram('systemd-notify') !== null,
    otherwise: 'systemd and python3 are not installed (apt-get install systemd python3)',
  },
  'debian-system': {
    isAvailable: () =>
      ['debootstrap', 'dpkg-deb', 'nsenter', 'flock'].every((name) => findProgram(name) !== null) &&
      ['/sys/fs/cgroup/cgroup.controllers', '/sys/fs/cgroup/systemd'].some((path) => existsSync(path)) &&
      mayMount(),
    otherwise:
      'a Debian system cannot be run in namespaces (it needs root, debootstrap, dpkg-deb and cgroups)',
  },
  buildah: {
    isAvailable: () => findProgram('buildah') !== null,
    otherwise: 'buildah is not installed (apt-get install buildah)',
  },
  'release-check': {
    isAvailable: () => process.env.KAWARABAN_RELEASE_CHECK === '1',
    otherwise: 'it takes minutes (npm run release:check runs it)',
  },
  mount: {
    isAvailable: mayMount,
    otherwise: 'the tests may not mount a small file system (they need root and the right to mount)',
  },
  'pid-namespace': {
    isAvailable: () => spawnSync('unshare', [...NEW_PID_NAMESPACE, 'true'], { stdio: 'ignore' }).status === 0,
    otherwise: 'the tests may not make a PID namespace (they need unshare and the right to use it)',
  },
};

/** `describe`, or one that skips its suite with the reason. */
export function requires(...needs: readonly Requirement[]): (name: string, body: () => void) => void {
  const missing = needs.filter((need) => !REQUIREMENTS[need].isAvailable());
  if (missing.length === 0) return (name, body) => void describe(name, body);
  const skipReason = missing.map((need) => REQUIREMENTS[need].otherwise).join('; ');
  return (name, body) => void describe(name, { skip: true, meta: { skipReason } }, body);
}

/** Root in a container often may not; only an attempt shows it. */
function mayMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), 'kawaraban-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where the Google command line keeps its emulators, if both that we use are there. */
export function emulatorFolder(): string | null {
  const gcloud = findProgram('gcloud');
  if (gcloud === null) return null;
  const besides = join(dirname(dirname(realpathSync(gcloud))), 'platform');
  const folders = [besides, '/usr/lib/google-cloud-sdk/platform'];
  return (
    folders.find((folder) =>
      ['cloud-firestore-emulator', 'pubsub-emulator'].every((name) => existsSync(join(folder, name))),
    ) ?? null
  );
}
