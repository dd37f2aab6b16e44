import { isOlder, merged } from '../cursor.ts';
import type { OriginPage } from '../origin.ts';
import { MAX_REMOVED, type ReceivedDrops } from '../received-drops.ts';
import type { TimelineEntry } from '../timeline-store.ts';

/** What was received, for as long as this process runs. */
export class MemoryReceivedDrops implements ReceivedDrops {
  readonly #cap: number;
  readonly #removed = new Set<string>();
  #entries: readonly TimelineEntry[] = [];

  constructor(cap: number) {
    this.#cap = cap;
  }

  async keep(entries: readonly TimelineEntry[]): Promise<readonly TimelineEntry[]> {
    const taken = entries.filter(({ id }) => !this.#removed.has(id));
    this.#entries = merged([this.#entries, taken], this.#cap);
    return taken;
  }

  async remove(dropIds: readonly string[]): Promise<void> {
    for (const id of dropIds) this.#removed.add(id);
    for (const oldest of this.#removed) {
      if (this.#removed.size <= MAX_REMOVED) break;
      this.#removed.delete(oldest);
    }
    this.#entries = this.#entries.filter(({ id }) => !this.#removed.has(id));
  }

  async newest({ limit, before }: OriginPage): Promise<readonly TimelineEntry[]> {
    return this.#entries.filter((entry) => before === undefined || isOlder(entry, before)).slice(0, limit);
  }

  async removed(): Promise<readonly string[]> {
    return [...this.#removed];
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
