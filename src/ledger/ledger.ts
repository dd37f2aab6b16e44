import type { Item, ItemKey, Sighting, Verdict } from '../item/item.ts';
import type { LifecycleEvent, Reason, State, Transition } from '../item/lifecycle.ts';
import type { Delivery } from '../outbox/outbox.ts';
import type { CorrectedTimes, LeaseWatch } from '../time/clock.ts';

/**
 * The part of a ledger without claims: admission, queries, manual decisions, retention and transfer. Each pipeline has its own.
 */
export interface ItemStore extends AsyncDisposable {
  /**
   * Create if absent, in batches. Of any number of callers that admit the same key at once exactly one gets `new`.
   * Returns one outcome per sighting, in order; a key that occurs twice in one call is `new` once.
   */
  admit(sightings: readonly Sighting[], options: AdmitOptions): Promise<readonly AdmitOutcome[]>;

  /** Whether this source ever reported an item that was admitted or already known; true also after all of them were swept. */
  hasSeenSource(sourceId: string): Promise<boolean>;

  /** Which of these were ever admitted; tombstones count. */
  known(keys: readonly ItemKey[]): Promise<ReadonlySet<ItemKey>>;

  /** A manual decision on an item that is not claimed: retry, park, mark as sent, drop. */
  intervene(key: ItemKey, event: LifecycleEvent, who: string): Promise<Intervention>;

  find(key: ItemKey): Promise<Item | null>;
  /** Newest change first. A page may be shorter than requested, even empty, although `next` is set. */
  list(filter: ItemFilter): Promise<ItemPage>;
  /** Oldest first. A swept item has only the line of the sweep. */
  history(key: ItemKey): Promise<readonly HistoryEntry[]>;
  /** Every source that reported the item, in the order of their first report. */
  sightings(key: ItemKey): Promise<readonly RecordedSighting[]>;
  counts(): Promise<LedgerCounts>;

  /** Records of another program that cannot be used: recognised as known, never processed. */
  unusable(limit: number): Promise<readonly UnusableRecord[]>;

  /** Deletes items in terminal states that are older than their keep time, leaving tombstones (X20). Resumable. */
  sweep(plan: SweepPlan): Promise<SweepReport>;

  /** All records, for another ledger to load. Concurrent changes may or may not be included. */
  dump(): AsyncIterable<LedgerRecord>;
  /** Loads the dump of another ledger. Existing records stay unchanged, so loading twice changes nothing. */
  load(records: readonly LedgerRecord[]): Promise<readonly LoadOutcome[]>;
}

/**
 * A store of items that many workers share: a worker claims an item with a lease. The lifecycle decides what happens to an item; the
 * ledger stores it atomically with the history, the verdict and the messages of the same step.
 */
export interface Ledger extends ItemStore {
  /**
   * Claims the next item (B6: accepted with the oldest publication first, else waiting or deferred-and-due with the
   * oldest check) for `leaseMs`. Until the lease expires no other call gets it, not even one by the same owner: an owner
   * may have many claims.
   */
  claimNext(request: ClaimRequest): Promise<Claim | null>;

  /** Claims this item if it is open, due (unless `early`) and not claimed. For work that comes from a queue. */
  claim(key: ItemKey, request: ClaimRequest): Promise<Claim | null>;

  /** Keys of the next items, in claim order, without claiming them. Another worker may claim them first. */
  upcoming(limit: number): Promise<readonly ItemKey[]>;

  /** Renews the lease of a claim. `null` when it was lost: stop working, publish nothing (X21). */
  renew(claim: Claim, leaseMs: number): Promise<Claim | null>;

  /** Releases a claim without changing the item. Does nothing if the claim was lost. */
  release(claim: Claim): Promise<void>;

  /**
   * Ends the claims of workers that died while their clock was ahead; those would not expire until the clock catches up.
   * `leaseMs`: the lease of the claims.
   */
  expireStalledClaims(leaseMs: number, leases: LeaseWatch): Promise<CorrectedTimes>;

  /**
   * Stores one step of an item under a claim: the transition, its history line, and what belongs to it.
   * `lost` when the lease has expired or the claim's fencing token is outdated; then nothing is stored. The claim ends
   * with the step unless `keepClaim` is set. Repeating a step after a lost reply returns `recorded` again and stores
   * nothing twice.
   */
  record(claim: Claim, transition: Transition, step?: Step): Promise<'recorded' | 'lost'>;

  /**
   * Open items, admitted with `handOver`, that are due and were not handed over to the queue since then, or were handed
   * over before `handedBefore` and are still unprocessed (D7). In claim order.
   */
  pendingHandOver(query: HandOverQuery): Promise<readonly ItemKey[]>;
  /** Marks items as durably enqueued. Idempotent, and harmless when late: a queue may deliver twice. */
  markHandedOver(keys: readonly ItemKey[]): Promise<void>;
}

export interface AdmitOptions {
  /** Keys that only set the baseline: recorded, never processed (B19, X19). */
  readonly baseline?: (sighting: Sighting) => boolean;
  /** New items are to be handed over to a separate queue, see `pendingHandOver`. */
  readonly handOver?: boolean;
}

/**
 * `swept`: it has a tombstone, so it is not news. `refused`: it cannot be stored so that it stays distinct and can be
 * found again (see `validation.ts`); the others of the same call are not affected.
 */
export type AdmitOutcome = 'new' | 'baseline' | 'known' | 'swept' | 'refused';

export interface ClaimRequest {
  /** The worker: unique for each worker, not only for each machine. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Only items in these states; all open states where absent. */
  readonly states?: readonly State[];
  /** Claim it even before it is due. For `claim` only. */
  readonly early?: boolean;
  /** Name of the request: repeated with the same name after a lost reply, it returns the same claim. */
  readonly attempt?: string;
}

export interface HandOverQuery {
  readonly limit: number;
  /** Also those that were handed over before this time. */
  readonly handedBefore?: number;
}

export interface Claim {
  readonly item: Item;
  readonly owner: string;
  /** Fencing token: grows with every claim of this item. */
  readonly token: number;
  readonly until: number;
}

/** Data stored together with a transition. */
export interface Step {
  readonly verdict?: Verdict;
  /** Messages to enqueue with this step; each is stored at most once per key (see `Outbox.enqueue`). */
  readonly messages?: readonly NewMessage[];
  /** Facts for the history that no field has. */
  readonly notes?: Readonly<Record<string, string | number | boolean | null>>;
  readonly keepClaim?: boolean;
}

/** A message to be sent. Its key is derived from pipeline, items, destination and template version. */
export interface NewMessage {
  readonly key: string;
  readonly itemKeys: readonly ItemKey[];
  readonly destination: string;
  /** The rendered message, exactly as it will be sent. */
  readonly body: string;
}

export type Intervention =
  | { readonly done: true; readonly item: Item }
  | { readonly done: false; readonly why: string };

export interface ItemFilter {
  readonly states?: readonly State[];
  readonly reasons?: readonly Reason[];
  readonly sourceId?: string;
  /** A part of the title or of the address. */
  readonly text?: string;
  readonly limit: number;
  /** From the previous page. */
  readonly cursor?: string;
}

export interface ItemPage {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** One line of an item's history; `explainItem` puts it into words. */
export interface HistoryEntry {
  readonly at: number;
  /** `admit`, `claim`, `deliver`, `sweep`, or the lifecycle's event. */
  readonly event: string;
  readonly from: State | null;
  readonly to: State | null;
  readonly reason: Reason;
  readonly detail: string | null;
  readonly who: string | null;
  readonly notes: Readonly<Record<string, string | number | boolean | null>>;
  /** The verdict of this step. */
  readonly verdict?: Verdict;
}

/** One source that reported an item. */
export interface RecordedSighting {
  readonly sourceId: string;
  readonly sourceName: string;
  readonly url: string;
  readonly title: string;
  readonly at: number;
}

export interface LedgerCounts {
  readonly byState: Readonly<Record<State, number>>;
  readonly byReason: Readonly<Partial<Record<Reason, number>>>;
  /** Unexpired claims. */
  readonly leased: number;
  /** Time of the oldest check among open items; `null` if there are none. */
  readonly oldestOpen: number | null;
  readonly tombstones: number;
}

export interface UnusableRecord {
  /** The record, described for people. */
  readonly name: string;
  /** What is wrong with it. */
  readonly problem: string;
}

export interface SweepPlan {
  /** Keep time by state; a state that is absent is kept for ever. */
  readonly keep: Readonly<Partial<Record<State, number>>>;
  /** How long a tombstone outlives its item. */
  readonly keepTombstones: number;
  /** States whose items may be re-evaluated after the sweep: they leave no tombstone (A14). */
  readonly withoutTombstone?: readonly State[];
  readonly dryRun: boolean;
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

export interface SweepReport {
  readonly swept: Readonly<Partial<Record<State, number>>>;
  readonly tombstonesRemoved: number;
  /** False when it was stopped before the end; the next sweep continues. */
  readonly complete: boolean;
}

/** One record of a ledger, without claims: a lease is meaningless elsewhere. */
export type LedgerRecord =
  | {
      readonly kind: 'item';
      readonly item: Item;
      /** The last fencing token, so that it keeps growing. */
      readonly token: number;
      readonly handOver: boolean;
      readonly sightings: readonly RecordedSighting[];
      readonly history: readonly HistoryEntry[];
    }
  | { readonly kind: 'delivery'; readonly delivery: Delivery }
  | {
      readonly kind: 'tombstone';
      readonly key: ItemKey;
      readonly state: State;
      readonly sweptAt: number;
    };

/** `there`: it exists already, unchanged or changed since. */
export type LoadOutcome = 'loaded' | 'there';
