import { chunked } from '../../item/chunked.ts';
import type { Item, ItemKey, Sighting } from '../../item/item.ts';
import { advance, type LifecycleEvent, type LifecyclePolicy, type Transition } from '../../item/lifecycle.ts';
import type { Connection } from '../../sqlite/connection.ts';
import type { Clock } from '../../time/clock.ts';
import type { CorrectedTimes, LeaseWatch } from '../../time/future.ts';
import { checkLease, checkLimit, checkTransition } from '../bad-input.ts';
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
import { admit, tombstonesAmong } from './admitting.ts';
import { ANY_CHANGED, adoptRows } from './adopt.ts';
import { claim, claimNext, expireStalled, release, renew } from './claiming.ts';
import { counts } from './counting.ts';
import { markHanded, unhanded } from './handing.ts';
import { readHistory, readSightings } from './history.ts';
import { list } from './listing.ts';
import { record, recordByHand } from './recording.ts';
import { itemOf, SELECT_ITEM_BY_KEY, textOf } from './rows.ts';
import { sweep } from './sweeping.ts';
import { dump, load } from './transferring.ts';
import { upcoming, wake } from './turns.ts';

const BATCH = 500;

const SELECT_UNUSABLE = `SELECT changed_rows.item_id, problem, i.url FROM changed_rows
  LEFT JOIN items i ON i.id = changed_rows.item_id WHERE problem IS NOT NULL LIMIT ?`;

/** The ledger of one pipeline in one SQLite file. The verbs are in the files beside this one. */
export class SqliteLedger implements Ledger {
  readonly #db: Connection;
  readonly #clock: Clock;
  readonly #policy: LifecyclePolicy;

  constructor(db: Connection, clock: Clock, policy: LifecyclePolicy) {
    this.#db = db;
    this.#clock = clock;
    this.#policy = policy;
  }

  async admit(sightings: readonly Sighting[], options: AdmitOptions = {}): Promise<readonly AdmitOutcome[]> {
    const outcomes: AdmitOutcome[] = [];
    for (const batch of chunked(sightings, BATCH))
      outcomes.push(...(await this.#write(() => admit(this.#db, batch, options, this.#clock.now()))));
    return outcomes;
  }

  async known(keys: readonly ItemKey[]): Promise<ReadonlySet<ItemKey>> {
    await this.#takeInChanges();
    const known = new Set<ItemKey>();
    for (const batch of chunked(keys, BATCH)) {
      const found = await this.#db.read(() => [
        ...this.#db
          .all(
            `SELECT s.key FROM json_each(?1) j CROSS JOIN standings s ON s.key = j.value
             UNION ALL SELECT a.key FROM json_each(?1) j CROSS JOIN aliases a ON a.key = j.value`,
            JSON.stringify(batch),
          )
          .map((row) => String(row.key) as ItemKey),
        ...tombstonesAmong(this.#db, batch),
      ]);
      for (const key of found) known.add(key);
    }
    return known;
  }

  async claimNext(ask: ClaimAsk): Promise<Claim | null> {
    checkLease(ask.leaseMs);
    for (;;) {
      const claimed = await this.#write(() => claimNext(this.#db, ask, this.#clock.now()));
      if (claimed !== 'wake first') return claimed;
    }
  }

  async claim(key: ItemKey, ask: ClaimAsk): Promise<Claim | null> {
    checkLease(ask.leaseMs);
    return this.#write(() => claim(this.#db, key, ask, this.#clock.now()));
  }

  async upcoming(limit: number): Promise<readonly ItemKey[]> {
    checkLimit(limit);
    await this.#takeInChanges();
    await this.#wakeAll();
    return this.#db.read(() => upcoming(this.#db, limit, this.#clock.now()));
  }

  async renew(held: Claim, leaseMs: number): Promise<Claim | null> {
    checkLease(leaseMs);
    return this.#db.write(() => renew(this.#db, held, leaseMs, this.#clock.now()));
  }

  release(held: Claim): Promise<void> {
    return this.#db.write(() => release(this.#db, held, this.#clock.now()));
  }

  expireStalledClaims(leaseMs: number, leases: LeaseWatch): Promise<CorrectedTimes> {
    return this.#db.write(() => expireStalled(this.#db, leaseMs, leases, this.#clock.now()));
  }

  async record(held: Claim, transition: Transition, step: Step = {}): Promise<'recorded' | 'lost'> {
    checkTransition(transition);
    return this.#write(() => record(this.#db, held, transition, step, this.#clock.now()));
  }

  intervene(key: ItemKey, event: LifecycleEvent, who: string): Promise<Intervention> {
    return this.#write((): Intervention => {
      const now = this.#clock.now();
      const row = this.#db.get(SELECT_ITEM_BY_KEY, key);
      if (row === undefined) return { done: false, why: `there is no item ${key}` };
      if (row.owner !== null && Number(row.claimed_until) > now)
        return { done: false, why: `${String(row.owner)} is working on it` };
      const next = advance(itemOf(row), event, now, this.#policy);
      if (!next.allowed) return { done: false, why: next.why };
      recordByHand(this.#db, key, next.transition, who);
      const item = this.#find(key);
      return item === null ? { done: false, why: `there is no item ${key}` } : { done: true, item };
    });
  }

  async unhanded(ask: UnhandedAsk): Promise<readonly ItemKey[]> {
    checkLimit(ask.limit);
    await this.#takeInChanges();
    await this.#wakeAll();
    return this.#db.read(() => unhanded(this.#db, ask, this.#clock.now()));
  }

  async markHanded(keys: readonly ItemKey[]): Promise<void> {
    for (const batch of chunked(keys, BATCH))
      await this.#db.write(() => markHanded(this.#db, batch, this.#clock.now()));
  }

  async find(key: ItemKey): Promise<Item | null> {
    await this.#takeInChanges();
    return this.#db.read(() => this.#find(key));
  }

  async list(filter: ItemFilter): Promise<ItemPage> {
    checkLimit(filter.limit);
    await this.#takeInChanges();
    return list(this.#db, filter);
  }

  history(key: ItemKey): Promise<readonly HistoryEntry[]> {
    return this.#db.read(() => readHistory(this.#db, key));
  }

  hasMet(sourceId: string): Promise<boolean> {
    return this.#db.read(
      () => this.#db.get('SELECT 1 FROM met_sources WHERE source_id = ?', sourceId) !== undefined,
    );
  }

  sightings(key: ItemKey): Promise<readonly Sighted[]> {
    return this.#db.read(() => readSightings(this.#db, key));
  }

  async counts(): Promise<LedgerCounts> {
    await this.#takeInChanges();
    return this.#db.read(() => counts(this.#db, this.#clock.now()));
  }

  async unusable(limit: number): Promise<readonly UnusableRecord[]> {
    checkLimit(limit);
    await this.#takeInChanges();
    const rows = await this.#db.read(() => this.#db.all(SELECT_UNUSABLE, limit));
    return rows.map((row) => ({
      name: `row ${String(row.item_id)} of items (${textOf(row.url) ?? 'no url'})`,
      problem: String(row.problem),
    }));
  }

  async sweep(plan: SweepPlan): Promise<SweepReport> {
    await this.#takeInChanges();
    return sweep(this.#db, plan, this.#clock.now());
  }

  async *dump(): AsyncGenerator<LedgerRecord> {
    await this.#takeInChanges();
    yield* dump(this.#db);
  }

  async load(records: readonly LedgerRecord[]): Promise<readonly LoadOutcome[]> {
    const outcomes: LoadOutcome[] = [];
    for (const batch of chunked(records, BATCH))
      outcomes.push(...(await this.#db.write(() => batch.map((record) => load(this.#db, record)))));
    return outcomes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#db[Symbol.asyncDispose]();
  }

  /** A change, after what another program changed. */
  #write<T>(work: () => T): Promise<T> {
    return this.#db.write(() => {
      adoptRows(this.#db);
      return work();
    });
  }

  /** Takes in what another program inserted or changed in `items`. */
  async #takeInChanges(): Promise<void> {
    while ((await this.#db.patiently(() => this.#db.get(ANY_CHANGED))) !== undefined)
      await this.#db.write(() => adoptRows(this.#db));
  }

  async #wakeAll(): Promise<void> {
    let all = false;
    while (!all) all = await this.#db.write(() => wake(this.#db, this.#clock.now()));
  }

  #find(key: ItemKey): Item | null {
    const row = this.#db.get(SELECT_ITEM_BY_KEY, key);
    return row === undefined ? null : itemOf(row);
  }
}
