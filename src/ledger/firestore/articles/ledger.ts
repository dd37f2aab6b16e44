import type { Item, ItemKey, Sighting } from '../../../item/item.ts';
import {
  type LifecycleEvent,
  type LifecyclePolicy,
  OPEN_STATES,
  type Transition,
} from '../../../item/lifecycle.ts';
import { type CorrectedTimes, endsTooLate, type LeaseWatch } from '../../../time/future.ts';
import { checkLease, checkLimit, checkTransition } from '../../bad-input.ts';
import { whyRefused } from '../../check-sighting.ts';
import {
  claimOf,
  holds,
  intervene,
  isAttempt,
  isFree,
  isRecorded,
  newItem,
  renewed,
  type ItemRecord as StoredItem,
  seenAgain,
  stepped,
  sweepLine,
  taken,
  toldHistory,
  turnOf,
} from '../../item-record.ts';
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
  UnusableRecord,
} from '../../ledger.ts';
import { isRefused, recordedUrl } from '../layouts/articles.ts';
import { type CountsFor, RememberedCounts } from '../remembered-counts.ts';
import { counts, hasMet, list } from './looking.ts';
import type { ArticlesOutbox } from './outbox.ts';
import type { ArticleShelf, UrlsOf } from './shelf.ts';
import { sweep } from './sweeping.ts';
import { dump, load } from './transferring.ts';

/**
 * The curator's ledger. It writes verdicts and nothing else: what waits is kept in this process, under the run's lease,
 * and is read from its feed again when the process is gone. A good article is written when it is published, or when the
 * run turns to sending without it (A5, A19).
 */
export class ArticlesLedger implements Ledger {
  readonly abilities = { remembersWaiting: false };
  readonly #shelf: ArticleShelf;
  readonly #outbox: ArticlesOutbox;
  readonly #policy: LifecyclePolicy;
  readonly #newName: () => string;
  readonly #counts: RememberedCounts;
  #lease: { until(): number; leaveUndone(): void } | null = null;
  /** The lease of the run that each claim was taken in. */
  readonly #leases = new Map<ItemKey, { until(): number }>();

  constructor(
    shelf: ArticleShelf,
    outbox: ArticlesOutbox,
    policy: LifecyclePolicy,
    newName: () => string,
    countsFor?: CountsFor,
  ) {
    this.#counts = new RememberedCounts(shelf.clock, countsFor);
    this.#shelf = shelf;
    this.#outbox = outbox;
    this.#policy = policy;
    this.#newName = newName;
  }

  admit(sightings: readonly Sighting[], options: AdmitOptions = {}): Promise<readonly AdmitOutcome[]> {
    return this.#counts.after(this.#admitNow(sightings, options));
  }

  async #admitNow(sightings: readonly Sighting[], options: AdmitOptions): Promise<readonly AdmitOutcome[]> {
    await this.#shelf.refresh('aged');
    const fit = sightings.filter((sighting) => whyRefused(sighting) === null);
    const urls = urlsOf(fit);
    await this.#find([...urls.keys()], urls);
    const baselines: StoredItem[] = [];
    const outcomes = sightings.map((sighting): AdmitOutcome => {
      if (whyRefused(sighting) !== null) return 'refused';
      const { key } = sighting;
      const here = this.#shelf.items.get(key);
      if (here !== undefined) {
        const next = seenAgain(here, sighting, this.#now());
        if (next !== null) this.#shelf.items.set(key, next);
      }
      if (here !== undefined || this.#shelf.isAtHand(key)) return 'known';
      if (this.#shelf.graveOf(key, urls.get(key)) !== undefined) return 'swept';
      if (this.#shelf.fromMessage(key) !== null) return 'known';
      const stored = newItem(sighting, {
        now: this.#now(),
        nth: this.#shelf.order.next(),
        baseline: options.baseline?.(sighting) ?? false,
        handOver: false,
        admission: '',
      });
      // Its document was swept, perhaps by another process.
      this.#shelf.places.delete(key);
      this.#shelf.items.set(key, stored);
      if (stored.item.state !== 'baseline') return 'new';
      baselines.push(stored);
      return 'baseline';
    });
    if (baselines.length > 0) await this.#shelf.remember(baselines, []);
    return outcomes;
  }

  catchUp(): Promise<void> {
    return this.#counts.after(this.#shelf.catchUp());
  }

  claimUnder(lease: { until(): number; leaveUndone(): void }): void {
    this.#lease = lease;
    // A person may just have decided on a message in another process.
    this.#shelf.outdate();
  }

  async known(keys: readonly ItemKey[]): Promise<ReadonlySet<ItemKey>> {
    await this.#shelf.refresh();
    const found = await this.#find(keys);
    return new Set(
      keys.filter(
        (key) => found.has(key) || this.#shelf.isAtHand(key) || this.#shelf.graveOf(key) !== undefined,
      ),
    );
  }

  /** Asks Firestore for those of which this process knows nothing: two reads each. */
  async #find(keys: readonly ItemKey[], urls: UrlsOf = new Map()): Promise<ReadonlyMap<ItemKey, StoredItem>> {
    const unknown = [...new Set(keys)].filter(
      (key) => !this.#shelf.isAtHand(key) && this.#shelf.graveOf(key, urls.get(key)) === undefined,
    );
    return this.#shelf.lookUp(unknown, urls);
  }

  async claimNext(ask: ClaimAsk): Promise<Claim | null> {
    checkLease(ask.leaseMs);
    await this.#shelf.current();
    const again = this.#sameAttempt(ask);
    if (again !== null) return claimOf(again);
    const [next] = this.#ready(ask);
    return next === undefined ? null : this.#take(next, ask);
  }

  async claim(key: ItemKey, ask: ClaimAsk): Promise<Claim | null> {
    checkLease(ask.leaseMs);
    await this.#shelf.current();
    const again = this.#sameAttempt(ask);
    if (again !== null) return again.item.key === key ? claimOf(again) : null;
    const stored = this.#shelf.items.get(key);
    return stored === undefined || !isFree(stored, ask, this.#now()) ? null : this.#take(stored, ask);
  }

  async upcoming(limit: number): Promise<readonly ItemKey[]> {
    checkLimit(limit);
    await this.#shelf.current();
    return this.#ready({})
      .slice(0, limit)
      .map(({ item }) => item.key);
  }

  async renew(held: Claim, leaseMs: number): Promise<Claim | null> {
    checkLease(leaseMs);
    const stored = this.#heldBy(held);
    if (stored === null) return null;
    const until = this.#now() + leaseMs;
    this.#shelf.items.set(held.item.key, renewed(stored, until));
    return { ...held, until };
  }

  /** Claims do not leave this process: they end with it. */
  async expireStalledClaims(leaseMs: number, leases: LeaseWatch): Promise<CorrectedTimes> {
    const done = { corrected: 0, watched: 0 };
    for (const [key, stored] of this.#shelf.items) {
      const { claim } = stored;
      if (claim === null || !endsTooLate(claim.until, leaseMs, this.#now())) continue;
      if (leases.isOver(key, claim.until, leaseMs)) {
        this.#shelf.items.set(key, { ...stored, claim: { ...claim, until: this.#now() } });
        done.corrected++;
      } else done.watched++;
    }
    return done;
  }

  async release(held: Claim): Promise<void> {
    const stored = this.#heldBy(held);
    if (stored !== null) this.#shelf.items.set(held.item.key, { ...stored, claim: null });
  }

  record(held: Claim, transition: Transition, step: Step = {}): Promise<'recorded' | 'lost'> {
    return this.#counts.after(this.#recordNow(held, transition, step));
  }

  async #recordNow(held: Claim, transition: Transition, step: Step): Promise<'recorded' | 'lost'> {
    checkTransition(transition);
    const before = await this.#shelf.find(held.item.key);
    if (before !== null && isRecorded(before, held, transition)) return 'recorded';
    const stored = this.#heldBy(held);
    if (stored === null || stored.item.state !== transition.from) return 'lost';
    const next = stepped(stored, held, transition, step);
    if ((await this.#store(next, stored)) === 'changed') return 'lost';
    await this.#outbox.intendWhatIsFree(step.intents ?? []);
    return 'recorded';
  }

  /** First where it lasts, then here. What only waits is not written; what is good is, when sending begins. */
  async #store(next: StoredItem, before: StoredItem): Promise<'stored' | 'changed'> {
    const { key, state } = next.item;
    const isWritten = this.#shelf.places.has(key);
    if (state === 'accepted' && !isWritten) this.#shelf.unwritten.add(key);
    else if (state !== 'waiting' || isWritten) {
      const messageId = await this.#messageId(next);
      if ((await this.#shelf.write({ ...next, claim: null }, { messageId, before })) === 'changed') {
        this.#shelf.drop(key);
        await this.#shelf.refresh('now');
        return 'changed';
      }
    }
    this.#shelf.keep(next);
    return 'stored';
  }

  async #messageId({ item }: StoredItem): Promise<string | null> {
    return item.state === 'published' || isRefused(item) ? this.#outbox.discordId(item.key) : null;
  }

  intervene(key: ItemKey, event: LifecycleEvent, who: string): Promise<Intervention> {
    return this.#counts.after(this.#interveneNow(key, event, who));
  }

  async #interveneNow(key: ItemKey, event: LifecycleEvent, who: string): Promise<Intervention> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      // What this process saw last may be long over: another one runs the pipeline.
      await this.#shelf.refresh('now');
      const stored = await this.#shelf.find(key);
      if (stored === null) return { done: false, why: `there is no item ${key}` };
      const { value, next } = intervene(stored, event, who, this.#now(), this.#policy);
      if (next === undefined) return value;
      const messageId = await this.#messageId(next);
      if ((await this.#shelf.write(next, { messageId, before: stored })) === 'written') {
        this.#shelf.keep(next);
        return value;
      }
      this.#shelf.drop(key);
    }
    return { done: false, why: 'other processes keep changing it; try again' };
  }

  /** Articles are worked on where they are read: there is no queue to hand them to. */
  async unhanded(): Promise<readonly ItemKey[]> {
    return [];
  }

  async markHanded(): Promise<void> {}

  async find(key: ItemKey): Promise<Item | null> {
    return (await this.#shelf.find(key))?.item ?? null;
  }

  async list(filter: ItemFilter): Promise<ItemPage> {
    checkLimit(filter.limit);
    await this.#shelf.look();
    await this.#shelf.adopt();
    return list(this.#shelf, filter);
  }

  async history(key: ItemKey): Promise<readonly HistoryEntry[]> {
    const stored = await this.#shelf.find(key);
    if (stored !== null) return toldHistory(stored);
    const grave = this.#shelf.graveOf(key);
    return grave === undefined ? [] : [sweepLine(grave.state, grave.sweptAt)];
  }

  async unusable(): Promise<readonly UnusableRecord[]> {
    return [];
  }

  async hasMet(sourceId: string): Promise<boolean> {
    await this.#shelf.refresh();
    return hasMet(this.#shelf, sourceId);
  }

  async sightings(key: ItemKey): Promise<readonly Sighted[]> {
    return (await this.#shelf.find(key))?.sightings ?? [];
  }

  counts(): Promise<LedgerCounts> {
    return this.#counts.get(async () => {
      await this.#shelf.look('candidates');
      await this.#shelf.adopt();
      return counts(this.#shelf);
    });
  }

  async sweep(plan: SweepPlan): Promise<SweepReport> {
    await this.#shelf.refresh('aged');
    await this.#shelf.adopt('now');
    return sweep(this.#shelf, plan, (keys) => this.#outbox.endOf(keys, plan.dryRun));
  }

  async *dump(): AsyncGenerator<LedgerRecord, void, void> {
    await this.#shelf.refresh();
    await this.#shelf.adopt('now');
    yield* dump(this.#shelf);
  }

  async load(records: readonly LedgerRecord[]): Promise<readonly LoadOutcome[]> {
    await this.#shelf.refresh();
    return load(this.#shelf, records, this.#outbox.discord);
  }

  /** What is good and was not written yet is written now. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#shelf.unwritten.size > 0) await this.#shelf.writeUnwritten();
  }

  #now(): number {
    return this.#shelf.clock.now();
  }

  #ready(ask: Pick<ClaimAsk, 'states' | 'early'>): StoredItem[] {
    return [...this.#shelf.items.values()]
      .filter((stored) => OPEN_STATES.includes(stored.item.state) && isFree(stored, ask, this.#now()))
      .sort(byTurn);
  }

  /** `null` while a run goes on that has lost its lease: another process may run the pipeline now. */
  #take(stored: StoredItem, ask: ClaimAsk): Claim | null {
    if (this.#lease !== null && this.#lease.until() <= this.#now()) {
      this.#lease.leaveUndone();
      return null;
    }
    const next = taken(stored, ask, ask.attempt ?? this.#newName(), this.#now());
    if (this.#lease !== null) this.#leases.set(stored.item.key, this.#lease);
    this.#shelf.items.set(next.item.key, next);
    return claimOf(next);
  }

  #heldBy(held: Claim): StoredItem | null {
    const stored = this.#shelf.items.get(held.item.key);
    const lease = this.#leases.get(held.item.key);
    if (lease !== undefined && lease.until() <= this.#now()) return null;
    return stored === undefined || !holds(stored, held, this.#now()) ? null : stored;
  }

  #sameAttempt({ attempt, owner }: ClaimAsk): StoredItem | null {
    if (attempt === undefined) return null;
    const found = [...this.#shelf.items.values()].find((stored) =>
      isAttempt(stored, owner, attempt, this.#now()),
    );
    return found ?? null;
  }
}

/** Two sources may give one article in two forms. */
function urlsOf(sightings: readonly Sighting[]): UrlsOf {
  const urls = new Map<ItemKey, readonly string[]>();
  for (const sighting of sightings)
    urls.set(sighting.key, [...new Set([...(urls.get(sighting.key) ?? []), recordedUrl(sighting)])]);
  return urls;
}

/** How often a person's decision is made again when others decide at the same time. */
const MOST_TRIES = 5;

/** Accepted before all others, by publication; the rest by their last check (B6). */
function byTurn(a: StoredItem, b: StoredItem): number {
  const lane = Number(b.item.state === 'accepted') - Number(a.item.state === 'accepted');
  return lane || turnOf(a.item) - turnOf(b.item) || a.nth - b.nth;
}
