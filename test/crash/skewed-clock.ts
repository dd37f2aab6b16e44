import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type Clock, systemClock } from '../../src/time/clock.ts';

/** The machine's clock, so many milliseconds away from the truth. Waiting takes as long as it takes. */
export function movedClock(by: () => number): Clock {
  return { ...systemClock, now: () => systemClock.now() + by() };
}

/** The offset is in a file, so that several processes share one clock and one of them can move it. */
export class MoveFile {
  readonly #path: string;
  constructor(path: string) {
    this.#path = path;
  }

  readonly by = (): number => Number(readFileSync(this.#path, 'utf8'));

  move(ms: number): void {
    const written = `${this.#path}.new`;
    writeFileSync(written, String(this.by() + ms));
    renameSync(written, this.#path);
  }

  static create(path: string): MoveFile {
    writeFileSync(path, '0');
    return new MoveFile(path);
  }
}
