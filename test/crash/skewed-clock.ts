import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type Clock, systemClock } from '../../src/time/clock.ts';

/** The system clock with an offset in milliseconds. Timers run in real time. */
export function skewedClock(by: () => number): Clock {
  return { ...systemClock, now: () => systemClock.now() + by() };
}

/** Clock offset in a file, shared by several processes; each of them can change it. */
export class ClockOffsetFile {
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

  static create(path: string): ClockOffsetFile {
    writeFileSync(path, '0');
    return new ClockOffsetFile(path);
  }
}
