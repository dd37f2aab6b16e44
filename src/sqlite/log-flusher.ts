import { close, fdatasync, open } from 'node:fs';
import { promisify } from 'node:util';

const file = { open: promisify(open), sync: promisify(fdatasync), close: promisify(close) };

/** Rows that were changed since the log was last handed over; some two thousand pages of log. */
const ROWS_BETWEEN = 1000;
/** How often it is asked how many rows there were. */
const COMMITS_BETWEEN = 8;

/**
 * Hands the write-ahead log to the disk piece by piece, in the background, while there is much to write. Before SQLite copies the
 * log into the database it waits until the disk has all of it, and the event loop waits with it: what the disk has already
 * takes no time then. It only saves time: where it fails, SQLite does it alone.
 */
export class LogFlusher implements AsyncDisposable {
  readonly #path: string;
  readonly #rowsChanged: () => number;
  #commits = 0;
  #rows = 0;
  #going: Promise<void> | null = null;
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
    if (this.#commits % COMMITS_BETWEEN !== 0 || this.#going !== null) return;
    const rows = this.#rowsChanged();
    if (rows - this.#rows < ROWS_BETWEEN) return;
    this.#rows = rows;
    this.#going = this.#flush()
      .catch(() => {})
      .finally(() => {
        this.#going = null;
      });
  }

  async #flush(): Promise<void> {
    this.#descriptor ??= await file.open(`${this.#path}-wal`, 'r+');
    await file.sync(this.#descriptor);
    this.#flushes += 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#going;
    const descriptor = this.#descriptor;
    this.#descriptor = null;
    if (descriptor !== null) await file.close(descriptor);
  }
}
