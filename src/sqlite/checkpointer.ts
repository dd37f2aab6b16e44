import { Worker } from 'node:worker_threads';

/** What the thread is told. It answers `close` with the path. */
export interface CheckpointWord {
  readonly word: 'checkpoint' | 'close' | 'end';
  readonly path: string;
}

/**
 * Copies the write-ahead log of one file into the database in another thread. That ends with the disk confirming it, which takes
 * as long as the disk likes; the thread that answers requests never waits for it. One thread serves all files; it is there while
 * one of them needs it.
 */
export class Checkpointer implements AsyncDisposable {
  readonly #path: string;
  #joined = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Asks for it; several asked for in a row are done as one. */
  ask(): void {
    if (this.#path === ':memory:') return;
    if (!this.#joined) users += 1;
    this.#joined = true;
    thread ??= startThread();
    tell(thread, 'checkpoint', this.#path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#joined) return;
    this.#joined = false;
    users -= 1;
    await closeFile(this.#path);
    if (users === 0) await endThread();
  }
}

let thread: Worker | null = null;
/** Files that asked and are not closed yet. */
let users = 0;

function startThread(): Worker {
  const started = new Worker(new URL('./checkpointer-thread.ts', import.meta.url), {
    // Tests and loaders of the main thread are none of its business.
    execArgv: [],
  });
  // It only saves time: without it SQLite copies the log by itself, later and here.
  started.once('exit', () => {
    if (thread === started) thread = null;
  });
  started.on('error', () => {});
  started.setMaxListeners(0);
  started.unref();
  return started;
}

function tell(to: Worker, word: CheckpointWord['word'], path: string): void {
  to.postMessage({ word, path } satisfies CheckpointWord);
}

/** Nobody but us has the file open any more, or the thread is gone and with it everything that it had open. */
function closeFile(path: string): Promise<void> {
  const asked = thread;
  if (asked === null) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      asked.off('message', onMessage);
      asked.off('exit', done);
      if (asked.listenerCount('message') === 0) asked.unref();
      resolve();
    };
    const onMessage = (closed: unknown): void => {
      if (closed === path) done();
    };
    asked.on('message', onMessage);
    asked.on('exit', done);
    // Now it is waited for, so it counts.
    asked.ref();
    tell(asked, 'close', path);
  });
}

async function endThread(): Promise<void> {
  const ending = thread;
  thread = null;
  if (ending === null) return;
  const gone = new Promise<void>((resolve) => ending.once('exit', () => resolve()));
  ending.ref();
  tell(ending, 'end', '');
  await gone;
}
