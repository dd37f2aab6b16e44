import { keepHeapSmall, letHeapGrow } from '../../telemetry/heap-mode.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE, SECOND } from '../../time/duration.ts';

/** As many calls within a second are a high load. */
const MIN_CALLS = 200;
/** The load is over after this time below it. */
const QUIET_MS = MINUTE;

/** How the heap is switched. `grow` answers whether there is something to switch back. */
interface Heap {
  readonly grow: () => boolean;
  readonly keepSmall: () => void;
}

interface HighLoadParts {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Pick<Logger, 'debug'>;
}

/**
 * Lets V8's heap grow while very many calls come in. A small heap suits open streams; under calls V8 would spend most of its
 * time on collecting garbage. Afterwards the heap is kept small again.
 */
export class HighLoad {
  readonly #clock: HighLoadParts['clock'];
  readonly #log: HighLoadParts['log'];
  readonly #heap: Heap;
  #calls = 0;
  #since = 0;
  #quiet: NodeJS.Timeout | null = null;

  constructor({ clock, log }: HighLoadParts, heap: Heap = { grow: letHeapGrow, keepSmall: keepHeapSmall }) {
    this.#clock = clock;
    this.#log = log;
    this.#heap = heap;
  }

  called(): void {
    this.#calls += 1;
    if (this.#calls < MIN_CALLS) return;
    const now = this.#clock.monotonic();
    if (now - this.#since < SECOND) this.#begin();
    this.#calls = 0;
    this.#since = now;
  }

  #begin(): void {
    if (this.#quiet !== null) {
      this.#quiet.refresh();
      return;
    }
    if (!this.#heap.grow()) return;
    this.#log.debug('Many gRPC calls: the heap may grow');
    this.#quiet = setTimeout(() => {
      this.#quiet = null;
      this.#heap.keepSmall();
    }, QUIET_MS).unref();
  }
}
