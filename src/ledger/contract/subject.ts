import { afterEach, beforeEach } from 'vitest';
import type { Item, ItemKey, Sighting, Verdict } from '../../item/item.ts';
import { advance, type LifecycleEvent, type LifecyclePolicy, type Transition } from '../../item/lifecycle.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { Clock } from '../../time/clock.ts';
import { MINUTE } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { Claim, Ledger, Step } from '../ledger.ts';
import { POLICY } from './worker.ts';

/** Supplied by an adapter's test file: fresh, empty stores of one pipeline. */
export type MakePipelineStores = (options: {
  readonly clock: Clock;
  readonly policy: LifecyclePolicy;
}) => Promise<PipelineStores> | PipelineStores;

export interface PipelineStores extends AsyncDisposable {
  readonly ledger: Ledger;
  readonly outbox: Outbox;
}

export { POLICY };

export const LEASE_MS = MINUTE;

/** The stores under test, created for each test, with shorthands for the suites. */
export class Subject {
  clock = new ManualClock();
  #stores: PipelineStores | null = null;

  constructor(make: MakePipelineStores) {
    beforeEach(async () => {
      this.clock = new ManualClock();
      this.#stores = await make({ clock: this.clock, policy: POLICY });
    });
    afterEach(async () => {
      await this.#stores?.[Symbol.asyncDispose]();
      this.#stores = null;
    });
  }

  get ledger(): Ledger {
    return this.stores.ledger;
  }

  get outbox(): Outbox {
    return this.stores.outbox;
  }

  get stores(): PipelineStores {
    if (this.#stores === null) throw new Error('The stores exist only while a test runs.');
    return this.#stores;
  }

  async admit(...names: string[]): Promise<ItemKey[]> {
    const sightings = names.map((name) => sighting(name));
    await this.ledger.admit(sightings, {});
    return sightings.map(({ key }) => key);
  }

  async claimNext(owner = 'worker'): Promise<Claim> {
    return present(await this.ledger.claimNext({ owner, leaseMs: LEASE_MS }));
  }

  async claim(key: ItemKey, owner = 'worker'): Promise<Claim> {
    return present(await this.ledger.claim(key, { owner, leaseMs: LEASE_MS }));
  }

  /** One step, decided by the lifecycle as in the pipelines. */
  step(claim: Claim, event: LifecycleEvent, step: Step = {}): Promise<'recorded' | 'lost'> {
    return this.ledger.record(claim, transition(claim.item, event, this.clock.now()), step);
  }

  async find(key: ItemKey): Promise<Item> {
    return present(await this.ledger.find(key));
  }

  /** An accepted item with this time of publication. */
  async acceptedAt(name: string, publishedAt: number): Promise<void> {
    await this.ledger.admit([sighting(name, { publishedAt })], {});
    await this.step(await this.claim(keyOf(name)), { type: 'accept' });
  }

  /** Admits, claims and records one step. */
  async afterStep(name: string, event: LifecycleEvent, step: Step = {}): Promise<ItemKey> {
    const [key] = await this.admit(name);
    const claim = await this.claim(present(key));
    await this.step(claim, event, step);
    return claim.item.key;
  }
}

export function transition(item: Item, event: LifecycleEvent, now: number): Transition {
  const next = advance(item, event, now, POLICY);
  if (!next.allowed) throw new Error(next.why);
  return next.transition;
}

export function sighting(name: string, more: Partial<Sighting> = {}): Sighting {
  const key = keyOf(name);
  return {
    key,
    url: key,
    title: `About ${name}`,
    publishedAt: Date.UTC(2025, 11, 31),
    sourceId: 'feed-1',
    sourceName: 'The first feed',
    ...more,
  };
}

export function keyOf(name: string): ItemKey {
  return `https://news.example/${name}` as ItemKey;
}

export function verdict(more: Partial<Verdict> = {}): Verdict {
  return {
    score: 82,
    topics: ['databases'],
    summary: 'A summary.',
    reason: 'It matches.',
    judge: 'local',
    model: 'local-1',
    promptVersion: 'p1',
    interestsVersion: 'i1',
    textHash: 'abc',
    madeAt: Date.UTC(2026, 0, 1),
    provisional: false,
    ...more,
  };
}

export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('Expected a value, got none.');
  return value;
}
