/**
 * Requested edits of published messages whose item was edited at its source. Each message has at most one revision, the newest. Applying one is idempotent and never creates a message.
 *
 *   wanted ──▶ done | gone | refused      (a newer edit makes it wanted again)
 */
export interface RevisionStore {
  /** How often to poll for revisions of dead processes, in milliseconds. */
  readonly pollIntervalMs: number;
  /**
   * Requests a new body for a message. `basedOn` is the version that was read, 0 if there was none. `stale`: another
   * process changed it since; read again.
   */
  request(revision: RequestedRevision, basedOn: number): Promise<'wanted' | 'stale'>;
  /** The revisions of these messages of a pipeline, by message key. */
  of(pipeline: string, messages: readonly string[]): Promise<ReadonlyMap<string, Revision>>;
  /** Claims a wanted and due revision of this destination for `leaseMs`. */
  claimNext(target: RevisionTarget, owner: string, leaseMs: number): Promise<Revision | null>;
  /** Records the outcome. `stale`: a newer revision was requested or claimed meanwhile. */
  finish(revision: Revision, owner: string, outcome: RevisionOutcome): Promise<'finished' | 'stale'>;
  /** Deletes revisions that were finished before this time. */
  purge(before: number): Promise<void>;
}

/** One destination of one pipeline. */
export interface RevisionTarget {
  readonly pipeline: string;
  readonly destination: string;
}

export interface RequestedRevision extends RevisionTarget {
  /** The key of the message in its outbox, and its ID at the destination. */
  readonly message: string;
  readonly remoteId: string;
  /** The whole new body. */
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

/** `gone`: a moderator deleted the message. It is not posted again. */
export type RevisionEnd = 'done' | 'gone' | 'refused';

export type RevisionOutcome =
  | { readonly state: RevisionEnd; readonly detail: string | null }
  | { readonly state: 'wanted'; readonly detail: string; readonly dueAt: number };

/** Messages per destination and day, counted across all replicas. */
export interface DayCounter {
  /** Increments unless the count has reached `max`. `day` is the start of the day. */
  tryIncrement(destination: string, day: number, max: number): Promise<boolean>;
  /** Call it for a counted message that was not sent. */
  decrement(destination: string, day: number): Promise<void>;
}

/** Stores beside the outboxes, shared by all pipelines and replicas. */
export interface PublishingStores extends AsyncDisposable {
  readonly revisions: RevisionStore;
  readonly counter: DayCounter;
}
