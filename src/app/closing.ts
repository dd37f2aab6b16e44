/** What was opened, closed again in the opposite order. One that fails to close does not keep the others open. */
export class Closing implements AsyncDisposable {
  readonly #open: { readonly name: string; close(): Promise<void> }[] = [];

  /** Remembers a part and hands it back. */
  add<T extends AsyncDisposable>(name: string, part: T): T {
    this.#open.push({ name, close: async () => part[Symbol.asyncDispose]() });
    return part;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const troubles: Error[] = [];
    for (let part = this.#open.pop(); part; part = this.#open.pop()) {
      try {
        await part.close();
      } catch (cause) {
        troubles.push(new Error(`${part.name} did not close`, { cause }));
      }
    }
    if (troubles.length > 0) throw new AggregateError(troubles, troubles.map((t) => t.message).join('; '));
  }
}
