import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** `npm start`, as a user runs it, in a process group of its own; observed from outside. */
export class StartedNewsroom implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #began = performance.now();
  #output = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, 'exit');
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
  }

  /** On a free port, with its data in `data`. */
  static async start(folder: string, data: string, env: NodeJS.ProcessEnv = {}): Promise<StartedNewsroom> {
    const port = String(await freePort());
    const child = spawn('npm', ['start'], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, KAWARABAN_PORT: port, KAWARABAN_DATA: data, NO_COLOR: '1', ...env },
    });
    return new StartedNewsroom(child);
  }

  /** Everything that it has printed. */
  get output(): string {
    return this.#output;
  }

  /** Milliseconds since it was started. */
  get age(): number {
    return performance.now() - this.#began;
  }

  /** Address of the page, as soon as it is printed. */
  async address(timeoutMs: number): Promise<string> {
    return this.#until(timeoutMs, 'it did not print the address of the page', async () => {
      const found = /https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\]):\d+/.exec(this.#output);
      return found?.[0] ?? null;
    });
  }

  /** How many drops the local timeline shows, as soon as there is one. */
  async drops(timeoutMs: number): Promise<number> {
    const address = await this.address(timeoutMs);
    return this.#until(timeoutMs - this.age, 'the local timeline stayed empty', async () => {
      const shown = await countDrops(address).catch(() => 0);
      return shown > 0 ? shown : null;
    });
  }

  /** Ctrl-C, as a terminal sends it: to the whole group. Returns how long it took to end, in milliseconds. */
  async interrupt(timeoutMs: number): Promise<number> {
    const began = performance.now();
    this.#signal('SIGINT');
    const left = (): number => groupOf(this.#child.pid ?? -1).length;
    while (left() > 0 && performance.now() - began < timeoutMs) await setTimeout(20);
    if (left() > 0) throw new NewsroomError('it did not end', this.#output);
    await this.#exited;
    return performance.now() - began;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (groupOf(this.#child.pid ?? -1).length > 0) this.#signal('SIGKILL');
    await this.#exited;
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
  }

  async #until<T>(timeoutMs: number, otherwise: string, look: () => Promise<T | null>): Promise<T> {
    const began = performance.now();
    while (performance.now() - began < timeoutMs) {
      const seen = await look();
      if (seen !== null) return seen;
      if (this.#child.exitCode !== null) throw new NewsroomError('it ended by itself', this.#output);
      await setTimeout(10);
    }
    throw new NewsroomError(`${otherwise} within ${Math.round(timeoutMs / 1000)} s`, this.#output);
  }
}

export class NewsroomError extends Error {
  override readonly name = 'NewsroomError';
  constructor(what: string, output: string) {
    super(`${what}; it printed:\n${output.replace(/^/gm, '  │ ')}`);
  }
}

/** The number of drops on the first page of the local timeline. */
export async function countDrops(address: string): Promise<number> {
  const response = await fetch(`${address}/api/v1/timelines/local`, { signal: AbortSignal.timeout(2000) });
  if (!response.ok) return 0;
  const body = (await response.json()) as unknown;
  const list = Array.isArray(body) ? body : Object.values(body as object).find(Array.isArray);
  return Array.isArray(list) ? list.length : 0;
}

/** Living processes of a group, by the kernel's list. */
function groupOf(group: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      // The name, in parentheses, may hold anything; the state and the group come after it.
      const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ');
      return fields !== undefined && Number(fields[2]) === group && fields[0] !== 'Z';
    });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
