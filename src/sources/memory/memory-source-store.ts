import type { SourceRecord, SourceStore } from '../source-store.ts';

/** For tests and trials: forgets everything with the process. */
export class MemorySourceStore implements SourceStore {
  readonly #records = new Map<string, SourceRecord>();

  async load(sourceId: string): Promise<SourceRecord | null> {
    return copied(this.#records.get(sourceId) ?? null);
  }

  async save(record: SourceRecord): Promise<void> {
    this.#records.set(record.sourceId, structuredClone(record));
  }

  async list(): Promise<readonly SourceRecord[]> {
    const all = [...this.#records.values()].sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1));
    return structuredClone(all);
  }

  async remove(sourceId: string): Promise<void> {
    this.#records.delete(sourceId);
  }
}

function copied(record: SourceRecord | null): SourceRecord | null {
  return record === null ? null : structuredClone(record);
}
