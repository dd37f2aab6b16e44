import type {
  NewStoredSource,
  SourceCatalogueStore,
  StoredSource,
} from '../../sources/source-catalogue-store.ts';
import { HOUR } from '../../time/duration.ts';

/** Sources of one process, for tests; lost on restart. */
export class MemorySourceCatalogueStore implements SourceCatalogueStore {
  /** No other process changes it. */
  readonly pollIntervalMs = HOUR;
  readonly #records = new Map<string, StoredSource>();
  #revision = 0;

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
    if (removed) this.#revision += 1;
    return removed;
  }

  async revision(): Promise<string> {
    return String(this.#revision);
  }

  #set(source: NewStoredSource, version: number): void {
    this.#records.set(source.id, structuredClone({ ...source, version }));
    this.#revision += 1;
  }
}
