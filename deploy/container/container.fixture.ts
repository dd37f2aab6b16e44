import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { findProgram } from '../../scripts/find-program.ts';

/** What an image says about how it is run. */
export interface ImageSettings {
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly user: string;
  readonly folder: string;
}

/** A container by the means of the kernel: namespaces, a read-only root, the volume at /data, and memory at /tmp. */
const RUN = `
set -eu
root="$1" data="$2" folder="$3" user="$4"
shift 4
mount --make-rprivate /
mount --bind "$root" "$root"
mount --bind "$data" "$root/data"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for name in null urandom; do
  : >"$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
chroot="$(command -v chroot)"
export PATH="$IMAGE_PATH"
exec "$chroot" --userspec="$user" "$root" /usr/local/bin/node --eval '
  const [, folder, ...command] = process.argv;
  process.chdir(folder);
  process.execve("/usr/local/bin/kawaraban", command, process.env);
' "$folder" "$@"
`;

export interface ContainerResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A running container, whose first process is the program. */
export class Container implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #settings: ImageSettings;
  readonly #env: Readonly<Record<string, string>>;
  out = '';
  err = '';
  readonly ended: Promise<number | null>;

  /** `arguments` replaces the command of the image. */
  constructor(
    root: string,
    data: string,
    settings: ImageSettings,
    options: { readonly env?: Readonly<Record<string, string>>; readonly arguments?: readonly string[] } = {},
  ) {
    this.#settings = settings;
    this.#env = { ...settings.env, ...options.env };
    const command = [...settings.entrypoint, ...(options.arguments ?? settings.command)];
    this.#child = spawn(
      'unshare',
      [
        ...['--mount', '--pid', '--uts', '--ipc', '--fork'],
        ...['sh', '-c', RUN, 'sh', root, data, settings.folder, settings.user, ...command],
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...this.#env, IMAGE_PATH: this.#env.PATH, PATH: process.env.PATH },
      },
    );
    for (const name of ['out', 'err'] as const)
      this.#child[`std${name}`]?.setEncoding('utf8').on('data', (text: string) => {
        this[name] += text;
      });
    this.ended = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** As `docker exec`: another process in the container, with the environment and the user of the image. */
  async run(...command: readonly string[]): Promise<ContainerResult> {
    const [uid = '', gid = ''] = this.#settings.user.split(':');
    const path = command[0]?.startsWith('/')
      ? command
      : [`/usr/local/bin/${command[0]}`, ...command.slice(1)];
    try {
      const { stdout, stderr } = await promisify(execFile)(
        findProgram('nsenter') ?? 'nsenter',
        [
          ...[`--target=${this.#firstProcess}`, '--mount', '--pid', '--uts', '--ipc', '--root', '--wd'],
          ...[`--setuid=${uid}`, `--setgid=${gid}`, ...path],
        ],
        { env: { ...this.#env } },
      );
      return { code: 0, out: stdout, err: stderr };
    } catch (error) {
      const { code, stdout = '', stderr = '' } = error as { code: number; stdout?: string; stderr?: string };
      return { code, out: stdout, err: stderr };
    }
  }

  /** Sends a signal to the first process, as `docker stop` does. */
  signal(name: NodeJS.Signals): void {
    process.kill(this.#firstProcess, name);
  }

  get #firstProcess(): number {
    const { pid } = this.#child;
    const [first = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return Number(first);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Everything in there dies with its first process; `unshare` ends with it.
    if (this.isRunning) {
      if (this.#firstProcess > 0) this.signal('SIGKILL');
      else this.#child.kill('SIGKILL');
    }
    await this.ended;
  }
}
