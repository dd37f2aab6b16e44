import type { TimelineOrigin } from './origin.ts';
import type { TimelineName, TimelineStore } from './timeline-store.ts';

/** Follows that change while a rebuild runs make it start again; after this many times reading goes without a cache. */
const ATTEMPTS = 3;

/**
 * Puts a timeline that is missing back into the store (C16). One rebuild at a time for each timeline, whoever asks.
 * The store takes new drops from the first moment on, so that what is posted meanwhile is in it at the end.
 */
export class Rebuilds {
  readonly #store: TimelineStore;
  readonly #origin: TimelineOrigin;
  readonly #cap: number;
  readonly #running = new Map<TimelineName, Promise<boolean>>();

  constructor(store: TimelineStore, origin: TimelineOrigin, cap: number) {
    this.#store = store;
    this.#origin = origin;
    this.#cap = cap;
  }

  /** Whether the timeline is there now. */
  rebuild(timeline: TimelineName): Promise<boolean> {
    const running = this.#running.get(timeline);
    if (running) return running;
    const started = this.#build(timeline).finally(() => this.#running.delete(timeline));
    this.#running.set(timeline, started);
    return started;
  }

  async #build(timeline: TimelineName): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const token = await this.#store.begin(timeline);
      try {
        const entries = await this.#origin.read(timeline, { limit: this.#cap });
        const floor = entries.length < this.#cap ? null : (entries.at(-1) ?? null);
        if (await this.#store.merge(timeline, { entries, floor }, token)) return true;
      } catch (error) {
        // A half-built timeline would take drops for ever and never be readable.
        await this.#store.drop(timeline);
        throw error;
      }
    }
    await this.#store.drop(timeline);
    return false;
  }
}
