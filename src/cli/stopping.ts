import { EXIT } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** What stops long work: the first Ctrl-C (or SIGTERM) asks it to end cleanly, the second ends it at once. */
export class Stopping implements Disposable {
  readonly #controller = new AbortController();
  readonly #terminal: Terminal;
  readonly #words: string;
  readonly #onSignal = (name: NodeJS.Signals): void => this.#signalled(name);

  constructor(terminal: Terminal, words = 'Stopping … (Ctrl-C again stops at once)') {
    this.#terminal = terminal;
    this.#words = words;
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #signalled(name: NodeJS.Signals): void {
    if (this.#controller.signal.aborted) process.exit(EXIT.interrupted);
    this.#terminal.note(`\n${this.#words}`);
    this.#controller.abort(new StoppedError(name));
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
