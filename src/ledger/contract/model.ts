import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LifecycleEvent, OPEN_STATES, type Reason, type State } from '../../item/lifecycle.ts';
import { MINUTE } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { Claim, Ledger } from '../ledger.ts';
import {
  keyOf,
  LEASE_MS,
  type MakePipelineStores,
  POLICY,
  present,
  sighting,
  transition,
} from './subject.ts';

/** Observable state of one item. */
export interface ModelItem {
  readonly name: string;
  readonly nth: number;
  readonly published: number;
  state: State;
  reason: Reason;
  attempts: number;
  dueAt: number;
  checkedAt: number;
  token: number;
  holder: { readonly token: number; readonly until: number } | null;
}

export interface Model {
  now: number;
  clockWentBack: boolean;
  readonly items: Map<string, ModelItem>;
  readonly tombstones: Set<string>;
  /** Claims in the order in which they were made; the real ones have the same indexes. */
  readonly claims: { readonly name: string; readonly token: number; done: boolean }[];
}

const MODEL_START = new ManualClock().now();

export function emptyModel(): Model {
  return { now: MODEL_START, clockWentBack: false, items: new Map(), tombstones: new Set(), claims: [] };
}

export function isClaimed(model: Model, item: ModelItem): boolean {
  return item.holder !== null && item.holder.until > model.now;
}

/** B6 in one sentence of code. */
export function nextClaimable(model: Model): ModelItem | undefined {
  const ready = [...model.items.values()].filter(
    (item) => OPEN_STATES.includes(item.state) && !isClaimed(model, item) && item.dueAt <= model.now,
  );
  const pending = ready.filter((item) => item.state === 'accepted');
  const line = pending.length > 0 ? pending : ready;
  const place = (item: ModelItem): number => (pending.length > 0 ? item.published : item.checkedAt);
  return line.toSorted((a, b) => place(a) - place(b) || a.nth - b.nth)[0];
}

export function claimInModel(model: Model, item: ModelItem): void {
  item.token += 1;
  item.holder = { token: item.token, until: model.now + LEASE_MS };
  model.claims.push({ name: item.name, token: item.token, done: false });
}

export interface Real {
  readonly ledger: Ledger;
  readonly clock: ManualClock;
  readonly claims: Claim[];
}

type Command = fc.AsyncCommand<Model, Real>;

class Admit implements Command {
  readonly names: readonly string[];
  readonly published: number;
  constructor(names: readonly string[], published: number) {
    this.names = names;
    this.published = published;
  }
  check = () => true;
  async run(model: Model, { ledger }: Real): Promise<void> {
    const outcomes = await ledger.admit(
      this.names.map((name) => sighting(name, { publishedAt: this.published })),
      {},
    );
    for (const [index, name] of this.names.entries()) {
      const expected = model.items.has(name) ? 'known' : model.tombstones.has(name) ? 'swept' : 'new';
      expect(outcomes[index]).toBe(expected);
      if (expected === 'new') model.items.set(name, newModelItem(model, name, this.published));
    }
  }
  toString = () => `admit(${this.names.join(',')} of ${this.published})`;
}

class ClaimNext implements Command {
  check = () => true;
  async run(model: Model, { ledger, claims }: Real): Promise<void> {
    const claim = await ledger.claimNext({ owner: 'w', leaseMs: LEASE_MS });
    const item = nextClaimable(model);
    expect(claim?.item.key).toBe(item === undefined ? undefined : keyOf(item.name));
    if (item === undefined || claim === null) return;
    claimInModel(model, item);
    claims.push(claim);
    expect(claim.token).toBe(item.token);
    expect(claim.item).toMatchObject(visibleState(item));
  }
  toString = () => 'claimNext()';
}

/** An operation with the n-th claim, whether or not it is still valid. */
abstract class OnClaim implements Command {
  readonly nth: number;
  constructor(nth: number) {
    this.nth = nth;
  }
  check = (model: Model) => model.claims.length > 0;
  async run(model: Model, real: Real): Promise<void> {
    const index = this.nth % model.claims.length;
    const made = present(model.claims[index]);
    const item = model.items.get(made.name);
    const holds = item?.holder?.token === made.token && isClaimed(model, item) && !made.done;
    await this.act(model, real, present(real.claims[index]), holds ? present(item) : null, made);
  }
  abstract act(
    model: Model,
    real: Real,
    claim: Claim,
    claimed: ModelItem | null,
    made: Model['claims'][number],
  ): Promise<void>;
}

class Renew extends OnClaim {
  async act(model: Model, { ledger }: Real, claim: Claim, claimed: ModelItem | null): Promise<void> {
    const renewed = await ledger.renew(claim, LEASE_MS);
    expect(renewed === null).toBe(claimed === null);
    if (claimed !== null) claimed.holder = { token: claimed.token, until: model.now + LEASE_MS };
  }
  override toString = () => `renew(${this.nth})`;
}

class Release extends OnClaim {
  async act(_: Model, { ledger }: Real, claim: Claim, claimed: ModelItem | null): Promise<void> {
    await ledger.release(claim);
    if (claimed !== null) claimed.holder = null;
  }
  override toString = () => `release(${this.nth})`;
}

class RecordStep extends OnClaim {
  readonly event: LifecycleEvent;
  constructor(nth: number, event: LifecycleEvent) {
    super(nth);
    this.event = event;
  }
  async act(
    model: Model,
    { ledger, clock }: Real,
    claim: Claim,
    claimed: ModelItem | null,
    made: Model['claims'][number],
  ): Promise<void> {
    if (claim.item.state === 'accepted' && this.event.type === 'accept') return;
    if (made.done) return;
    const step = transition(claim.item, this.event, clock.now());
    expect(await ledger.record(claim, step)).toBe(claimed === null ? 'lost' : 'recorded');
    if (claimed === null) return;
    expect(await ledger.record(claim, step)).toBe('recorded');
    made.done = true;
    claimed.holder = null;
    applyEvent(claimed, this.event, model.now);
  }
  override toString = () => `record(${this.nth}, ${this.event.type})`;
}

class Requeue implements Command {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
  check = () => true;
  async run(model: Model, { ledger }: Real): Promise<void> {
    const item = model.items.get(this.name);
    const may = item !== undefined && ['deferred', 'rejected', 'failed', 'parked'].includes(item.state);
    const { done } = await ledger.intervene(keyOf(this.name), { type: 'requeue' }, 'maria');
    expect(done).toBe(may && !isClaimed(model, item));
    if (!done || item === undefined) return;
    item.holder = null;
    if (item.state !== 'deferred') item.attempts = 0;
    Object.assign(item, { state: 'waiting', reason: 'none', dueAt: 0, checkedAt: model.now });
  }
  toString = () => `requeue(${this.name})`;
}

class Advance implements Command {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  check = () => true;
  async run(model: Model, { clock }: Real): Promise<void> {
    clock.jump(this.ms);
    model.now = clock.now();
    model.clockWentBack ||= this.ms < 0;
  }
  toString = () => `advance(${this.ms})`;
}

class Sweep implements Command {
  check = () => true;
  async run(model: Model, { ledger }: Real): Promise<void> {
    const keep = { published: MINUTE, rejected: MINUTE };
    const { swept } = await ledger.sweep({
      keep,
      keepTombstones: 1e12,
      withoutTombstone: ['rejected'],
      dryRun: false,
    });
    const gone = { published: 0, rejected: 0 };
    for (const item of [...model.items.values()]) {
      if (item.state !== 'published' && item.state !== 'rejected') continue;
      if (item.checkedAt >= model.now - MINUTE) continue;
      gone[item.state] += 1;
      model.items.delete(item.name);
      if (item.state === 'published') model.tombstones.add(item.name);
    }
    expect({ published: 0, rejected: 0, ...swept }).toEqual(gone);
  }
  toString = () => 'sweep()';
}

/** Compares everything observable with the model. */
class CheckState implements Command {
  check = () => true;
  async run(model: Model, { ledger }: Real): Promise<void> {
    const items = [...model.items.values()];
    const counts = await ledger.counts();
    for (const [state, n] of Object.entries(counts.byState))
      expect(n).toBe(items.filter((item) => item.state === state).length);
    // An expired lease is not counted again when the clock goes back.
    const leased = items.filter((item) => isClaimed(model, item)).length;
    expect(model.clockWentBack || counts.leased === leased, `${counts.leased} leased, not ${leased}`).toBe(
      true,
    );
    expect(counts.tombstones).toBe(model.tombstones.size);
    for (const item of items) expect(await ledger.find(keyOf(item.name))).toMatchObject(visibleState(item));
    const listed = await ledger.list({ limit: 100 });
    const order = items.toSorted((a, b) => b.checkedAt - a.checkedAt || b.nth - a.nth);
    expect(listed.items.map(({ key }) => key)).toEqual(order.map(({ name }) => keyOf(name)));
  }
  toString = () => 'look()';
}

function newModelItem(model: Model, name: string, published: number): ModelItem {
  return {
    name,
    nth: nextNumber++,
    published,
    state: 'waiting',
    reason: 'none',
    attempts: 0,
    dueAt: 0,
    checkedAt: model.now,
    token: 0,
    holder: null,
  };
}
let nextNumber = 0;

function applyEvent(item: ModelItem, event: LifecycleEvent, now: number): void {
  item.checkedAt = now;
  item.dueAt = 0;
  item.reason = 'reason' in event ? event.reason : 'none';
  if (event.type === 'accept') item.state = 'accepted';
  if (event.type === 'publish') item.state = 'published';
  if (event.type === 'reject') item.state = 'rejected';
  if (event.type === 'postpone') item.dueAt = event.until;
  if (event.type === 'defer') {
    item.attempts += 1;
    const failed = item.attempts > POLICY.retryLimit;
    item.state = failed ? 'failed' : 'deferred';
    if (failed) item.reason = 'retry_limit';
    else item.dueAt = now + POLICY.backoff(item.attempts);
  }
}

function visibleState({ state, reason, attempts, checkedAt }: ModelItem) {
  return { state, reason, attempts, checkedAt };
}

const anyName = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const anyClaim = fc.nat(20);
const anyEvent = fc.constantFrom<LifecycleEvent>(
  { type: 'accept' },
  { type: 'publish' },
  { type: 'reject', reason: 'low_relevance' },
  { type: 'defer', reason: 'not_ready' },
  { type: 'postpone', until: Date.UTC(2026, 0, 1) + 3 * MINUTE, reason: 'over_limit' },
);

export const ALL_COMMANDS: fc.Arbitrary<Command>[] = [
  fc
    .tuple(fc.array(anyName, { maxLength: 4 }), fc.nat(3))
    .map(([names, published]) => new Admit(names, published)),
  fc.constant(new ClaimNext()),
  fc.constant(new ClaimNext()),
  anyClaim.map((n) => new Renew(n)),
  anyClaim.map((n) => new Release(n)),
  fc.tuple(anyClaim, anyEvent).map(([n, what]) => new RecordStep(n, what)),
  fc.tuple(anyClaim, anyEvent).map(([n, what]) => new RecordStep(n, what)),
  anyName.map((n) => new Requeue(n)),
  fc.constantFrom(1, 1000, LEASE_MS - 1, LEASE_MS, 5 * MINUTE, -1000).map((ms) => new Advance(ms)),
  fc.constant(new Sweep()),
  fc.constant(new CheckState()),
];

/** KAWARABAN_SEED repeats a run that failed; KAWARABAN_RUNS makes it longer. */
const seed = process.env.KAWARABAN_SEED === undefined ? undefined : Number(process.env.KAWARABAN_SEED);
const askedRuns = process.env.KAWARABAN_RUNS === undefined ? undefined : Number(process.env.KAWARABAN_RUNS);

/** Any sequence of calls, compared with a plain model after each. */
export function modelContract(make: MakePipelineStores, runs = 40): void {
  describe('model', () => {
    it('X1 any sequence of calls does what the plain model does', async () => {
      await fc.assert(
        fc.asyncProperty(fc.commands(ALL_COMMANDS, { maxCommands: 60, size: '+1' }), async (commands) => {
          const clock = new ManualClock();
          const stores = await make({ clock, policy: POLICY });
          try {
            await fc.asyncModelRun(
              () => ({ model: emptyModel(), real: { ledger: stores.ledger, clock, claims: [] } }),
              commands,
            );
          } finally {
            await stores[Symbol.asyncDispose]();
          }
        }),
        { numRuns: askedRuns ?? runs, ...(seed !== undefined && { seed }) },
      );
    });
  });
}
