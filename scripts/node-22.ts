// What the program uses of newer versions of JavaScript than Node 22 has. The build puts it in the place of the global names.

type Disposer = () => unknown;

/** As in ECMAScript 2026: closes what was opened, in reverse order, and reports every failure. */
class DisposableStackForNode22 implements AsyncDisposable {
  #disposers: Disposer[] = [];
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  use<T extends AsyncDisposable | Disposable | null | undefined>(resource: T): T {
    if (resource === null || resource === undefined) return resource;
    if (Symbol.asyncDispose in resource) this.defer(() => resource[Symbol.asyncDispose]());
    else this.defer(() => resource[Symbol.dispose]());
    return resource;
  }

  adopt<T>(value: T, dispose: (value: T) => unknown): T {
    this.defer(() => dispose(value));
    return value;
  }

  defer(dispose: Disposer): void {
    if (this.#disposed) throw new ReferenceError('The stack has been disposed of');
    this.#disposers.push(dispose);
  }

  move(): DisposableStackForNode22 {
    if (this.#disposed) throw new ReferenceError('The stack has been disposed of');
    const moved = new DisposableStackForNode22();
    moved.#disposers = this.#disposers;
    this.#disposers = [];
    this.#disposed = true;
    return moved;
  }

  async disposeAsync(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    const failures: unknown[] = [];
    for (const dispose of this.#disposers.toReversed()) {
      try {
        await dispose();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0)
      throw failures.reduce(
        (earlier, later) => new SuppressedError(later, earlier, 'Another error came before'),
      );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}

class SuppressedErrorForNode22 extends Error {
  override readonly name = 'SuppressedError';
  readonly error: unknown;
  readonly suppressed: unknown;
  constructor(error: unknown, suppressed: unknown, message?: string) {
    super(message);
    this.error = error;
    this.suppressed = suppressed;
  }
}

export const SuppressedError = globalThis.SuppressedError ?? SuppressedErrorForNode22;
export const AsyncDisposableStack = globalThis.AsyncDisposableStack ?? DisposableStackForNode22;
