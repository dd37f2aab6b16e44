import type { Terminal } from './terminal.ts';
import { cut } from './width.ts';

const BAR = 24;
const LEAST_BETWEEN = 80;

/** Progress of long work, drawn in place on stderr; nothing at all where stderr is no terminal. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #now: () => number;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #drawn = false;

  constructor(terminal: Terminal, now: () => number = () => performance.now()) {
    this.#terminal = terminal;
    this.#now = now;
  }

  /** `total` is `null` while nobody knows it. */
  show(words: string, done: number, total: number | null = null): void {
    if (!this.#terminal.live) return;
    const complete = total !== null && done >= total;
    if (!complete && this.#now() - this.#drawnAt < LEAST_BETWEEN) return;
    this.#drawnAt = this.#now();
    this.#drawn = true;
    this.#terminal.redraw(cut(line(words, done, total), this.#terminal.liveWidth - 1));
  }

  /** Takes the bar away, so that what follows starts on a clean line. */
  clear(): void {
    if (this.#drawn) this.#terminal.redraw('');
    this.#drawn = false;
  }
}

function line(words: string, done: number, total: number | null): string {
  if (total === null || total <= 0) return `${words} … ${done}`;
  const share = Math.min(1, done / total);
  const filled = Math.round(share * BAR);
  return `${words} ${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${Math.floor(share * 100)} % (${done} of ${total})`;
}
