import type { ItemKey } from '../item/item.ts';
import type { Clock } from '../time/clock.ts';
import { MINUTE, SECOND } from '../time/duration.ts';
import { PairDecisions, type StoryDecision, type StoryDecisions } from './story-decisions.ts';
import { changedAt, type StoryEdit, type StoryEditStore } from './story-edit-store.ts';

/** Maximum delay until a decision that another process stored is known here. */
const MAX_AGE_MS = 5 * SECOND;
/** Clocks of replicas differ. */
const OVERLAP_MS = MINUTE;

export interface StoryEditsOptions {
  readonly store: StoryEditStore;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** The edits of people as fixed decisions about pairs of items: of several edits about a pair the latest one holds. */
export class StoryEdits implements StoryDecisions {
  readonly #options: StoryEditsOptions;
  /** By ID, in the order in which they were made. */
  #edits = new Map<string, StoryEdit>();
  #decisions = new PairDecisions();
  #changedTo = 0;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #version = 0;

  constructor(options: StoryEditsOptions) {
    this.#options = options;
  }

  /** Changes whenever a decision does. */
  get version(): number {
    return this.#version;
  }

  /** Reads what changed. Before the first call nothing is known. */
  async refresh(): Promise<void> {
    const { store, clock } = this.#options;
    const now = clock.monotonic();
    if (now - this.#checkedAt < MAX_AGE_MS) return;
    this.install(await store.changedSince(this.#changedTo - OVERLAP_MS));
    this.#checkedAt = now;
  }

  /** Takes over edits that were read or stored. */
  install(edits: readonly StoryEdit[]): void {
    const changed = edits.filter((edit) => this.#edits.get(edit.id)?.undoneAt !== edit.undoneAt);
    if (changed.length === 0) return;
    const all = new Map([...this.#edits.values(), ...changed].map((edit) => [edit.id, edit]));
    this.#edits = new Map([...all].sort(([, a], [, b]) => a.at - b.at));
    this.#changedTo = Math.max(this.#changedTo, ...changed.map(changedAt));
    this.#decisions = new PairDecisions(this.#pairs());
    this.#version++;
  }

  of(key: ItemKey): ReadonlyMap<ItemKey, StoryDecision> {
    return this.#decisions.of(key);
  }

  /** The edit that decided about two items. */
  between(one: ItemKey, other: ItemKey): StoryEdit | null {
    const decides = ({ items, others, undoneAt }: StoryEdit): boolean =>
      undoneAt === null &&
      ((items.includes(one) && others.includes(other)) || (items.includes(other) && others.includes(one)));
    return [...this.#edits.values()].findLast(decides) ?? null;
  }

  *#pairs(): Generator<readonly [ItemKey, ItemKey, StoryDecision]> {
    for (const { kind, items, others, undoneAt } of this.#edits.values())
      if (undoneAt === null)
        for (const item of items)
          for (const other of others) yield [item, other, kind === 'join' ? 'same' : 'different'];
  }
}
