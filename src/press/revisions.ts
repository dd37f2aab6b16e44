/**
 * Messages that are there and are to read differently, because their item was edited at its source. Each message has at most
 * one revision, the newest. To make it twice does no harm, and making it never creates a message.
 *
 *   wanted ──▶ done | gone | refused      (a newer edit makes it wanted again)
 */
export interface RevisionStore {
  /** How often it is looked for what a process that died left here, in milliseconds. */
  readonly looksEveryMs: number;
  /**
   * Wants a message to read like this. `basedOn` is the version that was looked at, 0 where there was none. `stale`: somebody
   * else was faster, so look again.
   */
  want(revision: WantedRevision, basedOn: number): Promise<'wanted' | 'stale'>;
  /** What is known of these messages of a pipeline, by their keys. */
  of(pipeline: string, messages: readonly string[]): Promise<ReadonlyMap<string, Revision>>;
  /** One that is wanted and due at this destination, held for `leaseMs`. */
  take(line: RevisionLine, owner: string, leaseMs: number): Promise<Revision | null>;
  /** Writes down what became of it. `stale`: something else is wanted by now. */
  settle(revision: Revision, owner: string, outcome: RevisionOutcome): Promise<'settled' | 'stale'>;
  /** Forgets what was settled before this time. */
  forget(before: number): Promise<void>;
}

/** One destination of one pipeline. */
export interface RevisionLine {
  readonly pipeline: string;
  readonly destination: string;
}

export interface WantedRevision extends RevisionLine {
  /** The key of the message in its outbox, and what the destination calls it. */
  readonly message: string;
  readonly remoteId: string;
  /** The whole message as it is to read. */
  readonly body: string;
}

export interface Revision extends WantedRevision {
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
