import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';

const BUILD = join(import.meta.dirname, '../../build');
/** A minimal Debian with systemd, made once. */
const BASE = join(BUILD, `debian-bookworm-${process.arch}.tar`);
/** Making it downloads a hundred packages and configures them: minutes on a busy machine. */
export const BASE_TIMEOUT_MS = 20 * 60_000;
/** Only bounds a hang. */
const WAIT = { timeout: 120_000, interval: 50 };
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const CGROUPS = '/sys/fs/cgroup';

/** The second of two processes waits, and finds it made. */
const MAKE_BASE = `
set -eu
[ ! -e "$1" ] || exit 0
work="$(mktemp -d "$1.XXXXXX")"
trap 'rm -rf "$work"' EXIT
debootstrap --variant=minbase --include=systemd bookworm "$work/root" http://deb.debian.org/debian >"$work/log" 2>&1 ||
  { tail -20 "$work/log" >&2; exit 1; }
cd "$work/root"
rm -rf var/cache/apt/* var/lib/apt/lists/* usr/share/locale usr/share/man
find usr/share/doc -type f ! -name copyright -delete
tar --numeric-owner -cf "$work/tar" .
mv "$work/tar" "$1"
`;

/** Path of the archive with the file system of a minimal Debian. */
export async function debianBase(): Promise<string> {
  mkdirSync(BUILD, { recursive: true });
  await promisify(execFile)('flock', [`${BASE}.lock`, 'sh', '-c', MAKE_BASE, 'sh', BASE], { env: { PATH } });
  return BASE;
}

/**
 * Starts systemd as the first process of namespaces of its own, as systemd-nspawn does: devices of its own, a network
 * with loopback alone, kernel settings that cannot be changed, and a control group that is removed with it.
 */
const BOOT = `
set -eu
root="$1" group="$2"
shift 2
for tree; do
  mkdir "$tree/$group"
  echo $$ >"$tree/$group/cgroup.procs"
done
exec unshare --mount --pid --uts --ipc --net --cgroup --fork --kill-child sh -euc '
  root="$1"
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
  mount --bind "$root/proc/sys" "$root/proc/sys"
  mount -o remount,bind,ro "$root/proc/sys"
  mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$root/sys"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  for name in null zero full random urandom tty; do
    : >"$root/dev/$name"
    mount --bind "/dev/$name" "$root/dev/$name"
  done
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  for name in run tmp; do mount -t tmpfs tmpfs "$root/$name"; done
  chmod 1777 "$root/tmp"
  if [ -e "${CGROUPS}/cgroup.controllers" ]; then
    mount -t cgroup2 cgroup2 "$root${CGROUPS}"
  else
    mount -t tmpfs -o mode=755 tmpfs "$root${CGROUPS}"
    mkdir "$root${CGROUPS}/systemd" "$root${CGROUPS}/unified"
    mount -t cgroup -o none,name=systemd cgroup "$root${CGROUPS}/systemd"
    mount -t cgroup2 cgroup2 "$root${CGROUPS}/unified"
  fi
  cd "$root"
  mkdir -p old
  pivot_root . old
  umount -l /old
  exec env -i container=test PATH=${PATH} /lib/systemd/systemd --log-target=null --unit=basic.target
' sh "$root"
`;

/** A Debian with systemd that runs beside this machine's own system. */
export class DebianSystem implements AsyncDisposable {
  /** Its root, from outside. */
  readonly root: string;
  readonly #folder: string;
  readonly #booted: ChildProcess;
  readonly #groups: readonly string[];
  #firstProcess = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.root = join(folder, 'root');
    const trees = existsSync(join(CGROUPS, 'cgroup.controllers'))
      ? [CGROUPS]
      : ['systemd', 'unified'].map((name) => join(CGROUPS, name));
    const group = basename(folder);
    this.#groups = trees.map((tree) => join(tree, group));
    this.#booted = spawn('sh', ['-c', BOOT, 'sh', this.root, group, ...trees], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }

  static async boot(): Promise<DebianSystem> {
    const base = await debianBase();
    const folder = mkdtempSync(join(tmpdir(), 'kawaraban-debian-'));
    const root = join(folder, 'root');
    mkdirSync(root);
    await promisify(execFile)('tar', ['--numeric-owner', '-xf', base, '-C', root]);
    const system = new DebianSystem(folder);
    try {
      await vi.waitUntil(() => system.#isRunning(), WAIT);
      return system;
    } catch (error) {
      await system[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #isRunning(): Promise<boolean> {
    const { pid, exitCode } = this.#booted;
    if (exitCode !== null) throw new Error('systemd did not start');
    // `sh` has become `unshare`, whose child is the first process in there.
    const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    if (child === '' || readFileSync(`/proc/${child}/comm`, 'utf8') !== 'systemd\n') return false;
    this.#firstProcess = Number(child);
    const state = await this.run('systemctl', 'is-system-running').catch(() => '');
    return state.trim() === 'running';
  }

  /** Runs a command in there as root and returns what it printed; fails with all of it. */
  async run(...command: readonly string[]): Promise<string> {
    const spaces = ['--mount', '--pid', '--uts', '--ipc', '--net', '--cgroup', '--root', '--wd'];
    const { stdout } = await promisify(execFile)(
      'nsenter',
      [`--target=${this.#firstProcess}`, ...spaces, ...command],
      { env: { PATH, HOME: '/root', LC_ALL: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' } },
    );
    return stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#booted.kill('SIGKILL');
    if (this.#booted.exitCode === null && this.#booted.signalCode === null) await once(this.#booted, 'exit');
    for (const group of this.#groups) await vi.waitUntil(() => removeGroup(group), WAIT);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Control groups are removed from within, once their processes have ended. */
function removeGroup(group: string): boolean {
  if (!existsSync(group)) return true;
  for (const entry of readdirSync(group, { withFileTypes: true }))
    if (entry.isDirectory() && !removeGroup(join(group, entry.name))) return false;
  try {
    rmdirSync(group);
    return true;
  } catch {
    return false;
  }
}
