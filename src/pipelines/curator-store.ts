import type { Item, ItemKey } from '../item/item.ts';
import type { Transition } from '../item/lifecycle.ts';
import type { NewMessage, Step } from '../ledger/ledger.ts';
import type { ClaimedMessage, Delivery } from '../outbox/outbox.ts';

/**
 * What the curator's run needs of its store. One run of a pipeline lives at a time, under the lease of the run store, so there are
 * no claims: every write names the article as it was read, and is refused where the article has changed since.
 *
 *   admitted ──▶ pending ── saveVerdict ──▶ rejected, failed
 *                   │ saveVerdict
 *                   ▼
 *               candidates ── createDigest ──▶ open digest ── its messages are finished ──▶ published, failed, parked
 */
export interface CuratorStore {
  /**
   * Articles to judge now: admitted and not judged yet, or due for another try, the oldest check first. `since` is the start of the
   * run: what was admitted earlier may have got its verdict from a run that died, and is checked.
   */
  pending(limit: number, since: number): Promise<readonly Article[]>;

  /** An article that is waiting, deferred or accepted, and in no digest; `null` otherwise. */
  article(key: ItemKey): Promise<Article | null>;

  /** Good articles without a message: they compete for the next digest (A5). */
  candidates(): Promise<readonly Article[]>;

  /** Digests with articles whose messages are not all finished. */
  openDigests(): Promise<readonly OpenDigest[]>;

  /**
   * Stores one step of an article, with its verdict. `kept`: nothing is written yet, since what comes next costs less (A19): the caller
   * hands the new article to `createDigest` or `saveCandidates` where it is accepted, and to `updatePending` where it still
   * waits. `lost`: the article is no longer as it was read, and nothing is stored.
   */
  saveVerdict(article: Article, transition: Transition, step?: Step): Promise<SavedVerdict>;

  /** Stores accepted articles that `saveVerdict` kept, for the next run. */
  saveCandidates(articles: readonly Article[]): Promise<void>;

  /**
   * Ends the judging of a run: removes what was judged from the articles that wait, and stores what `saveVerdict` kept of those that go
   * on waiting. After a crash before this `pending` leaves out what was judged; what was postponed is tried again at once.
   */
  updatePending(changes: PendingChanges): Promise<void>;

  /**
   * Creates a digest with its articles and its messages to all destinations, all or nothing, before anything is sent. `taken`: one of the
   * articles was published, or has a message to one of these destinations. `there`: the same messages were written before.
   */
  createDigest(digest: NewDigest): Promise<CreatedDigest>;

  /** Adds messages to an open digest, for destinations that have none. Messages that are there already are left as they are. */
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
   * Who sends the first message of each of these destinations at once: a store that can do so creates it marked as being sent, which
   * saves a write for each destination.
   */
  readonly sender: {
    readonly owner: string;
    readonly leaseMs: number;
    readonly destinations: readonly string[];
  };
}

export interface CreatedDigest {
  readonly outcome: 'created' | 'there' | 'taken';
  /** Messages that were created marked as being sent: the caller has to send or settle them. */
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
