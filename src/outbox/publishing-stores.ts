/**
 * Messages that are there and are to read differently, because their item was edited at its source. Each message has at most
 * one revision, the newest. To make it twice does no harm, and making it never creates a message.
 *
 *   wanted ──▶ done | gone | refused      (a newer edit makes it wanted again)
 */
export interface RevisionStore {
  /** How often it is looked for what a process that died left here, in milliseconds. */
  readonly pollIntervalMs: number;
  /**
   * Wants a message to read like this. `basedOn` is the version that was looked at, 0 where there was none. `stale`: somebody
   * else was faster, so look again.
   */
  request(revision: RequestedRevision, basedOn: number): Promise<'wanted' | 'stale'>;
  /** What is known of these messages of a pipeline, by their keys. */
  of(pipeline: string, messages: readonly string[]): Promise<ReadonlyMap<string, Revision>>;
  /** One that is wanted and due at this destination, held for `leaseMs`. */
  claimNext(line: RevisionTarget, owner: string, leaseMs: number): Promise<Revision | null>;
  /** Writes down what became of it. `stale`: something else is wanted by now. */
  finish(revision: Revision, owner: string, outcome: RevisionOutcome): Promise<'settled' | 'stale'>;
  /** Forgets what was settled before this time. */
  purge(before: number): Promise<void>;
}

/** One destination of one pipeline. */
export interface RevisionTarget {
  readonly pipeline: string;
  readonly destination: string;
}

export interface RequestedRevision extends RevisionTarget {
  /** The key of the message in its outbox, and what the destination calls it. */
  readonly message: string;
  readonly remoteId: string;
  /** The whole message as it is to read. */
  readonly body: string;
}

export interface Revision extends RequestedRevision {
  /** Grows with each edit. */
  readonly version: number;
  readonly state: 'wanted' | RevisionEnd;
  readonly attempts: number;
  readonly detail: string | null;
  readonly dueAt: number | null;
  readonly updatedAt: number;
}

/** `gone`: a moderator took the message away. It stays away. */
export type RevisionEnd = 'done' | 'gone' | 'refused';

export type RevisionOutcome =
  | { readonly state: RevisionEnd; readonly detail: string | null }
  | { readonly state: 'wanted'; readonly detail: string; readonly dueAt: number };

/** How many messages each destination got today, counted by all copies of the program together. */
export interface DayCounter {
  /** Counts one more, unless there are `most` already. `day` is the moment at which the day began. */
  tryIncrement(destination: string, day: number, most: number): Promise<boolean>;
  /** One was counted and not sent after all. */
  decrement(destination: string, day: number): Promise<void>;
}

/** What the press remembers beside the outboxes, for all pipelines and all copies of the program together. */
export interface PublishingStores extends AsyncDisposable {
  readonly revisions: RevisionStore;
  readonly counter: DayCounter;
}
