import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';

/**
 * Sandbox for parsing untrusted data (pages, PDFs), which may be hostile: a task ends in time and cannot take the program
 * down.
 */
export interface Isolated extends AsyncDisposable {
  /** Whether a thread or process is running now. */
  readonly running: boolean;
  /** Runs one task after the earlier ones. Rejects with the signal's reason when the caller aborts. */
  run<T>(
    task: IsolatedTask,
    input: unknown,
    limitMs: number,
    signal?: AbortSignal,
  ): Promise<IsolatedOutcome<T>>;
}

/** A module whose default export does the work. It is loaded in the sandbox, at its first use. */
export type IsolatedTask = URL;

/** Outcome of a task on untrusted data. A page that crashes the sandbox is an outcome, not an error. */
export type IsolatedOutcome<T> =
  | { readonly outcome: 'done'; readonly value: T }
  | { readonly outcome: 'timeout' }
  /** It ran out of memory or stack, or failed unexpectedly. */
  | { readonly outcome: 'crashed'; readonly detail: string };

/** Messages to and from the process. */
export type ProcessRequest =
  | { readonly id: number; readonly task: string; readonly input: unknown; readonly limitMs: number }
  | { readonly id: number; readonly giveUp: true };
export interface ProcessReply {
  readonly id: number;
  readonly outcome: IsolatedOutcome<unknown>;
}

export interface IsolatedProcessOptions {
  readonly clock: Clock;
  /** The process is ended after this time without work. Default 20 s. */
  readonly idleMs?: number;
}

/**
 * Where the child has its own compile cache, if the program has one: it starts in half the time. Not the same one, since what
 * a child writes must never run in the program.
 */
const CACHE = cacheOfChild();

function cacheOfChild(): string | null {
  const own = getCompileCacheDir();
  return own === undefined ? null : join(own, 'isolated');
}

/** Untrusted data gets no access to the rest of the environment; Windows cannot start without `SystemRoot`. */
const CHILD_ENVIRONMENT: NodeJS.ProcessEnv = {
  ...(process.env.SystemRoot !== undefined && { SystemRoot: process.env.SystemRoot }),
  ...(CACHE !== null && { NODE_COMPILE_CACHE: CACHE }),
};

/** Everything else is denied. The single executable has its modules inside, and its child may read no file at all. */
const PERMISSIONS = [
  '--permission',
  isSea() ? '--allow-fs-vfs' : '--allow-fs-read=*',
  ...(CACHE === null ? [] : [`--allow-fs-read=${CACHE}`, `--allow-fs-write=${CACHE}`]),
  '--allow-worker',
  '--disable-warning=ExperimentalWarning',
];

/** The single executable takes flags of Node in one argument. They hold for the thread too, unlike those of `NODE_OPTIONS`. */
const CHILD_FLAGS = isSea()
  ? [`--node-options=${PERMISSIONS.map((flag) => JSON.stringify(flag)).join(' ')}`]
  : PERMISSIONS;

type ResolveReply = (outcome: IsolatedOutcome<unknown>) => void;

/**
 * An isolated thread in a process of its own, started at the first task and ended when idle. A thread would suffice for
 * safety; but the memory of an ended thread stays with its process, and that of a process returns to the system. It may
 * read files, and neither write them (except Node's own cache) nor start processes.
 */
export class IsolatedProcess implements Isolated {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #waiting = new Map<number, ResolveReply>();
  #child: ChildProcess | null = null;
  #lastId = 0;
  #idle: AbortController | null = null;
  #disposed = false;

  constructor(options: IsolatedProcessOptions) {
    this.#clock = options.clock;
    this.#idleMs = options.idleMs ?? 20 * SECOND;
  }

  get running(): boolean {
    return this.#child !== null;
  }

  async run<T>(
    task: IsolatedTask,
    input: unknown,
    limitMs: number,
    signal?: AbortSignal,
  ): Promise<IsolatedOutcome<T>> {
    signal?.throwIfAborted();
    if (this.#disposed) return { outcome: 'crashed', detail: 'the program is ending' };
    this.#idle?.abort(STOP);
    const child = this.#ready();
    // A caller waits: the program must not exit before the reply.
    child.ref();
    child.channel?.ref();
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<IsolatedOutcome<unknown> | null>();
    this.#waiting.set(id, resolve);
    const onAbort = (): void => {
      resolve(null);
      send(child, { id, giveUp: true });
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    send(child, { id, task: task.href, input, limitMs });
    const outcome = await promise;
    signal?.removeEventListener('abort', onAbort);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#endWhenIdle(child);
    if (outcome === null) throw signal?.reason;
    // The task is our own module, and its value is what that module returns.
    return outcome as IsolatedOutcome<T>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#idle?.abort(STOP);
    if (this.#child) await this.#end(this.#child);
  }

  #ready(): ChildProcess {
    if (this.#child) return this.#child;
    const child = fork(fileURLToPath(new URL('process-entry.ts', import.meta.url)), [], {
      execArgv: CHILD_FLAGS,
      env: CHILD_ENVIRONMENT,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', (reply: ProcessReply) => this.#waiting.get(reply.id)?.(reply.outcome));
    child.on('error', () => this.#lost(child));
    child.on('exit', () => this.#lost(child));
    this.#child = child;
    return child;
  }

  #lost(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = null;
    for (const resolve of this.#waiting.values())
      resolve({ outcome: 'crashed', detail: 'the process ended' });
  }

  #endWhenIdle(child: ChildProcess): void {
    // A process that has ended needs no timer, which would keep the program alive.
    if (this.#child !== child) return;
    child.unref();
    child.channel?.unref();
    const idle = new AbortController();
    this.#idle = idle;
    this.#clock.sleep(this.#idleMs, idle.signal).then(
      () => this.#end(child),
      () => {},
    );
  }

  async #end(child: ChildProcess): Promise<void> {
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const alive = child.exitCode === null && child.signalCode === null && child.pid !== undefined;
    this.#lost(child);
    if (!alive) return;
    child.ref();
    child.kill('SIGKILL');
    await ended;
  }
}

const STOP = new Error('there is work again');

/** Skips a process that has just ended; its end is handled elsewhere. */
function send(child: ChildProcess, request: ProcessRequest): void {
  if (child.connected) child.send(request, () => {});
}
