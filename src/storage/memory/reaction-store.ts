import { NO_REACTIONS, type ReactionRecord, type ReactionStore } from '../../learning/reaction-store.ts';

/** Reactions in this process, for tests and simulations. */
export class MemoryReactionStore implements ReactionStore {
  readonly #records = new Map<string, { readonly record: ReactionRecord; readonly changedAt: number }>();

  async of(person: string): Promise<ReactionRecord> {
    return this.#records.get(person)?.record ?? NO_REACTIONS;
  }

  async update(
    person: string,
    now: number,
    change: (record: ReactionRecord) => ReactionRecord,
  ): Promise<ReactionRecord> {
    const before = this.#records.get(person)?.record ?? NO_REACTIONS;
    const record = change(before);
    if (record !== before) this.#records.set(person, { record, changedAt: now });
    return record;
  }

  async changedSince(since: number): Promise<ReadonlyMap<string, ReactionRecord>> {
    const changed = [...this.#records].filter(([, { changedAt }]) => changedAt >= since);
    return new Map(changed.map(([person, { record }]) => [person, record]));
  }

  async removePerson(person: string): Promise<void> {
    this.#records.delete(person);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
