import { EXIT } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** What stops long work: the first Ctrl-C (or SIGTERM) asks it to end cleanly, the second ends it at once. */
export class Stopping implements Disposable {
  readonly #controller = new AbortController();
  readonly #terminal: Terminal;
  #withinMs: number | null;
  readonly #onSignal = (name: NodeJS.Signals): void => this.#signalled(name);

  constructor(terminal: Terminal, options: { readonly withinMs?: number } = {}) {
    this.#terminal = terminal;
    this.#withinMs = options.withinMs ?? null;
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** From the signal on it may take this long; then it is cut off. */
  within(ms: number): void {
    this.#withinMs = ms;
  }

  #signalled(name: NodeJS.Signals): void {
    if (this.#controller.signal.aborted) process.exit(EXIT.interrupted);
    this.#terminal.note('\nStopping … (Ctrl-C again stops at once)');
    this.#controller.abort(new StoppedError(name));
    if (this.#withinMs !== null) setTimeout(() => this.#cutOff(), this.#withinMs).unref();
  }

  /** Safe, as every sudden death is: what was under way is taken up again when its lease has run out. */
  #cutOff(): never {
    this.#terminal.note('Something did not end in time and was cut off; it will be taken up again.');
    process.exit(EXIT.failure);
  }

  [Symbol.dispose](): void {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, this.#onSignal);
  }
}

export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  constructor(signal: string) {
    super(`stopped by ${signal}`);
  }
}
