import fc from 'fast-check';
import { expect } from 'vitest';
import type { LifecycleEvent } from '../../item/lifecycle.ts';
import { MINUTE } from '../../time/duration.ts';
import type { ManualClock } from '../../time/manual-clock.ts';
import type { Claim, Ledger } from '../ledger.ts';
import { isHeld, type Model, type ModelItem, nextUp, take } from './model-state.ts';
import { keyOf, LEASE, POLICY, present, sighting, transition } from './subject.ts';

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
      const expected = model.items.has(name) ? 'known' : model.graves.has(name) ? 'swept' : 'new';
      expect(outcomes[index]).toBe(expected);
      if (expected === 'new') model.items.set(name, fresh(model, name, this.published));
    }
  }
  toString = () => `admit(${this.names.join(',')} of ${this.published})`;
}

class ClaimNext implements Command {
  check = () => true;
  async run(model: Model, { ledger, claims }: Real): Promise<void> {
    const claim = await ledger.claimNext({ owner: 'w', leaseMs: LEASE });
    const item = nextUp(model);
    expect(claim?.item.key).toBe(item === undefined ? undefined : keyOf(item.name));
    if (item === undefined || claim === null) return;
    take(model, item);
    claims.push(claim);
    expect(claim.token).toBe(item.token);
    expect(claim.item).toMatchObject(view(item));
  }
  toString = () => 'claimNext()';
}

/** Anything that is done with the n-th claim, whether it still holds or not. */
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
    const holds = item?.holder?.token === made.token && isHeld(model, item) && !made.done;
    await this.act(model, real, present(real.claims[index]), holds ? present(item) : null, made);
  }
  abstract act(
    model: Model,
    real: Real,
    claim: Claim,
    held: ModelItem | null,
    made: Model['claims'][number],
  ): Promise<void>;
}

class Renew extends OnClaim {
  async act(model: Model, { ledger }: Real, claim: Claim, held: ModelItem | null): Promise<void> {
    const renewed = await ledger.renew(claim, LEASE);
    expect(renewed === null).toBe(held === null);
    if (held !== null) held.holder = { token: held.token, until: model.now + LEASE };
  }
  override toString = () => `renew(${this.nth})`;
}

class Release extends OnClaim {
  async act(_: Model, { ledger }: Real, claim: Claim, held: ModelItem | null): Promise<void> {
    await ledger.release(claim);
    if (held !== null) held.holder = null;
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
    held: ModelItem | null,
    made: Model['claims'][number],
  ): Promise<void> {
    if (claim.item.state === 'accepted' && this.event.type === 'accept') return;
    if (made.done) return;
    const step = transition(claim.item, this.event, clock.now());
    expect(await ledger.record(claim, step)).toBe(held === null ? 'lost' : 'recorded');
    if (held === null) return;
    expect(await ledger.record(claim, step)).toBe('recorded');
    made.done = true;
    held.holder = null;
    follow(held, this.event, model.now);
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
    expect(done).toBe(may && !isHeld(model, item));
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
    model.wentBack ||= this.ms < 0;
  }
  toString = () => `advance(${this.ms})`;
}

class Sweep implements Command {
  check = () => true;
  async run(model: Model, { ledger }: Real): Promise<void> {
    const keep = { published: MINUTE, rejected: MINUTE };
    const { swept } = await ledger.sweep({ keep, keepTombstones: 1e12, forget: ['rejected'], dryRun: false });
    const gone = { published: 0, rejected: 0 };
    for (const item of [...model.items.values()]) {
      if (item.state !== 'published' && item.state !== 'rejected') continue;
      if (item.checkedAt >= model.now - MINUTE) continue;
      gone[item.state] += 1;
      model.items.delete(item.name);
      if (item.state === 'published') model.graves.add(item.name);
    }
    expect({ published: 0, rejected: 0, ...swept }).toEqual(gone);
  }
  toString = () => 'sweep()';
}

/** Everything that can be seen must be as the model has it. */
class Look implements Command {
  check = () => true;
  async run(model: Model, { ledger }: Real): Promise<void> {
    const items = [...model.items.values()];
    const counts = await ledger.counts();
    for (const [state, n] of Object.entries(counts.byState))
      expect(n).toBe(items.filter((item) => item.state === state).length);
    // A lease that was seen to be over is not counted again when the clock goes back.
    const leased = items.filter((item) => isHeld(model, item)).length;
    expect(model.wentBack || counts.leased === leased, `${counts.leased} leased, not ${leased}`).toBe(true);
    expect(counts.tombstones).toBe(model.graves.size);
    for (const item of items) expect(await ledger.find(keyOf(item.name))).toMatchObject(view(item));
    const listed = await ledger.list({ limit: 100 });
    const order = items.toSorted((a, b) => b.checkedAt - a.checkedAt || b.nth - a.nth);
    expect(listed.items.map(({ key }) => key)).toEqual(order.map(({ name }) => keyOf(name)));
  }
  toString = () => 'look()';
}

function fresh(model: Model, name: string, published: number): ModelItem {
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

function follow(item: ModelItem, event: LifecycleEvent, now: number): void {
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

function view({ state, reason, attempts, checkedAt }: ModelItem) {
  return { state, reason, attempts, checkedAt };
}

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const nth = fc.nat(20);
const event = fc.constantFrom<LifecycleEvent>(
  { type: 'accept' },
  { type: 'publish' },
  { type: 'reject', reason: 'low_relevance' },
  { type: 'defer', reason: 'not_ready' },
  { type: 'postpone', until: Date.UTC(2026, 0, 1) + 3 * MINUTE, reason: 'over_limit' },
);

export const ALL_COMMANDS: fc.Arbitrary<Command>[] = [
  fc
    .tuple(fc.array(name, { maxLength: 4 }), fc.nat(3))
    .map(([names, published]) => new Admit(names, published)),
  fc.constant(new ClaimNext()),
  fc.constant(new ClaimNext()),
  nth.map((n) => new Renew(n)),
  nth.map((n) => new Release(n)),
  fc.tuple(nth, event).map(([n, what]) => new RecordStep(n, what)),
  fc.tuple(nth, event).map(([n, what]) => new RecordStep(n, what)),
  name.map((n) => new Requeue(n)),
  fc.constantFrom(1, 1000, LEASE - 1, LEASE, 5 * MINUTE, -1000).map((ms) => new Advance(ms)),
  fc.constant(new Sweep()),
  fc.constant(new Look()),
];
