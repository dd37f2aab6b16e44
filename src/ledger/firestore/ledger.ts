import type { Item, ItemKey, Sighting } from '../../item/item.ts';
import type { LifecycleEvent, LifecyclePolicy, State, Transition } from '../../item/lifecycle.ts';
import type { CorrectedTimes, LeaseWatch } from '../../time/future.ts';
import { checkLease, checkLimit, checkTransition } from '../bad-input.ts';
import { intervene, recordStep, sweepLine, toldHistory } from '../item-record.ts';
import type {
  AdmitOptions,
  AdmitOutcome,
  Claim,
  ClaimAsk,
  HistoryEntry,
  Intervention,
  ItemFilter,
  ItemPage,
  Ledger,
  LedgerCounts,
  LedgerRecord,
  LoadOutcome,
  Sighted,
  Step,
  SweepPlan,
  SweepReport,
  UnhandedAsk,
  UnusableRecord,
} from '../ledger.ts';
import { admit, known, lookUp } from './admitting.ts';
import { adoptForeign } from './adopting.ts';
import { claim, claimNext, expireStalled, release, renew, upcoming } from './claiming.ts';
import { markHanded, unhanded } from './handing.ts';
import { counts, hasMet, list } from './looking.ts';
import { weigh } from './messages.ts';
import { type CountsFor, RememberedCounts } from './remembered-counts.ts';
import type { LedgerStore } from './store.ts';
import { sweep } from './sweeping.ts';
import { dump, load } from './transferring.ts';

/**
 * A ledger with one document for each item. Whoever changes a document says which state of it he has read: a change that
 * somebody else was faster with is refused by Firestore, read again and decided again. So a claim needs no lock, and a
 * worker that lost its lease stores nothing.
 */
export class FirestoreLedger implements Ledger {
  readonly #store: LedgerStore;
  readonly #policy: LifecyclePolicy;
  readonly #counts: RememberedCounts;

  constructor(store: LedgerStore, policy: LifecyclePolicy, countsFor?: CountsFor) {
    this.#store = store;
    this.#policy = policy;
    this.#counts = new RememberedCounts(store.clock, countsFor);
  }

  admit(sightings: readonly Sighting[], options: AdmitOptions = {}): Promise<readonly AdmitOutcome[]> {
    return this.#counts.after(admit(this.#store, sightings, options));
  }

  /** Takes in what another program of the same contract recorded or changed. Returns how many items that were. */
  adopt(signal?: AbortSignal): Promise<number> {
    return this.#counts.after(adoptForeign(this.#store, signal));
  }

  known(keys: readonly ItemKey[]): Promise<ReadonlySet<ItemKey>> {
    return known(this.#store, keys);
  }

  async claimNext(ask: ClaimAsk): Promise<Claim | null> {
    checkLease(ask.leaseMs);
    return claimNext(this.#store, ask);
  }

  async claim(key: ItemKey, ask: ClaimAsk): Promise<Claim | null> {
    checkLease(ask.leaseMs);
    return claim(this.#store, key, ask);
  }

  async upcoming(limit: number): Promise<readonly ItemKey[]> {
    checkLimit(limit);
    return upcoming(this.#store, limit);
  }

  async renew(held: Claim, leaseMs: number): Promise<Claim | null> {
    checkLease(leaseMs);
    return renew(this.#store, held, leaseMs);
  }

  async release(held: Claim): Promise<void> {
    await release(this.#store, held);
  }

  expireStalledClaims(leaseMs: number, leases: LeaseWatch): Promise<CorrectedTimes> {
    return this.#counts.after(expireStalled(this.#store, leaseMs, leases));
  }

  async record(held: Claim, transition: Transition, step: Step = {}): Promise<'recorded' | 'lost'> {
    checkTransition(transition);
    const { intents = [] } = step;
    const beside = async () => (await weigh(this.#store, intents)).writes;
    const recorded = this.#store.change(
      held.item.key,
      'lost',
      (record, now) => recordStep(record, held, transition, step, now),
      intents.length === 0 ? {} : { beside },
    );
    return this.#counts.after(recorded);
  }

  intervene(key: ItemKey, event: LifecycleEvent, who: string): Promise<Intervention> {
    const absent = { done: false, why: `there is no item ${key}` } as const;
    let tried: HistoryEntry | undefined;
    const done = this.#store.change<Intervention>(key, absent, (record, now) => {
      // An earlier try of this call whose reply was lost has left its line.
      if (tried !== undefined && record.history.some((line) => isSameLine(line, tried)))
        return { value: { done: true, item: record.item } };
      const result = intervene(record, event, who, now, this.#policy);
      tried = result.next?.history.at(-1);
      return result;
    });
    return this.#counts.after(done);
  }

  async unhanded(ask: UnhandedAsk): Promise<readonly ItemKey[]> {
    checkLimit(ask.limit);
    return unhanded(this.#store, ask);
  }

  markHanded(keys: readonly ItemKey[]): Promise<void> {
    return markHanded(this.#store, keys);
  }

  async find(key: ItemKey): Promise<Item | null> {
    return (await this.#store.read(key))?.item ?? null;
  }

  async list(filter: ItemFilter): Promise<ItemPage> {
    checkLimit(filter.limit);
    return list(this.#store, filter);
  }

  async history(key: ItemKey): Promise<readonly HistoryEntry[]> {
    const { item, grave } = (await lookUp(this.#store, [key])).get(key) ?? {};
    const stored = item === undefined ? null : this.#store.storedOf(item);
    if (stored !== null) return toldHistory(stored);
    if (!grave?.exists) return [];
    return [sweepLine(grave.get('state') as State, Number(grave.get('swept_at')))];
  }

  async unusable(): Promise<readonly UnusableRecord[]> {
    return [];
  }

  hasMet(sourceId: string): Promise<boolean> {
    return hasMet(this.#store, sourceId);
  }

  async sightings(key: ItemKey): Promise<readonly Sighted[]> {
    return (await this.#store.read(key))?.sightings ?? [];
  }

  counts(): Promise<LedgerCounts> {
    return this.#counts.get(() => counts(this.#store));
  }

  sweep(plan: SweepPlan): Promise<SweepReport> {
    return this.#counts.after(sweep(this.#store, plan));
  }

  dump(): AsyncIterable<LedgerRecord> {
    return dump(this.#store);
  }

  load(records: readonly LedgerRecord[]): Promise<readonly LoadOutcome[]> {
    return load(this.#store, records);
  }

  /** The connection belongs to whoever opened it. */
  async [Symbol.asyncDispose](): Promise<void> {}
}

function isSameLine(line: HistoryEntry, tried: HistoryEntry | undefined): boolean {
  return line.at === tried?.at && line.event === tried.event && line.who === tried.who;
}
