import { chunked } from '../../../item/chunked.ts';
import type { Item, ItemKey, Sighting } from '../../../item/item.ts';
import {
  advance,
  type LifecycleEvent,
  type LifecyclePolicy,
  type Transition,
} from '../../../item/lifecycle.ts';
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
import type { Outbox } from '../../../outbox/outbox.ts';
import type { Clock, CorrectedTimes, LeaseWatch } from '../../../time/clock.ts';
import { Connection, type ConnectionOptions } from '../connection.ts';
import { openDatabase } from '../database.ts';
import { SqliteOutbox } from '../outbox.ts';
import { admit, tombstonesAmong } from './admit.ts';
import { ANY_CHANGED, adoptRows } from './adopt.ts';
import {
  claim,
  claimNext,
  expireStalled,
  markHandedOver,
  pendingHandOver,
  release,
  renew,
  upcoming,
  wakeDueItems,
} from './claim.ts';
import { counts, list } from './list.ts';
import { LEDGER_MIGRATIONS } from './migrations.ts';
import { readHistory, readSightings, record, recordIntervention } from './record.ts';
import { itemOf, SELECT_ITEM_BY_KEY, textOrNull } from './rows.ts';
import { sweep } from './sweep.ts';
import { dump, load } from './transfer.ts';

const BATCH_SIZE = 500;

const SELECT_UNUSABLE = `SELECT changed_rows.item_id, problem, i.url FROM changed_rows
  LEFT JOIN items i ON i.id = changed_rows.item_id WHERE problem IS NOT NULL LIMIT ?`;

/** The ledger of one pipeline in one SQLite file. The operations are in the other files of this folder. */
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
    for (const batch of chunked(sightings, BATCH_SIZE))
      outcomes.push(...(await this.#write(() => admit(this.#db, batch, options, this.#clock.now()))));
    return outcomes;
  }

  async known(keys: readonly ItemKey[]): Promise<ReadonlySet<ItemKey>> {
    await this.#adoptChanges();
    const known = new Set<ItemKey>();
    for (const batch of chunked(keys, BATCH_SIZE)) {
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

  async claimNext(ask: ClaimRequest): Promise<Claim | null> {
    checkLeaseMs(ask.leaseMs);
    for (;;) {
      const claimed = await this.#write(() => claimNext(this.#db, ask, this.#clock.now()));
      if (claimed !== 'wake first') return claimed;
    }
  }

  async claim(key: ItemKey, ask: ClaimRequest): Promise<Claim | null> {
    checkLeaseMs(ask.leaseMs);
    return this.#write(() => claim(this.#db, key, ask, this.#clock.now()));
  }

  async upcoming(limit: number): Promise<readonly ItemKey[]> {
    checkLimit(limit);
    await this.#adoptChanges();
    await this.#wakeAll();
    return this.#db.read(() => upcoming(this.#db, limit, this.#clock.now()));
  }

  async renew(claimed: Claim, leaseMs: number): Promise<Claim | null> {
    checkLeaseMs(leaseMs);
    return this.#db.write(() => renew(this.#db, claimed, leaseMs, this.#clock.now()));
  }

  release(claimed: Claim): Promise<void> {
    return this.#db.write(() => release(this.#db, claimed, this.#clock.now()));
  }

  expireStalledClaims(leaseMs: number, leases: LeaseWatch): Promise<CorrectedTimes> {
    return this.#db.write(() => expireStalled(this.#db, leaseMs, leases, this.#clock.now()));
  }

  async record(claimed: Claim, transition: Transition, step: Step = {}): Promise<'recorded' | 'lost'> {
    checkTransition(transition);
    return this.#write(() => record(this.#db, claimed, transition, step, this.#clock.now()));
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
      recordIntervention(this.#db, key, next.transition, who);
      const item = this.#find(key);
      return item === null ? { done: false, why: `there is no item ${key}` } : { done: true, item };
    });
  }

  async pendingHandOver(ask: HandOverQuery): Promise<readonly ItemKey[]> {
    checkLimit(ask.limit);
    await this.#adoptChanges();
    await this.#wakeAll();
    return this.#db.read(() => pendingHandOver(this.#db, ask, this.#clock.now()));
  }

  async markHandedOver(keys: readonly ItemKey[]): Promise<void> {
    for (const batch of chunked(keys, BATCH_SIZE))
      await this.#db.write(() => markHandedOver(this.#db, batch, this.#clock.now()));
  }

  async find(key: ItemKey): Promise<Item | null> {
    await this.#adoptChanges();
    return this.#db.read(() => this.#find(key));
  }

  async list(filter: ItemFilter): Promise<ItemPage> {
    checkLimit(filter.limit);
    await this.#adoptChanges();
    return list(this.#db, filter);
  }

  history(key: ItemKey): Promise<readonly HistoryEntry[]> {
    return this.#db.read(() => readHistory(this.#db, key));
  }

  hasSeenSource(sourceId: string): Promise<boolean> {
    return this.#db.read(
      () => this.#db.get('SELECT 1 FROM met_sources WHERE source_id = ?', sourceId) !== undefined,
    );
  }

  sightings(key: ItemKey): Promise<readonly RecordedSighting[]> {
    return this.#db.read(() => readSightings(this.#db, key));
  }

  async counts(): Promise<LedgerCounts> {
    await this.#adoptChanges();
    return this.#db.read(() => counts(this.#db, this.#clock.now()));
  }

  async unusable(limit: number): Promise<readonly UnusableRecord[]> {
    checkLimit(limit);
    await this.#adoptChanges();
    const rows = await this.#db.read(() => this.#db.all(SELECT_UNUSABLE, limit));
    return rows.map((row) => ({
      name: `row ${String(row.item_id)} of items (${textOrNull(row.url) ?? 'no url'})`,
      problem: String(row.problem),
    }));
  }

  async sweep(plan: SweepPlan): Promise<SweepReport> {
    await this.#adoptChanges();
    return sweep(this.#db, plan, this.#clock.now());
  }

  async *dump(): AsyncGenerator<LedgerRecord> {
    await this.#adoptChanges();
    yield* dump(this.#db);
  }

  async load(records: readonly LedgerRecord[]): Promise<readonly LoadOutcome[]> {
    const outcomes: LoadOutcome[] = [];
    for (const batch of chunked(records, BATCH_SIZE))
      outcomes.push(...(await this.#db.write(() => batch.map((record) => load(this.#db, record)))));
    return outcomes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#db[Symbol.asyncDispose]();
  }

  /** Runs `work` after adopting changes of other programs. */
  #write<T>(work: () => T): Promise<T> {
    return this.#db.write(() => {
      adoptRows(this.#db);
      return work();
    });
  }

  /** Adopts rows that another program inserted or changed in `items`. */
  async #adoptChanges(): Promise<void> {
    while ((await this.#db.retryWhileBusy(() => this.#db.get(ANY_CHANGED))) !== undefined)
      await this.#db.write(() => adoptRows(this.#db));
  }

  async #wakeAll(): Promise<void> {
    let all = false;
    while (!all) all = await this.#db.write(() => wakeDueItems(this.#db, this.#clock.now()));
  }

  #find(key: ItemKey): Item | null {
    const row = this.#db.get(SELECT_ITEM_BY_KEY, key);
    return row === undefined ? null : itemOf(row);
  }
}

export interface SqliteLedgerOptions extends ConnectionOptions {
  readonly clock: Clock;
  readonly policy: LifecyclePolicy;
  /** Name of the file in error messages. */
  readonly name?: string;
}

/** Ledger and outbox of a pipeline on one connection. Disposing of it closes the file. */
export interface SqlitePipelineStores extends AsyncDisposable {
  readonly ledger: SqliteLedger;
  readonly outbox: Outbox;
  readonly connection: Connection;
}

/** Opens the file of one pipeline; creates, migrates or adopts it (from another program) as needed. */
export function openSqliteLedger(path: string, options: SqliteLedgerOptions): SqlitePipelineStores {
  const db = openDatabase(path, { name: options.name ?? 'the ledger', migrations: LEDGER_MIGRATIONS });
  const connection = new Connection(db, path, options);
  const ledger = new SqliteLedger(connection, options.clock, options.policy);
  const outbox = new SqliteOutbox(connection, options.clock);
  return {
    ledger,
    outbox,
    connection,
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}
