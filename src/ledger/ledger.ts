import type { Item, ItemKey, Sighting, Verdict } from '../item/item.ts';
import type { LifecycleEvent, Reason, State, Transition } from '../item/lifecycle.ts';
import type { Delivery } from '../outbox/outbox.ts';
import type { CorrectedTimes, LeaseWatch } from '../time/clock.ts';

/**
 * What every store of items does, whoever works on them: admitting, looking, a person's decisions, retention and transfer. Each
 * pipeline has one of its own.
 */
export interface ItemStore extends AsyncDisposable {
  /**
   * Create if absent, in batches. Of any number of callers that admit the same key at once exactly one gets `new`.
   * The answer has one outcome per sighting, in order; a key that stands twice in one call is `new` once.
   */
  admit(sightings: readonly Sighting[], options: AdmitOptions): Promise<readonly AdmitOutcome[]>;

  /** Whether this source brought something that was admitted, or known from another source; also when none of that is left after sweeps. */
  hasSeenSource(sourceId: string): Promise<boolean>;

  /** Which of these were ever admitted; tombstones count. */
  known(keys: readonly ItemKey[]): Promise<ReadonlySet<ItemKey>>;

  /** A person's decision on an item that nobody works on: retry, park, mark as sent, drop. */
  intervene(key: ItemKey, event: LifecycleEvent, who: string): Promise<Intervention>;

  find(key: ItemKey): Promise<Item | null>;
  /** Newest change first. A page may be shorter than asked for, and even empty, while `next` says that there is more. */
  list(filter: ItemFilter): Promise<ItemPage>;
  /** Oldest first. Of what was swept only the sweep is left. */
  history(key: ItemKey): Promise<readonly HistoryEntry[]>;
  /** Every source that carried the item, the first one first. */
  sightings(key: ItemKey): Promise<readonly RecordedSighting[]>;
  counts(): Promise<LedgerCounts>;

  /** Records of another program that cannot be used as they are: recognised, and not worked on. */
  unusable(limit: number): Promise<readonly UnusableRecord[]>;

  /** Ends the life of settled items that are older than their keep time, leaving tombstones (X20). Resumable. */
  sweep(plan: SweepPlan): Promise<SweepReport>;

  /** Everything that is remembered, for another ledger to load. What changes meanwhile may or may not be in it. */
  dump(): AsyncIterable<LedgerRecord>;
  /** Takes in what another ledger dumped. What is here already stays as it is, so loading twice changes nothing. */
  load(records: readonly LedgerRecord[]): Promise<readonly LoadOutcome[]>;
}

/**
 * A store of items that many workers share: who works on which item is recorded as a claim with a lease. The lifecycle decides what
 * happens to an item; a ledger stores it, together with the history, the verdict and the intents that belong to the same step, all
 * or nothing.
 */
export interface Ledger extends ItemStore {
  /**
   * Takes the item whose turn it is (B6: accepted with the oldest publication first, else waiting or deferred-and-due
   * with the oldest check) and holds it for `leaseMs`. Nobody else gets it until the lease has run out, the same owner
   * asking again included: one owner may hold many items.
   */
  claimNext(ask: ClaimRequest): Promise<Claim | null>;

  /** Takes this very item, if it is open, due (unless `early`) and nobody holds it. For work that a queue names. */
  claim(key: ItemKey, ask: ClaimRequest): Promise<Claim | null>;

  /** The keys of the items whose turn it is, in that order, without taking them. Somebody else may be faster. */
  upcoming(limit: number): Promise<readonly ItemKey[]>;

  /** Holds a claim for longer. `null` when it was lost: stop working, publish nothing (X21). */
  renew(claim: Claim, leaseMs: number): Promise<Claim | null>;

  /** Gives an item back untouched. A claim that was lost is nobody's to give back: nothing happens. */
  release(claim: Claim): Promise<void>;

  /**
   * Ends the claims of workers that died while their clock was ahead: they would last as long as it was ahead. Claims last
   * for `leaseMs`.
   */
  expireStalledClaims(leaseMs: number, leases: LeaseWatch): Promise<CorrectedTimes>;

  /**
   * Stores one step of an item's life under a claim: the transition, its history line, and what belongs to it.
   * `lost` when the lease has run out or the claim's fencing token is no longer the item's, and then nothing at all is
   * stored. The claim ends with the step unless `keepClaim` is set. Repeating a step after a lost reply answers
   * `recorded` again and stores nothing twice.
   */
  record(claim: Claim, transition: Transition, step?: Step): Promise<'recorded' | 'lost'>;

  /**
   * Open items, admitted with `handOver`, that may be worked on and were not handed to the queue since they may, or were
   * handed over before `handedBefore` and still lie there (D7). Oldest turn first.
   */
  pendingHandOver(ask: HandOverQuery): Promise<readonly ItemKey[]>;
  /** The queue has these for good. Said too late or twice it does no harm: a queue may deliver twice. */
  markHandedOver(keys: readonly ItemKey[]): Promise<void>;
}

export interface AdmitOptions {
  /** Which of them only set the baseline: recorded, never worked on (B19, X19). */
  readonly baseline?: (sighting: Sighting) => boolean;
  /** The new ones are to be handed to a separate queue, see `unhanded`. */
  readonly handOver?: boolean;
}

/**
 * `swept`: it lived before and left a tombstone, so it is not news. `refused`: it cannot be stored so that it can be
 * told apart and found again (see `check-sighting.ts`); the others of the same call are not touched by that.
 */
export type AdmitOutcome = 'new' | 'baseline' | 'known' | 'swept' | 'refused';

export interface ClaimRequest {
  /** Who works: unique for each worker, not only for each machine. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Only items in these states; all open states where absent. */
  readonly states?: readonly State[];
  /** Also before it is due. For `claim` only. */
  readonly early?: boolean;
  /** Names this very request: asking again with the same name, after a lost reply, answers the same claim. */
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

/** What is stored together with a transition. */
export interface Step {
  readonly verdict?: Verdict;
  /** Messages that are to be sent because of this step; each is stored at most once per key (see `OutboxStore.intend`). */
  readonly messages?: readonly NewMessage[];
  /** Facts for the history that no field has. */
  readonly notes?: Readonly<Record<string, string | number | boolean | null>>;
  readonly keepClaim?: boolean;
}

/** A message that is to be sent. Its key is made of pipeline, items, destination and template version. */
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
  /** From the page before. */
  readonly cursor?: string;
}

export interface ItemPage {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** One line of an item's history, from which `explain` tells it in words. */
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
  /** What was judged in this step. */
  readonly verdict?: Verdict;
}

/** One source that carried an item. */
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
  /** Claims that have not run out. */
  readonly leased: number;
  /** Time of the oldest check among open items; `null` when nothing waits. */
  readonly oldestOpen: number | null;
  readonly tombstones: number;
}

export interface UnusableRecord {
  /** Which record, in words for people. */
  readonly name: string;
  /** What is wrong with it. */
  readonly problem: string;
}

export interface SweepPlan {
  /** Keep time by state; a state that is absent is kept for ever. */
  readonly keep: Readonly<Partial<Record<State, number>>>;
  /** How long a tombstone outlives its item. */
  readonly keepTombstones: number;
  /** States whose items may be judged again after the sweep: they leave no tombstone (A14). */
  readonly withoutTombstone?: readonly State[];
  readonly dryRun: boolean;
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

export interface SweepReport {
  readonly swept: Readonly<Partial<Record<State, number>>>;
  readonly tombstonesRemoved: number;
  /** False when it was stopped before the end; the next sweep goes on. */
  readonly complete: boolean;
}

/** One thing that a ledger remembers, without claims: a lease means nothing elsewhere. */
export type LedgerRecord =
  | {
      readonly kind: 'item';
      readonly item: Item;
      /** The last fencing token, so that it goes on growing. */
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

/** `there`: it was here already, as it is now or changed since. */
export type LoadOutcome = 'loaded' | 'there';
