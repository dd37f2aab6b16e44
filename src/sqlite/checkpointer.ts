import { Worker } from 'node:worker_threads';

/**
 * Copies the write-ahead log into the database in a thread of its own. That ends with the disk confirming it, which takes
 * as long as the disk likes; the thread that answers requests never waits for it.
 */
export class Checkpointer implements AsyncDisposable {
  readonly #path: string;
  #thread: Worker | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Asks for it; several asked for in a row are done as one. */
  ask(): void {
    if (this.#path === ':memory:') return;
    this.#thread ??= this.#start();
    this.#thread.postMessage('checkpoint');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    if (thread === null) return;
    const gone = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
    // Now it is waited for, so it counts.
    thread.ref();
    thread.postMessage('close');
    await gone;
  }

  #start(): Worker {
    const thread = new Worker(new URL('./checkpointer-thread.ts', import.meta.url), {
      workerData: this.#path,
      // Tests and loaders of the main thread are none of its business.
      execArgv: [],
    });
    // It only saves time: without it SQLite copies the log by itself, later and here.
    thread.once('error', () => {
      this.#thread = null;
    });
    thread.unref();
    return thread;
  }
}
