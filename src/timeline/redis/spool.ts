import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';
import type { DropEvent } from '../event-log.ts';
import { payloadOf, readDropEvent } from './drop-event.ts';

export interface SpoolOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Throws while it is not possible yet. */
  readonly append: (event: DropEvent) => Promise<void>;
  readonly everyMs?: number;
}

/**
 * Events that could not be appended, one a line, on the disk before anybody is told that they were taken. They are
 * appended in their order as soon as that is possible, also after a restart (C12).
 */
export class Spool implements AsyncDisposable {
  readonly #options: SpoolOptions;
  readonly #stop = new AbortController();
  readonly #emptying: Promise<void>;
  /** One thing at a time with the file. */
  #turn: Promise<unknown> = Promise.resolve();
  #filled: boolean | null = null;

  constructor(options: SpoolOptions) {
    this.#options = options;
    this.#emptying = this.#empty();
  }

  /** Whether something is in it; then later events have to queue up behind. */
  async waits(): Promise<boolean> {
    if (this.#filled === null) await this.#inTurn(async () => this.#look());
    return this.#filled === true;
  }

  keep(event: DropEvent): Promise<void> {
    return this.#inTurn(async () => {
      await mkdir(dirname(this.#options.file), { recursive: true });
      const file = await open(this.#options.file, 'a', 0o600);
      try {
        await file.write(`${event.type} ${payloadOf(event)}\n`);
        await file.datasync();
      } finally {
        await file.close();
      }
      this.#filled = true;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#emptying;
    await this.#turn;
  }

  async #empty(): Promise<void> {
    const { clock, everyMs = SECOND } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      if (await this.waits().catch(() => false)) await this.#inTurn(() => this.#replay()).catch(() => {});
      await clock.sleep(everyMs, signal).catch(() => {});
    }
  }

  async #look(): Promise<void> {
    this.#filled = (await this.#lines()).length > 0;
  }

  async #lines(): Promise<readonly string[]> {
    try {
      return (await readFile(this.#options.file, 'utf8')).split('\n').filter((line) => line !== '');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  }

  async #replay(): Promise<void> {
    const { append, file, log } = this.#options;
    const lines = await this.#lines();
    let done = 0;
    try {
      for (const line of lines) {
        const at = line.indexOf(' ');
        const read = readDropEvent(line.slice(0, at), line.slice(at + 1));
        // A line that was cut off by a crash was never confirmed to anybody.
        if (read.ok) await append(read.event);
        done += 1;
      }
    } finally {
      await this.#shorten(lines.slice(done));
    }
    if (done > 0) log.info('events that waited for Redis have been appended', { events: done, file });
  }

  async #shorten(left: readonly string[]): Promise<void> {
    const { file } = this.#options;
    if (left.length === 0) await rm(file, { force: true });
    else {
      const next = await open(`${file}.next`, 'w', 0o600);
      await next.write(`${left.join('\n')}\n`);
      await next.datasync();
      await next.close();
      await rename(`${file}.next`, file);
    }
    this.#filled = left.length > 0;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }
}
