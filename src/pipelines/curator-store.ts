import type { Item, ItemKey } from '../item/item.ts';
import type { Transition } from '../item/lifecycle.ts';
import type { NewMessage, Step } from '../ledger/ledger.ts';
import type { ClaimedMessage, Delivery } from '../outbox/outbox.ts';

/**
 * What the curator's run needs of its store. The lease of the run store admits one run of a pipeline at a time, so there are no claims: every write is a compare-and-set on the article as it was read.
 *
 *   admitted ──▶ pending ── saveVerdict ──▶ rejected, failed
 *                   │ saveVerdict
 *                   ▼
 *               candidates ── createDigest ──▶ open digest ── its messages are finished ──▶ published, failed, parked
 */
export interface CuratorStore {
  /**
   * Articles to judge now: admitted and not judged yet, or due for a retry, oldest check first. `since` is the start
   * of the run: articles admitted earlier are checked for a verdict of a run that crashed.
   */
  pending(limit: number, since: number): Promise<readonly Article[]>;

  /** An article that is waiting, deferred or accepted, and in no digest; `null` otherwise. */
  article(key: ItemKey): Promise<Article | null>;

  /** Accepted articles without a message: they compete for the next digest (A5). */
  candidates(): Promise<readonly Article[]>;

  /** Digests with articles whose messages are not all finished. */
  openDigests(): Promise<readonly OpenDigest[]>;

  /**
   * Stores one step of an article, with its verdict. `kept`: the write is left to a later, cheaper batch (A19): the
   * caller passes the new article to `createDigest` or `saveCandidates` if it is accepted, and to `updatePending` if
   * it still waits. `lost`: the article has changed since it was read; nothing is stored.
   */
  saveVerdict(article: Article, transition: Transition, step?: Step): Promise<SavedVerdict>;

  /** Stores accepted articles that `saveVerdict` kept, for the next run. */
  saveCandidates(articles: readonly Article[]): Promise<void>;

  /**
   * Ends the evaluation of a run: removes judged articles from the pending ones, and stores the postponed articles
   * that `saveVerdict` kept. After a crash before this call, `pending` still leaves out judged articles, and
   * postponed ones are retried at once.
   */
  updatePending(changes: PendingChanges): Promise<void>;

  /**
   * Creates a digest with its articles and its messages to all destinations, atomically, before anything is sent.
   * `taken`: one of the articles was published, or has a message to one of these destinations. `there`: the same
   * messages were enqueued before.
   */
  createDigest(digest: NewDigest): Promise<CreatedDigest>;

  /** Adds messages to an open digest, for destinations that have none. Existing messages stay unchanged. */
  updateDigest(id: string, messages: readonly NewMessage[]): Promise<void>;
}

/** An article as its store has read it. */
export interface Article {
  readonly item: Item;
  /** The store's own record of it, for its next write; opaque to others. */
  readonly record: unknown;
}

export type SavedVerdict =
  | { readonly outcome: 'saved' }
  | { readonly outcome: 'kept'; readonly article: Article }
  | { readonly outcome: 'lost' };

export interface NewDigest {
  readonly articles: readonly Article[];
  readonly messages: readonly NewMessage[];
  /**
   * The caller, which sends the first message of each of these destinations at once. A store may create these
   * messages in state `sending`, which saves a write for each destination.
   */
  readonly sender: {
    readonly owner: string;
    readonly leaseMs: number;
    readonly destinations: readonly string[];
  };
}

export interface CreatedDigest {
  readonly outcome: 'created' | 'there' | 'taken';
  /** Messages created in state `sending`: the caller has to send and finish them. */
  readonly held: readonly ClaimedMessage[];
}

export interface PendingChanges {
  readonly judged: readonly ItemKey[];
  readonly postponed: readonly Article[];
}

/** A digest that is not finished, with those of its articles that are not recorded yet. */
export interface OpenDigest {
  readonly id: string;
  readonly articles: readonly Item[];
  readonly messages: readonly Delivery[];
}
