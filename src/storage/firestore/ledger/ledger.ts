import type { Item, ItemKey, Sighting } from '../../../item/item.ts';
import type { LifecycleEvent, LifecyclePolicy, State, Transition } from '../../../item/lifecycle.ts';
import { intervene, publicHistory, recordStep, sweepLine } from '../../../ledger/item-record.ts';
import type {
  AdmitOptions,
  AdmitOutcome,
  Claim,
  ClaimRequest,
  HandOverQuery,
  HistoryEntry,
  Intervention,
  ItemFilter,
  ItemPage,
  Ledger,
  LedgerCounts,
  LedgerRecord,
  LoadOutcome,
  RecordedSighting,
  Step,
  SweepPlan,
  SweepReport,
  UnusableRecord,
} from '../../../ledger/ledger.ts';
import { checkLeaseMs, checkLimit, checkTransition } from '../../../ledger/validation.ts';
import type { CorrectedTimes, LeaseWatch } from '../../../time/clock.ts';
import { planEnqueue } from '../outbox-messages.ts';
import { admit, adoptForeign, known, lookUp } from './admit.ts';
import {
  claim,
  claimNext,
  expireStalled,
  markHandedOver,
  pendingHandOver,
  release,
  renew,
  upcoming,
} from './claim.ts';
import type { LedgerStore } from './ledger-store.ts';
import { CountsCache, type CountsTtl, counts, hasSeenSource, list } from './list.ts';
import { sweep } from './sweep.ts';
import { dump, load } from './transfer.ts';

/**
 * A ledger with one document for each item. Every write has the update time of its read as precondition: when another writer
 * was first, Firestore refuses it, and the item is read and decided again. So a claim needs no lock, and a worker that lost
 * its lease stores nothing.
 */
export class FirestoreLedger implements Ledger {
  readonly #store: LedgerStore;
  readonly #policy: LifecyclePolicy;
  readonly #counts: CountsCache;

  constructor(store: LedgerStore, policy: LifecyclePolicy, countsFor?: CountsTtl) {
    this.#store = store;
    this.#policy = policy;
    this.#counts = new CountsCache(store.clock, countsFor);
  }

  admit(sightings: readonly Sighting[], options: AdmitOptions = {}): Promise<readonly AdmitOutcome[]> {
    return this.#counts.invalidateAfter(admit(this.#store, sightings, options));
  }

  /** Adopts what another program of the same contract recorded or changed. Returns the number of items. */
  adopt(signal?: AbortSignal): Promise<number> {
    return this.#counts.invalidateAfter(adoptForeign(this.#store, signal));
  }

  known(keys: readonly ItemKey[]): Promise<ReadonlySet<ItemKey>> {
    return known(this.#store, keys);
  }

  async claimNext(ask: ClaimRequest): Promise<Claim | null> {
    checkLeaseMs(ask.leaseMs);
    return claimNext(this.#store, ask);
  }

  async claim(key: ItemKey, ask: ClaimRequest): Promise<Claim | null> {
    checkLeaseMs(ask.leaseMs);
    return claim(this.#store, key, ask);
  }

  async upcoming(limit: number): Promise<readonly ItemKey[]> {
    checkLimit(limit);
    return upcoming(this.#store, limit);
  }

  async renew(claim: Claim, leaseMs: number): Promise<Claim | null> {
    checkLeaseMs(leaseMs);
    return renew(this.#store, claim, leaseMs);
  }

  async release(claim: Claim): Promise<void> {
    await release(this.#store, claim);
  }

  expireStalledClaims(leaseMs: number, leases: LeaseWatch): Promise<CorrectedTimes> {
    return this.#counts.invalidateAfter(expireStalled(this.#store, leaseMs, leases));
  }

  async record(claim: Claim, transition: Transition, step: Step = {}): Promise<'recorded' | 'lost'> {
    checkTransition(transition);
    const { messages = [] } = step;
    const beside = async () => (await planEnqueue(this.#store, messages)).writes;
    const recorded = this.#store.change(
      claim.item.key,
      'lost',
      (record, now) => recordStep(record, claim, transition, step, now),
      messages.length === 0 ? {} : { beside },
    );
    return this.#counts.invalidateAfter(recorded);
  }

  intervene(key: ItemKey, event: LifecycleEvent, who: string): Promise<Intervention> {
    const absent = { done: false, why: `there is no item ${key}` } as const;
    let tried: HistoryEntry | undefined;
    const done = this.#store.change<Intervention>(key, absent, (record, now) => {
      // An earlier attempt of this call whose reply was lost has left its history line.
      if (tried !== undefined && record.history.some((line) => isSameHistoryLine(line, tried)))
        return { value: { done: true, item: record.item } };
      const result = intervene(record, event, who, now, this.#policy);
      tried = result.next?.history.at(-1);
      return result;
    });
    return this.#counts.invalidateAfter(done);
  }

  async pendingHandOver(ask: HandOverQuery): Promise<readonly ItemKey[]> {
    checkLimit(ask.limit);
    return pendingHandOver(this.#store, ask);
  }

  markHandedOver(keys: readonly ItemKey[]): Promise<void> {
    return markHandedOver(this.#store, keys);
  }

  async find(key: ItemKey): Promise<Item | null> {
    return (await this.#store.read(key))?.item ?? null;
  }

  async list(filter: ItemFilter): Promise<ItemPage> {
    checkLimit(filter.limit);
    return list(this.#store, filter);
  }

  async history(key: ItemKey): Promise<readonly HistoryEntry[]> {
    const { item, tombstone } = (await lookUp(this.#store, [key])).get(key) ?? {};
    const stored = item === undefined ? null : this.#store.recordOf(item);
    if (stored !== null) return publicHistory(stored);
    if (!tombstone?.exists) return [];
    return [sweepLine(tombstone.get('state') as State, Number(tombstone.get('swept_at')))];
  }

  async unusable(): Promise<readonly UnusableRecord[]> {
    return [];
  }

  hasSeenSource(sourceId: string): Promise<boolean> {
    return hasSeenSource(this.#store, sourceId);
  }

  async sightings(key: ItemKey): Promise<readonly RecordedSighting[]> {
    return (await this.#store.read(key))?.sightings ?? [];
  }

  counts(): Promise<LedgerCounts> {
    return this.#counts.get(() => counts(this.#store));
  }

  sweep(plan: SweepPlan): Promise<SweepReport> {
    return this.#counts.invalidateAfter(sweep(this.#store, plan));
  }

  dump(): AsyncIterable<LedgerRecord> {
    return dump(this.#store);
  }

  load(records: readonly LedgerRecord[]): Promise<readonly LoadOutcome[]> {
    return load(this.#store, records);
  }

  /** The caller owns the connection. */
  async [Symbol.asyncDispose](): Promise<void> {}
}

function isSameHistoryLine(line: HistoryEntry, tried: HistoryEntry | undefined): boolean {
  return line.at === tried?.at && line.event === tried.event && line.who === tried.who;
}
