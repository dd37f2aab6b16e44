import { Worker } from 'node:worker_threads';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { Isolated, IsolatedOutcome, IsolatedTask } from './isolated-process.ts';

/** Messages to and from the thread. */
export interface ThreadRequest {
  readonly id: number;
  readonly task: string;
  readonly input: unknown;
}
export type ThreadReply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly detail: string };

export interface IsolatedThreadOptions {
  readonly clock: Clock;
  /** The thread is ended after this time without work, so that it costs nothing while idle. Default 20 s. */
  readonly idleMs?: number;
  /** Heap of the thread. Default 256. */
  readonly memoryMb?: number;
}

/**
 * One thread. It is started at the first task, runs one task at a time, is killed when a task exceeds its time or memory,
 * and is restarted for the next one.
 */
export class IsolatedThread implements Isolated {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #memoryMb: number;
  #worker: Worker | null = null;
  #queue: Promise<unknown> = Promise.resolve();
  #lastId = 0;
  #idle: AbortController | null = null;
  #disposed = false;

  constructor(options: IsolatedThreadOptions) {
    this.#clock = options.clock;
    this.#idleMs = options.idleMs ?? 20 * SECOND;
    this.#memoryMb = options.memoryMb ?? 256;
  }

  get running(): boolean {
    return this.#worker !== null;
  }

  run<T>(
    task: IsolatedTask,
    input: unknown,
    limitMs: number,
    signal?: AbortSignal,
  ): Promise<IsolatedOutcome<T>> {
    const result = this.#queue.then(() => this.#runNow<T>(task, input, limitMs, signal));
    this.#queue = result.catch(() => {});
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true;
    this.#idle?.abort();
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
    await this.#queue;
  }

  async #runNow<T>(
    task: IsolatedTask,
    input: unknown,
    limitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<IsolatedOutcome<T>> {
    signal?.throwIfAborted();
    if (this.#disposed) return { outcome: 'crashed', detail: 'the program is ending' };
    this.#idle?.abort();
    const worker = this.#ready();
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<IsolatedOutcome<T> | 'given up'>();
    const onMessage = (reply: ThreadReply): void => {
      if (reply.id !== id) return;
      // The task is our own module, and its value is what that module returns.
      resolve(
        reply.ok
          ? { outcome: 'done', value: reply.value as T }
          : { outcome: 'crashed', detail: reply.detail },
      );
    };
    const onError = (error: Error): void => resolve({ outcome: 'crashed', detail: describeCrash(error) });
    const onExit = (): void => resolve({ outcome: 'crashed', detail: 'the thread ended' });
    const onAbort = (): void => resolve('given up');
    const stopTimer = new AbortController();
    const stopWatch = watchMemory(this.#memoryMb * 2, () =>
      resolve({ outcome: 'crashed', detail: 'it needs too much memory' }),
    );
    worker.on('message', onMessage).once('error', onError).once('exit', onExit);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#clock.sleep(limitMs, stopTimer.signal).then(
      () => resolve({ outcome: 'timeout' }),
      () => {},
    );
    worker.postMessage({ id, task: task.href, input } satisfies ThreadRequest);
    const outcome = await promise;
    stopTimer.abort();
    stopWatch();
    signal?.removeEventListener('abort', onAbort);
    worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    if (outcome === 'given up' || outcome.outcome !== 'done') await this.#end(worker);
    else this.#endWhenIdle(worker);
    if (outcome === 'given up') throw signal?.reason;
    return outcome;
  }

  #ready(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('thread-entry.ts', import.meta.url), {
      resourceLimits: {
        maxOldGenerationSizeMb: this.#memoryMb,
        maxYoungGenerationSizeMb: 32,
        stackSizeMb: 8,
      },
      // Untrusted data gets no access to the program's environment.
      env: {},
      stdout: false,
      stderr: false,
    });
    worker.unref();
    // An error between two tasks must not end the program.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    this.#worker = worker;
    return worker;
  }

  async #end(worker: Worker): Promise<void> {
    if (this.#worker === worker) this.#worker = null;
    await worker.terminate();
  }

  #endWhenIdle(worker: Worker): void {
    const idle = new AbortController();
    this.#idle = idle;
    this.#clock.sleep(this.#idleMs, idle.signal).then(
      () => this.#end(worker),
      () => {},
    );
  }
}

const WATCH_MS = 200;

/** The heap limit does not cover buffers, and inflated data is in buffers. */
function watchMemory(maxGrowthMb: number, onTooMuch: () => void): () => void {
  const limit = memoryBytes() + maxGrowthMb * 1024 * 1024;
  const timer = setInterval(() => {
    if (memoryBytes() > limit) onTooMuch();
  }, WATCH_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function memoryBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    // Without /proc, as in a chroot, only the peak is known.
    return process.resourceUsage().maxRSS * 1024;
  }
}

function describeCrash(error: Error): string {
  const code = 'code' in error ? error.code : '';
  return code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it needs too much memory' : 'the thread failed';
}
