import type { Item, ItemKey, Sighting } from '../../item/item.ts';
import {
  type LifecycleEvent,
  type LifecyclePolicy,
  OPEN_STATES,
  STATES,
  type State,
  type Transition,
} from '../../item/lifecycle.ts';
import { formatItemCursor, matchesFilter, parseItemCursor } from '../../ledger/filter.ts';
import {
  byTurn,
  claimItem,
  claimOf,
  dumpItem,
  expireStalledClaim,
  handedOver,
  type ItemRecord,
  intervene,
  isAttempt,
  isClaimed,
  isFree,
  isPendingHandOver,
  loadItem,
  newItem,
  publicHistory,
  recordStep,
  releaseClaim,
  renewClaim,
  type StepResult,
  seenAgain,
  sourcesOf,
  sweepLine,
  tombstoneOf,
  turnOf,
} from '../../ledger/item-record.ts';
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
} from '../../ledger/ledger.ts';
import { sweepLimits } from '../../ledger/sweep-plan.ts';
import { checkLeaseMs, checkLimit, checkTransition, sightingProblem } from '../../ledger/validation.ts';
import { isUnderWay, loadMessage, withoutItems } from '../../outbox/message-record.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { Clock, CorrectedTimes, LeaseWatch } from '../../time/clock.ts';
import {
  addMessage,
  emptyLedgerState,
  type MemoryLedgerState,
  messagesOf,
  standingIn,
} from './ledger-state.ts';
import { MemoryOutbox } from './outbox.ts';

/** A ledger without durability, for tests and trials. */
export class MemoryLedger implements Ledger {
  readonly #store: MemoryLedgerState;
  readonly #clock: Clock;
  readonly #policy: LifecyclePolicy;

  constructor(store: MemoryLedgerState, clock: Clock, policy: LifecyclePolicy) {
    this.#store = store;
    this.#clock = clock;
    this.#policy = policy;
  }

  async admit(sightings: readonly Sighting[], options: AdmitOptions = {}): Promise<readonly AdmitOutcome[]> {
    return sightings.map((sighting) => this.#admit(sighting, options));
  }

  async known(keys: readonly ItemKey[]): Promise<ReadonlySet<ItemKey>> {
    const { items, tombstones } = this.#store;
    return new Set(keys.filter((key) => items.has(key) || tombstones.has(key)));
  }

  async claimNext(ask: ClaimRequest): Promise<Claim | null> {
    checkLeaseMs(ask.leaseMs);
    const again = this.#sameAttempt(ask);
    if (again !== undefined) return claimOf(again);
    const [next] = this.#ready(ask);
    return next === undefined ? null : this.#claim(next.item.key, ask);
  }

  async claim(key: ItemKey, ask: ClaimRequest): Promise<Claim | null> {
    checkLeaseMs(ask.leaseMs);
    const again = this.#sameAttempt(ask);
    if (again !== undefined) return again.item.key === key ? claimOf(again) : null;
    return this.#claim(key, ask);
  }

  async upcoming(limit: number): Promise<readonly ItemKey[]> {
    checkLimit(limit);
    return this.#ready({})
      .slice(0, limit)
      .map(({ item }) => item.key);
  }

  async renew(claim: Claim, leaseMs: number): Promise<Claim | null> {
    checkLeaseMs(leaseMs);
    return this.#change(claim.item.key, null, (record, now) => renewClaim(record, claim, leaseMs, now));
  }

  async release(claim: Claim): Promise<void> {
    this.#change(claim.item.key, null, (record, now) => releaseClaim(record, claim, now));
  }

  async expireStalledClaims(leaseMs: number, leases: LeaseWatch): Promise<CorrectedTimes> {
    const done = { corrected: 0, watched: 0 };
    for (const key of this.#store.items.keys()) {
      const value = this.#change(key, null, (record, now) =>
        expireStalledClaim(record, leaseMs, leases, now),
      );
      if (value !== null) done[value]++;
    }
    return done;
  }

  async record(claim: Claim, transition: Transition, step: Step = {}): Promise<'recorded' | 'lost'> {
    checkTransition(transition);
    const before = this.#store.items.get(claim.item.key);
    const value = this.#change(claim.item.key, 'lost', (record, now) =>
      recordStep(record, claim, transition, step, now),
    );
    if (this.#store.items.get(claim.item.key) !== before)
      for (const message of step.messages ?? [])
        if (standingIn(this.#store, message) === 'free') addMessage(this.#store, message, this.#clock.now());
    return value;
  }

  async intervene(key: ItemKey, event: LifecycleEvent, who: string): Promise<Intervention> {
    return this.#change<Intervention>(key, { done: false, why: `there is no item ${key}` }, (record, now) =>
      intervene(record, event, who, now, this.#policy),
    );
  }

  async pendingHandOver(ask: HandOverQuery): Promise<readonly ItemKey[]> {
    checkLimit(ask.limit);
    const now = this.#clock.now();
    return [...this.#store.items.values()]
      .filter((record) => isPendingHandOver(record, ask, now))
      .sort((a, b) => Number(a.handedAt) - Number(b.handedAt) || turnOf(a.item) - turnOf(b.item))
      .slice(0, ask.limit)
      .map(({ item }) => item.key);
  }

  async markHandedOver(keys: readonly ItemKey[]): Promise<void> {
    for (const key of keys)
      this.#change(key, null, (record, now) => {
        const next = handedOver(record, now);
        return { value: null, ...(next !== null && { next }) };
      });
  }

  async find(key: ItemKey): Promise<Item | null> {
    return this.#store.items.get(key)?.item ?? null;
  }

  async list(filter: ItemFilter): Promise<ItemPage> {
    checkLimit(filter.limit);
    const from = parseItemCursor(filter.cursor);
    const found = [...this.#store.items.values()]
      .filter(({ item }) => (filter.states ?? STATES).includes(item.state) && matchesFilter(item, filter))
      .sort((a, b) => b.item.checkedAt - a.item.checkedAt || b.nth - a.nth)
      .filter(({ item, nth }) => item.checkedAt < from.at || (item.checkedAt === from.at && nth < from.id));
    const page = found.slice(0, filter.limit);
    const last = found.length > filter.limit ? page.at(-1) : undefined;
    const next = last === undefined ? null : formatItemCursor({ at: last.item.checkedAt, id: last.nth });
    return { items: page.map(({ item }) => item), next };
  }

  async history(key: ItemKey): Promise<readonly HistoryEntry[]> {
    const tombstone = this.#store.tombstones.get(key);
    if (tombstone !== undefined) return [sweepLine(tombstone.state, tombstone.sweptAt)];
    return publicHistory(this.#store.items.get(key) ?? { history: [] });
  }

  async unusable(): Promise<readonly UnusableRecord[]> {
    return [];
  }

  async hasSeenSource(sourceId: string): Promise<boolean> {
    const { items, seenSources } = this.#store;
    return (
      seenSources.has(sourceId) ||
      items.values().some(({ sightings }) => sightings.some((sighted) => sighted.sourceId === sourceId))
    );
  }

  async sightings(key: ItemKey): Promise<readonly RecordedSighting[]> {
    return [...(this.#store.items.get(key)?.sightings ?? [])];
  }

  async counts(): Promise<LedgerCounts> {
    const entries = [...this.#store.items.values()];
    const byState = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>;
    const byReason: Partial<Record<Item['reason'], number>> = {};
    for (const { item } of entries) {
      byState[item.state] += 1;
      byReason[item.reason] = (byReason[item.reason] ?? 0) + 1;
    }
    const open = entries.filter(({ item }) => OPEN_STATES.includes(item.state));
    return {
      byState,
      byReason,
      leased: entries.filter((record) => isClaimed(record, this.#clock.now())).length,
      oldestOpen: open.length === 0 ? null : Math.min(...open.map(({ item }) => item.checkedAt)),
      tombstones: this.#store.tombstones.size,
    };
  }

  async sweep(plan: SweepPlan): Promise<SweepReport> {
    const { items, tombstones } = this.#store;
    const now = this.#clock.now();
    const swept: Partial<Record<State, number>> = {};
    let done = 0;
    for (const { state, before } of sweepLimits(plan, now)) {
      const old = [...items.values()].filter(
        ({ item }) => item.state === state && item.checkedAt < before && !this.#isUnderWay(item.key),
      );
      for (const record of old) {
        if (plan.signal?.aborted) return { swept, tombstonesRemoved: 0, complete: false };
        if (!plan.dryRun) this.#end(record, plan, now);
        swept[state] = (swept[state] ?? 0) + 1;
        plan.onProgress?.(++done);
      }
    }
    if (plan.signal?.aborted) return { swept, tombstonesRemoved: 0, complete: false };
    const old = [...tombstones.values()].filter(({ sweptAt }) => sweptAt < now - plan.keepTombstones);
    if (!plan.dryRun) for (const { key } of old) tombstones.delete(key);
    return { swept, tombstonesRemoved: old.length, complete: true };
  }

  async *dump(): AsyncGenerator<LedgerRecord, void, void> {
    const { items, messages, tombstones } = this.#store;
    for (const record of items.values()) yield dumpItem(record);
    for (const { delivery } of [...messages.values()].sort((a, b) => a.nth - b.nth))
      yield { kind: 'delivery', delivery };
    for (const tombstone of tombstones.values()) yield { kind: 'tombstone', ...tombstone };
  }

  async load(records: readonly LedgerRecord[]): Promise<readonly LoadOutcome[]> {
    return records.map((record) => this.#load(record));
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #admit(sighting: Sighting, options: AdmitOptions): AdmitOutcome {
    if (sightingProblem(sighting) !== null) return 'refused';
    const { items, tombstones } = this.#store;
    const now = this.#clock.now();
    const known = items.get(sighting.key);
    if (known !== undefined) {
      items.set(sighting.key, seenAgain(known, sighting, now) ?? known);
      return 'known';
    }
    if (tombstones.has(sighting.key)) return 'swept';
    const record = newItem(sighting, {
      now,
      nth: ++this.#store.count,
      baseline: options.baseline?.(sighting) ?? false,
      handOver: options.handOver ?? false,
      admission: '',
    });
    items.set(sighting.key, record);
    return record.item.state === 'baseline' ? 'baseline' : 'new';
  }

  #claim(key: ItemKey, ask: ClaimRequest): Claim | null {
    return this.#change(key, null, (record, now) => claimItem(record, ask, now));
  }

  /** Applies a step to an item and stores its result; returns `absent` for an unknown item. */
  #change<T>(key: ItemKey, absent: T, step: (record: ItemRecord, now: number) => StepResult<T>): T {
    const record = this.#store.items.get(key);
    if (record === undefined) return absent;
    const { value, next } = step(record, this.#clock.now());
    if (next !== undefined) this.#store.items.set(key, next);
    return value;
  }

  #ready(ask: Pick<ClaimRequest, 'states'>): ItemRecord[] {
    const states = ask.states ?? OPEN_STATES;
    return [...this.#store.items.values()]
      .filter((record) => isFree(record, { states }, this.#clock.now()))
      .sort(byTurn);
  }

  #sameAttempt({ attempt, owner }: ClaimRequest): ItemRecord | undefined {
    if (attempt === undefined) return undefined;
    const now = this.#clock.now();
    return [...this.#store.items.values()].find((record) => isAttempt(record, owner, attempt, now));
  }

  #isUnderWay(key: ItemKey): boolean {
    return messagesOf(this.#store, key).some(({ delivery }) => isUnderWay(delivery.state));
  }

  #end(record: ItemRecord, plan: SweepPlan, now: number): void {
    const { items, tombstones, messages, seenSources } = this.#store;
    const { key } = record.item;
    for (const sourceId of sourcesOf(record)) seenSources.add(sourceId);
    items.delete(key);
    for (const message of messagesOf(this.#store, key)) {
      const next = withoutItems(message, new Set([key]));
      if (next === null) messages.delete(message.delivery.key);
      else messages.set(message.delivery.key, next);
    }
    const tombstone = tombstoneOf(record, plan, now);
    if (tombstone !== null) tombstones.set(key, tombstone);
  }

  #load(record: LedgerRecord): LoadOutcome {
    const { items, tombstones, messages } = this.#store;
    const nth = ++this.#store.count;
    if (record.kind === 'delivery') {
      const { delivery } = record;
      if (messages.has(delivery.key)) return 'there';
      messages.set(delivery.key, loadMessage(delivery, nth));
      return 'loaded';
    }
    const key = record.kind === 'item' ? record.item.key : record.key;
    if (items.has(key) || tombstones.has(key)) return 'there';
    if (record.kind === 'item') items.set(key, loadItem(record, nth));
    else tombstones.set(key, { key, state: record.state, sweptAt: record.sweptAt });
    return 'loaded';
  }
}

/** Opens the ledger and outbox of a pipeline, without a file. */
export function openMemoryLedger(options: { readonly clock: Clock; readonly policy: LifecyclePolicy }): {
  readonly ledger: MemoryLedger;
  readonly outbox: Outbox;
} & AsyncDisposable {
  const store = emptyLedgerState();
  const ledger = new MemoryLedger(store, options.clock, options.policy);
  const outbox = new MemoryOutbox(store, options.clock);
  return { ledger, outbox, [Symbol.asyncDispose]: async () => {} };
}
