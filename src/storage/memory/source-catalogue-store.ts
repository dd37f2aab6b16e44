import type {
  NewStoredSource,
  SourceCatalogueStore,
  StoredSource,
} from '../../sources/source-catalogue-store.ts';

/** Sources of one process, for tests; lost on restart. */
export class MemorySourceCatalogueStore implements SourceCatalogueStore {
  readonly #records = new Map<string, StoredSource>();
  #revision = 0;
  #changed = Promise.withResolvers<void>();

  async list(): Promise<readonly StoredSource[]> {
    return structuredClone([...this.#records.values()].sort((a, b) => (a.id < b.id ? -1 : 1)));
  }

  async put(source: NewStoredSource, expectedVersion: number | null): Promise<boolean> {
    if ((this.#records.get(source.id)?.version ?? null) !== expectedVersion) return false;
    this.#set(source, (expectedVersion ?? 0) + 1);
    return true;
  }

  async add(sources: readonly NewStoredSource[]): Promise<boolean> {
    if (sources.some(({ id }) => this.#records.has(id))) return false;
    for (const source of sources) this.#set(source, 1);
    return true;
  }

  async remove(id: string): Promise<boolean> {
    const removed = this.#records.delete(id);
    if (removed) this.#countChange();
    return removed;
  }

  async revision(): Promise<string> {
    return String(this.#revision);
  }

  async waitForChange(revision: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    while (!signal.aborted && revision === String(this.#revision))
      await Promise.race([this.#changed.promise, promise]);
  }

  #set(source: NewStoredSource, version: number): void {
    this.#records.set(source.id, structuredClone({ ...source, version }));
    this.#countChange();
  }

  #countChange(): void {
    this.#revision += 1;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}
