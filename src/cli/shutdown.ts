import { EXIT } from './errors.ts';
import type { Terminal } from './terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const PARENT_CHECK_MS = 250;

/**
 * Graceful shutdown of long work, on a signal or when the wrapper process that started it (`npm start`, `npx`) dies. A
 * second Ctrl-C exits at once.
 */
export class ShutdownSignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #terminal: Terminal;
  #gracePeriodMs: number | null;
  /** Signals to this process itself; a signal passed on by the wrapper may be a duplicate. */
  #interrupts = 0;
  readonly #parent = new ParentProcess((why) => this.#stop(why));
  readonly #onSignal = (name: NodeJS.Signals): void => this.#onSignalReceived(name);

  constructor(terminal: Terminal, options: { readonly withinMs?: number } = {}) {
    this.#terminal = terminal;
    this.#gracePeriodMs = options.withinMs ?? null;
    for (const name of SIGNALS) process.on(name, this.#onSignal);
    this.#parent.watch();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Time from the signal until the process exits. */
  setGracePeriod(ms: number): void {
    this.#gracePeriodMs = ms;
  }

  #onSignalReceived(name: NodeJS.Signals): void {
    if (name === 'SIGINT' && ++this.#interrupts > 1) process.exit(EXIT.interrupted);
    this.#stop(name);
  }

  #stop(why: string): void {
    if (this.#controller.signal.aborted) return;
    this.#terminal.note('\nStopping … (Ctrl-C again stops at once)');
    this.#controller.abort(new StoppedError(why));
    if (this.#gracePeriodMs !== null) setTimeout(() => this.#cutOff(), this.#gracePeriodMs).unref();
  }

  /** Safe, as a crash is: work in progress is resumed when its lease has expired. */
  #cutOff(): never {
    this.#terminal.note('Some work did not end in time and was aborted; it is resumed later.');
    process.exit(EXIT.failure);
  }

  [Symbol.dispose](): void {
    for (const name of SIGNALS) process.off(name, this.#onSignal);
    this.#parent[Symbol.dispose]();
  }
}

/**
 * The wrapper process that started this one. scripts/with-setup.mjs keeps an IPC channel open, passes stop signals through it,
 * and its end closes the channel. npx runs the program through a shell that passes no signals on.
 */
class ParentProcess implements Disposable {
  readonly #onStop: (why: string) => void;
  readonly #pid = process.ppid;
  #watch: NodeJS.Timeout | undefined;
  readonly #onMessage = (message: unknown): void => {
    if (typeof message === 'object' && message !== null && 'stop' in message)
      this.#onStop(String(message.stop));
  };
  readonly #onDisconnect = (): void => this.#onStop('the death of its parent process');

  constructor(onStop: (why: string) => void) {
    this.#onStop = onStop;
  }

  watch(): void {
    if (this.#isWrapper) {
      process.on('message', this.#onMessage).on('disconnect', this.#onDisconnect);
      this.#notify(true);
      if (!process.connected) this.#onDisconnect();
    } else if (isNpx(process.env)) {
      this.#watch = setInterval(
        () => process.ppid !== this.#pid && this.#onDisconnect(),
        PARENT_CHECK_MS,
      ).unref();
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#watch);
    process.off('message', this.#onMessage).off('disconnect', this.#onDisconnect);
    if (this.#isWrapper) this.#notify(false);
  }

  get #isWrapper(): boolean {
    return process.env.KAWARABAN_WRAPPER !== undefined && process.connected !== undefined;
  }

  /** Tells the wrapper whether to send signals through the channel. */
  #notify(listens: boolean): void {
    if (process.connected) process.send?.({ listens }, undefined, undefined, () => {});
  }
}

function isNpx(env: NodeJS.ProcessEnv): boolean {
  return env.npm_lifecycle_event === 'npx' && env.npm_lifecycle_script?.includes('kawaraban') === true;
}

export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  constructor(signal: string) {
    super(`stopped by ${signal}`);
  }
}
