import { close, fdatasync, open } from 'node:fs';
import { isSea } from 'node:sea';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

const fileApi = { open: promisify(open), sync: promisify(fdatasync), close: promisify(close) };

/** Changed rows between two flushes; some two thousand pages of log. */
const ROWS_BETWEEN_FLUSHES = 1000;
/** How often the number of changed rows is read. */
const COMMITS_BETWEEN_CHECKS = 8;

/**
 * Flushes the write-ahead log to disk in the background, under a high write load. A checkpoint of SQLite first syncs the whole
 * log and blocks the event loop meanwhile: what is flushed already takes no time then. Only an optimisation: where it
 * fails, SQLite does all of it.
 */
export class WalFlusher implements AsyncDisposable {
  readonly #path: string;
  readonly #rowsChanged: () => number;
  #commits = 0;
  #rows = 0;
  #running: Promise<void> | null = null;
  #descriptor: number | null = null;
  #flushes = 0;

  constructor(path: string, rowsChanged: () => number) {
    this.#path = path;
    this.#rowsChanged = rowsChanged;
  }

  /** Number of flushes. */
  get flushes(): number {
    return this.#flushes;
  }

  /** To be called after each commit. */
  committed(): void {
    this.#commits += 1;
    if (this.#commits % COMMITS_BETWEEN_CHECKS !== 0 || this.#running !== null) return;
    const rows = this.#rowsChanged();
    if (rows - this.#rows < ROWS_BETWEEN_FLUSHES) return;
    this.#rows = rows;
    this.#running = this.#flush()
      .catch(() => {})
      .finally(() => {
        this.#running = null;
      });
  }

  async #flush(): Promise<void> {
    this.#descriptor ??= await fileApi.open(`${this.#path}-wal`, 'r+');
    await fileApi.sync(this.#descriptor);
    this.#flushes += 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running;
    const descriptor = this.#descriptor;
    this.#descriptor = null;
    if (descriptor !== null) await fileApi.close(descriptor);
  }
}

/**
 * Checkpoints the write-ahead log in a separate thread, so that the thread that answers requests never waits for the
 * final sync.
 */
export class Checkpointer implements AsyncDisposable {
  readonly #path: string;
  #thread: Worker | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Requests a checkpoint; consecutive requests are merged. */
  request(): void {
    if (this.#path === ':memory:') return;
    this.#thread ??= this.#start();
    this.#thread.postMessage('checkpoint');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    if (thread === null) return;
    const exited = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
    // Awaited now, so it must keep the process alive.
    thread.ref();
    thread.postMessage('close');
    await exited;
  }

  #start(): Worker {
    const thread = new Worker(new URL('./checkpointer-thread.ts', import.meta.url), {
      workerData: this.#path,
      // Without the flags of the main thread, such as test loaders. Those of the single executable let it find the module.
      execArgv: isSea() ? process.execArgv : ['--disable-warning=ExperimentalWarning'],
    });
    // Only an optimisation: without it SQLite checkpoints by itself, later and in this thread.
    for (const event of ['error', 'exit'])
      thread.once(event, () => {
        if (this.#thread === thread) this.#thread = null;
      });
    thread.unref();
    return thread;
  }
}
