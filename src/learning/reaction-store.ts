import type { ItemKey } from '../item/item.ts';
import type { ReactionKind } from '../item/learned.ts';

/** What is known of an article that people react to: what the taste is made of. */
export interface ReactedFacts {
  readonly title: string;
  /** Text that the source gave, shortened. */
  readonly excerpt: string | null;
  readonly author: string | null;
  /** The sources that carry it, the first one first. */
  readonly sourceIds: readonly string[];
}

/** One reaction. It has the facts of its article, so that it keeps its effect when the article is swept. */
export interface Reaction extends ReactedFacts {
  /** Made from kind and article: the same reaction has the same ID. */
  readonly id: string;
  readonly kind: ReactionKind;
  readonly at: number;
  readonly key: ItemKey;
  readonly url: string;
}

/** A change of a person's reactions, so that it can be taken back. */
export interface ReactionChange {
  readonly token: string;
  readonly at: number;
  /** IDs that it added. */
  readonly added: readonly string[];
  readonly removed: readonly Reaction[];
}

/** Everything that is stored about the taste of a person. */
export interface ReactionRecord {
  /** False: nothing is recorded, and nothing that was recorded counts. */
  readonly enabled: boolean;
  /** Oldest first. */
  readonly reactions: readonly Reaction[];
  /** Oldest first; only those that can still be taken back. */
  readonly changes: readonly ReactionChange[];
}

export const NO_REACTIONS: ReactionRecord = { enabled: true, reactions: [], changes: [] };

/**
 * What people reacted to (Q20), one record for each person. The taste is computed from these records and stored nowhere,
 * so that what is removed here has no effect any more.
 */
export interface ReactionStore extends AsyncDisposable {
  /** `NO_REACTIONS` for an unknown person. */
  of(person: string): Promise<ReactionRecord>;
  /**
   * Replaces a record atomically and returns the new one. `change` may be called several times; it returns its argument
   * where nothing changes.
   */
  update(
    person: string,
    now: number,
    change: (record: ReactionRecord) => ReactionRecord,
  ): Promise<ReactionRecord>;
  /** The records of everybody that changed since, by person. */
  changedSince(since: number): Promise<ReadonlyMap<string, ReactionRecord>>;
  /** Deletes everything about a person. */
  removePerson(person: string): Promise<void>;
}

/** Reactions that are kept of a person. A record has to fit into a document of 1 MiB. */
export const MAX_REACTIONS = 500;
export const MAX_REACTED_TEXT = 200;
