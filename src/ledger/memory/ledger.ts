import type { Item, ItemKey, Sighting } from '../../item/item.ts';
import {
  admitted,
  advance,
  type LifecycleEvent,
  type LifecyclePolicy,
  OPEN_STATES,
  STATES,
  type State,
  type Transition,
} from '../../item/lifecycle.ts';
import type { Clock } from '../../time/clock.ts';
import { type CorrectedTimes, endsTooLate, type LeaseWatch } from '../../time/future.ts';
import { checkLease, checkLimit, checkTransition } from '../bad-input.ts';
import { whyRefused } from '../check-sighting.ts';
import { matches, readCursor, writeCursor } from '../filter.ts';
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
import { stepName } from '../step-name.ts';
import { intendWhatIsFree } from './intents.ts';
import type { Entry, MemoryStore } from './store.ts';
import { sweep } from './sweep.ts';
import { dump, load } from './transfer.ts';

/** A ledger that forgets everything when the process ends. For tests, and for trying things out. */
export class MemoryLedger implements Ledger {
  readonly #store: MemoryStore;
  readonly #clock: Clock;
  readonly #policy: LifecyclePolicy;

  constructor(store: MemoryStore, clock: Clock, policy: LifecyclePolicy) {
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

  async claimNext(ask: ClaimAsk): Promise<Claim | null> {
    checkLease(ask.leaseMs);
    const again = this.#sameAttempt(ask);
    if (again !== undefined) return claimOf(again);
    const next = this.#ready(ask.states ?? OPEN_STATES).sort(byTurn)[0];
    return next === undefined ? null : this.#take(next, ask);
  }

  async claim(key: ItemKey, ask: ClaimAsk): Promise<Claim | null> {
    checkLease(ask.leaseMs);
    const again = this.#sameAttempt(ask);
    if (again !== undefined) return again.item.key === key ? claimOf(again) : null;
    const entry = this.#store.items.get(key);
    if (entry === undefined || this.#isHeld(entry)) return null;
    const states = (ask.states ?? OPEN_STATES).filter((state) => OPEN_STATES.includes(state));
    if (!states.includes(entry.item.state) || !(ask.early || this.#isDue(entry))) return null;
    return this.#take(entry, ask);
  }

  async upcoming(limit: number): Promise<readonly ItemKey[]> {
    checkLimit(limit);
    return this.#ready(OPEN_STATES)
      .sort(byTurn)
      .slice(0, limit)
      .map(({ item }) => item.key);
  }

  async renew(held: Claim, leaseMs: number): Promise<Claim | null> {
    checkLease(leaseMs);
    const entry = this.#heldBy(held);
    if (entry === null) return null;
    const until = this.#clock.now() + leaseMs;
    entry.claim = { owner: held.owner, until, attempt: entry.claim?.attempt ?? null };
    return { ...held, until };
  }

  async release(held: Claim): Promise<void> {
    const entry = this.#heldBy(held);
    if (entry !== null) entry.claim = null;
  }

  async expireStalledClaims(leaseMs: number, leases: LeaseWatch): Promise<CorrectedTimes> {
    const now = this.#clock.now();
    const done = { corrected: 0, watched: 0 };
    for (const [key, entry] of this.#store.items) {
      const { claim } = entry;
      if (claim === null || !endsTooLate(claim.until, leaseMs, now)) continue;
      if (leases.isOver(key, claim.until, leaseMs)) {
        entry.claim = { ...claim, until: now };
        done.corrected++;
      } else done.watched++;
    }
    return done;
  }

  async record(held: Claim, transition: Transition, step: Step = {}): Promise<'recorded' | 'lost'> {
    checkTransition(transition);
    const name = stepName(held, transition);
    if (this.#store.items.get(held.item.key)?.steps.has(name)) return 'recorded';
    const entry = this.#heldBy(held);
    if (entry === null || entry.item.state !== transition.from) return 'lost';
    this.#apply(entry, transition, held.owner, step);
    entry.steps.add(name);
    if (!step.keepClaim) entry.claim = null;
    intendWhatIsFree(this.#store, step.intents ?? [], this.#clock.now());
    return 'recorded';
  }

  async intervene(key: ItemKey, event: LifecycleEvent, who: string): Promise<Intervention> {
    const entry = this.#store.items.get(key);
    if (entry === undefined) return { done: false, why: `there is no item ${key}` };
    if (this.#isHeld(entry)) return { done: false, why: `${entry.claim?.owner} is working on it` };
    const next = advance(entry.item, event, this.#clock.now(), this.#policy);
    if (!next.allowed) return { done: false, why: next.why };
    this.#apply(entry, next.transition, who, {});
    entry.claim = null;
    return { done: true, item: entry.item };
  }

  async unhanded({ limit, handedBefore = 0 }: UnhandedAsk): Promise<readonly ItemKey[]> {
    checkLimit(limit);
    return this.#ready(OPEN_STATES)
      .filter(
        ({ handedAt, claim }) =>
          // Behind a lease that ran out it may be worked on since then.
          handedAt !== null && (handedAt === 0 || handedAt < Math.max(handedBefore, claim?.until ?? 0)),
      )
      .sort((a, b) => Number(a.handedAt) - Number(b.handedAt) || turnOf(a.item) - turnOf(b.item))
      .slice(0, limit)
      .map((entry) => entry.item.key);
  }

  async markHanded(keys: readonly ItemKey[]): Promise<void> {
    for (const key of keys) {
      const entry = this.#store.items.get(key);
      if (entry !== undefined && entry.handedAt !== null) entry.handedAt = this.#clock.now();
    }
  }

  async find(key: ItemKey): Promise<Item | null> {
    return this.#store.items.get(key)?.item ?? null;
  }

  async list(filter: ItemFilter): Promise<ItemPage> {
    checkLimit(filter.limit);
    const from = readCursor(filter.cursor);
    const found = [...this.#store.items.values()]
      .filter(({ item }) => (filter.states ?? STATES).includes(item.state) && matches(item, filter))
      .sort((a, b) => b.item.checkedAt - a.item.checkedAt || b.nth - a.nth)
      .filter(({ item, nth }) => item.checkedAt < from.at || (item.checkedAt === from.at && nth < from.id));
    const page = found.slice(0, filter.limit);
    const last = found.length > filter.limit ? page.at(-1) : undefined;
    const next = last === undefined ? null : writeCursor({ at: last.item.checkedAt, id: last.nth });
    return { items: page.map(({ item }) => item), next };
  }

  async history(key: ItemKey): Promise<readonly HistoryEntry[]> {
    const grave = this.#store.tombstones.get(key);
    if (grave === undefined) return [...(this.#store.items.get(key)?.history ?? [])];
    return [line({ at: grave.sweptAt, event: 'sweep', from: grave.state, to: null })];
  }

  async unusable(): Promise<readonly UnusableRecord[]> {
    return [];
  }

  async hasMet(sourceId: string): Promise<boolean> {
    const { items, metSources } = this.#store;
    return (
      metSources.has(sourceId) ||
      items.values().some(({ sightings }) => sightings.some((sighted) => sighted.sourceId === sourceId))
    );
  }

  async sightings(key: ItemKey): Promise<readonly Sighted[]> {
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
      leased: entries.filter((entry) => this.#isHeld(entry)).length,
      oldestOpen: open.length === 0 ? null : Math.min(...open.map(({ item }) => item.checkedAt)),
      tombstones: this.#store.tombstones.size,
    };
  }

  async sweep(plan: SweepPlan): Promise<SweepReport> {
    return sweep(this.#store, plan, this.#clock.now());
  }

  dump(): AsyncIterable<LedgerRecord> {
    return dump(this.#store);
  }

  async load(records: readonly LedgerRecord[]): Promise<readonly LoadOutcome[]> {
    return records.map((record) => load(this.#store, record));
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #admit(sighting: Sighting, options: AdmitOptions): AdmitOutcome {
    if (whyRefused(sighting) !== null) return 'refused';
    const now = this.#clock.now();
    const seen = sightedOf(sighting, now);
    const known = this.#store.items.get(sighting.key);
    if (known !== undefined) {
      if (!known.sightings.some(({ sourceId }) => sourceId === seen.sourceId)) known.sightings.push(seen);
      return 'known';
    }
    if (this.#store.tombstones.has(sighting.key)) return 'swept';
    const standing = admitted(now, options.baseline?.(sighting) ?? false);
    this.#store.items.set(sighting.key, {
      nth: ++this.#store.count,
      item: { ...sighting, ...standing, createdAt: now, verdict: null },
      token: 0,
      claim: null,
      handedAt: options.handOver && standing.state === 'waiting' ? 0 : null,
      steps: new Set(),
      sightings: [seen],
      history: [admitLine(sighting, standing, now)],
    });
    return standing.state === 'baseline' ? 'baseline' : 'new';
  }

  #apply(entry: Entry, { from, event, to }: Transition, who: string, step: Step): void {
    entry.item = { ...entry.item, ...to, verdict: step.verdict ?? entry.item.verdict };
    if (entry.handedAt !== null) entry.handedAt = 0;
    entry.history.push({
      ...line({ at: to.checkedAt, event, from, to: to.state }),
      reason: to.reason,
      detail: to.detail,
      who,
      notes: step.notes ?? {},
      ...(step.verdict !== undefined && { verdict: step.verdict }),
    });
  }

  #take(entry: Entry, ask: ClaimAsk): Claim {
    const now = this.#clock.now();
    if (entry.claim !== null)
      entry.history.push({
        ...line({ at: now, event: 'claim', from: entry.item.state, to: entry.item.state }),
        detail: `the lease of ${entry.claim.owner} ran out`,
        who: ask.owner,
      });
    entry.token += 1;
    entry.claim = { owner: ask.owner, until: now + ask.leaseMs, attempt: ask.attempt ?? null };
    return claimOf(entry);
  }

  #ready(states: readonly State[]): Entry[] {
    return [...this.#store.items.values()].filter(
      (entry) =>
        OPEN_STATES.includes(entry.item.state) &&
        states.includes(entry.item.state) &&
        !this.#isHeld(entry) &&
        this.#isDue(entry),
    );
  }

  #isHeld(entry: Entry): boolean {
    return entry.claim !== null && entry.claim.until > this.#clock.now();
  }

  #isDue({ item }: Entry): boolean {
    return item.dueAt === null || item.dueAt <= this.#clock.now();
  }

  #heldBy(held: Claim): Entry | null {
    const entry = this.#store.items.get(held.item.key);
    if (entry === undefined || entry.token !== held.token || entry.claim?.owner !== held.owner) return null;
    return this.#isHeld(entry) ? entry : null;
  }

  #sameAttempt({ attempt, owner }: ClaimAsk): Entry | undefined {
    if (attempt === undefined) return undefined;
    return [...this.#store.items.values()].find(
      (entry) => entry.claim?.attempt === attempt && entry.claim.owner === owner && this.#isHeld(entry),
    );
  }
}

/** Accepted before all others, by publication; the rest by their last check (B6). */
function byTurn(a: Entry, b: Entry): number {
  const lane = Number(b.item.state === 'accepted') - Number(a.item.state === 'accepted');
  return lane || turnOf(a.item) - turnOf(b.item) || a.nth - b.nth;
}

function turnOf(item: Item): number {
  return item.state === 'accepted' ? item.publishedAt : item.checkedAt;
}

function claimOf({ item, token, claim }: Entry): Claim {
  return { item, token, owner: claim?.owner ?? '', until: claim?.until ?? 0 };
}

function sightedOf({ sourceId, sourceName, url, title }: Sighting, at: number): Sighted {
  return { sourceId, sourceName, url, title, at };
}

function admitLine(sighting: Sighting, standing: ReturnType<typeof admitted>, at: number): HistoryEntry {
  return {
    ...line({ at, event: 'admit', from: null, to: standing.state }),
    reason: standing.reason,
    who: sighting.sourceId === '' ? null : sighting.sourceId,
    notes: sighting.sourceName === '' ? {} : { source: sighting.sourceName },
  };
}

function line(facts: Pick<HistoryEntry, 'at' | 'event' | 'from' | 'to'>): HistoryEntry {
  return { ...facts, reason: 'none', detail: null, who: null, notes: {} };
}
