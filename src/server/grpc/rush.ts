import { setFlagsFromString } from 'node:v8';
import type { Clock } from '../../time/clock.ts';
import { SECOND } from '../../time/duration.ts';

/** So many calls within a second are a rush. */
const MANY = 200;
/** After so long without one it is over. */
const QUIET_MS = 5 * SECOND;

/**
 * Lets V8's heap grow while very many calls come in. The program keeps it small (see `cli/favour-memory.ts`), which suits open
 * streams; calls leave so much behind that V8 would do little but collect it. Afterwards the heap is kept small again.
 */
export class Rush {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #setFlag: (flag: string) => void;
  #calls = 0;
  #since = 0;
  #quiet: NodeJS.Timeout | null = null;

  constructor(clock: Pick<Clock, 'monotonic'>, setFlag = setFlagsFromString) {
    this.#clock = clock;
    this.#setFlag = setFlag;
  }

  called(): void {
    this.#calls += 1;
    if (this.#calls < MANY) return;
    const now = this.#clock.monotonic();
    if (now - this.#since < SECOND) this.#go();
    this.#calls = 0;
    this.#since = now;
  }

  #go(): void {
    if (this.#quiet !== null) {
      this.#quiet.refresh();
      return;
    }
    this.#setFlag('--no-optimize-for-size');
    this.#setFlag('--semi-space-growth-factor=2');
    this.#quiet = setTimeout(() => {
      this.#quiet = null;
      this.#setFlag('--optimize-for-size');
      this.#setFlag('--semi-space-growth-factor=1');
    }, QUIET_MS).unref();
  }
}
