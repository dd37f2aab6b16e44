import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

const fileApi = { open: promisify(open), sync: promisify(fdatasync), close: promisify(close) };

/** Rows that were changed since the log was last handed over; some two thousand pages of log. */
const ROWS_BETWEEN_FLUSHES = 1000;
/** How often it is asked how many rows there were. */
const COMMITS_BETWEEN_CHECKS = 8;

/**
 * Hands the write-ahead log to the disk piece by piece, in the background, while there is much to write. Before SQLite copies the
 * log into the database it waits until the disk has all of it, and the event loop waits with it: what the disk has already
 * takes no time then. It only saves time: where it fails, SQLite does it alone.
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

  /** How often the disk was asked. */
  get flushes(): number {
    return this.#flushes;
  }

  /** Something was written. */
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
  request(): void {
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
