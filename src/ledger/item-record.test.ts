import { describe, expect, it } from 'vitest';
import { CLOCK_TOLERANCE, type LeaseWatch } from '../time/clock.ts';
import { MINUTE } from '../time/duration.ts';
import { keyOf, LEASE_MS, POLICY, present, sighting, transition, verdict } from './contract/subject.ts';
import {
  byTurn,
  claimItem,
  dumpItem,
  expireStalledClaim,
  handedOver,
  type ItemRecord,
  intervene,
  isPendingHandOver,
  loadItem,
  MAX_HISTORY,
  newItem,
  publicHistory,
  recordStep,
  releaseClaim,
  renewClaim,
  seenAgain,
  sourcesOf,
  tombstoneOf,
  withLine,
} from './item-record.ts';
import type { Claim } from './ledger.ts';

const NOW = Date.UTC(2026, 0, 1);
const ALIVE: LeaseWatch = { isOver: () => false };
const DEAD: LeaseWatch = { isOver: () => true };

function admitted(name = 'a', more: { handOver?: boolean; baseline?: boolean } = {}): ItemRecord {
  return newItem(sighting(name), {
    now: NOW,
    nth: 1,
    baseline: more.baseline ?? false,
    handOver: more.handOver ?? false,
    admission: 'call',
  });
}

function claimed(record: ItemRecord, owner = 'w', now = NOW): { record: ItemRecord; claim: Claim } {
  const { value, next } = claimItem(record, { owner, leaseMs: LEASE_MS, attempt: `${owner} ${now}` }, now);
  return { record: present(next), claim: present(value) };
}

const active = claimed(admitted());
const accept = transition(active.claim.item, { type: 'accept' }, NOW);
const deferred = present(
  recordStep(
    active.record,
    active.claim,
    transition(active.claim.item, { type: 'defer', reason: 'not_ready' }, NOW),
    {},
    NOW,
  ).next,
);
const published = present(
  recordStep(active.record, active.claim, transition(active.claim.item, { type: 'publish' }, NOW), {}, NOW)
    .next,
);

describe('the record of an item', () => {
  const ask = { owner: 'other', leaseMs: LEASE_MS, attempt: 'try' };

  it.each<
    [string, ItemRecord, Partial<typeof ask> & { states?: ['accepted']; early?: true }, number, boolean]
  >([
    ['waits', admitted(), {}, NOW, true],
    ['is claimed', active.record, {}, NOW, false],
    ['is claimed until the last millisecond', active.record, {}, NOW + LEASE_MS - 1, false],
    ['was claimed by a worker whose lease expired', active.record, {}, NOW + LEASE_MS, true],
    ['is deferred', deferred, {}, NOW, false],
    ['is deferred, and claimed early', deferred, { early: true }, NOW, true],
    ['is deferred and due', deferred, {}, NOW + POLICY.backoff(1), true],
    ['is not in the wanted state', admitted(), { states: ['accepted'] }, NOW, false],
    ['is in a terminal state', published, {}, NOW, false],
    ['is a baseline', admitted('a', { baseline: true }), {}, NOW, false],
  ])('B6 X21 that %s is claimed or not', (_, record, more, now, isFree) => {
    const { value, next } = claimItem(record, { ...ask, ...more }, now);
    expect(value !== null).toBe(isFree);
    expect(next?.token).toBe(isFree ? record.token + 1 : undefined);
  });

  it('X21 a claim that replaces an expired one leaves a line, and the fencing token grows', () => {
    const { record, claim } = claimed(active.record, 'next', NOW + LEASE_MS);
    expect(claim.token).toBe(active.claim.token + 1);
    expect(record.history.at(-1)).toMatchObject({
      event: 'claim',
      detail: 'the lease of w ran out',
      who: 'next',
    });
  });

  it('the same attempt gets the same claim, as long as it lasts', () => {
    const first = claimItem(admitted(), ask, NOW);
    expect(claimItem(present(first.next), ask, NOW + 1)).toEqual({ value: first.value });
    expect(claimItem(present(first.next), ask, NOW + LEASE_MS).value?.token).toBe(2);
  });

  it.each<[string, Claim, number, boolean]>([
    ['its own', active.claim, NOW, true],
    ['an expired one', active.claim, NOW + LEASE_MS, false],
    ['one with an older token', { ...active.claim, token: 0 }, NOW, false],
    ['one of another owner', { ...active.claim, owner: 'other' }, NOW, false],
  ])('X21 renewing, releasing and recording under %s', (_, claim, now, isValid) => {
    const { record } = active;
    expect(renewClaim(record, claim, LEASE_MS, now).next?.claim?.until).toBe(
      isValid ? now + LEASE_MS : undefined,
    );
    expect(releaseClaim(record, claim, now).next?.claim).toBe(isValid ? null : undefined);
    const recorded = recordStep(record, claim, accept, {}, now);
    expect(recorded.value).toBe(isValid ? 'recorded' : 'lost');
    expect(recorded.next?.item.state).toBe(isValid ? 'accepted' : undefined);
  });

  it('A12 a repeated step is recorded once, also after later steps', () => {
    const first = present(recordStep(active.record, active.claim, accept, { verdict: verdict() }, NOW).next);
    expect(first.claim).toBeNull();
    expect(recordStep(first, active.claim, accept, {}, NOW)).toEqual({ value: 'recorded' });
    const later = claimed(first, 'next').record;
    expect(recordStep(later, active.claim, accept, {}, NOW + LEASE_MS)).toEqual({ value: 'recorded' });
    expect(publicHistory(first).at(-1)).not.toHaveProperty('step');
  });

  it('X1 a step from another state than the item’s is lost', () => {
    const { record, claim } = claimed(present(recordStep(active.record, active.claim, accept, {}, NOW).next));
    expect(recordStep(record, claim, { ...accept, from: 'waiting' }, {}, NOW).value).toBe('lost');
  });

  it('a step may keep the claim', () => {
    const { next } = recordStep(active.record, active.claim, accept, { keepClaim: true }, NOW);
    expect(next?.claim).toEqual(active.record.claim);
  });

  it.each<[string, number, LeaseWatch, 'corrected' | 'watched' | null]>([
    ['ends in time', LEASE_MS, DEAD, null],
    ['is within the tolerance', LEASE_MS + CLOCK_TOLERANCE, DEAD, null],
    ['ends too late while its worker may live', LEASE_MS + CLOCK_TOLERANCE + 1, ALIVE, 'watched'],
    ['ends too late and its worker is dead', LEASE_MS + CLOCK_TOLERANCE + 1, DEAD, 'corrected'],
  ])('X21 a claim that %s', (_, length, leases, outcome) => {
    const { record } = claimed(admitted(), 'w', NOW);
    const stalled = { ...record, claim: { owner: 'w', attempt: 't', until: NOW + length } };
    const { value, next } = expireStalledClaim(stalled, LEASE_MS, leases, NOW);
    expect(value).toBe(outcome);
    expect(next?.claim?.until).toBe(outcome === 'corrected' ? NOW : undefined);
  });

  it('D9 a person decides on an unclaimed item, and only as the lifecycle allows', () => {
    expect(intervene(active.record, { type: 'requeue' }, 'maria', NOW, POLICY)).toEqual({
      value: { done: false, why: 'w is working on it' },
    });
    expect(intervene(published, { type: 'requeue' }, 'maria', NOW, POLICY).value).toMatchObject({
      done: false,
    });
    const { value, next } = intervene(deferred, { type: 'requeue' }, 'maria', NOW, POLICY);
    expect(value).toMatchObject({ done: true, item: { state: 'waiting' } });
    expect(next?.history.at(-1)).toMatchObject({ event: 'requeue', who: 'maria' });
  });

  it.each<[string, ItemRecord, number | undefined, boolean]>([
    ['never handed over', admitted('a', { handOver: true }), undefined, true],
    ['the ledger is the queue', admitted(), Number.MAX_SAFE_INTEGER, false],
    ['a baseline', admitted('a', { handOver: true, baseline: true }), undefined, false],
    ['handed over', present(handedOver(admitted('a', { handOver: true }), NOW)), undefined, false],
    ['handed over too long ago', present(handedOver(admitted('a', { handOver: true }), NOW)), NOW + 1, true],
    ['claimed', claimed(admitted('a', { handOver: true })).record, undefined, false],
  ])('D7 is to be handed over: %s', (_, record, handedBefore, expected) => {
    const unhanded = { limit: 1, ...(handedBefore !== undefined && { handedBefore }) };
    expect(isPendingHandOver(record, unhanded, NOW)).toBe(expected);
  });

  it('D7 X21 a claim resets the hand-over, and a claimed item is not marked as handed over', () => {
    const queued = present(handedOver(admitted('a', { handOver: true }), NOW));
    const { record } = claimed(queued);
    expect(handedOver(record, NOW)).toBeNull();
    expect(isPendingHandOver(record, { limit: 1 }, NOW + LEASE_MS)).toBe(true);
  });

  it('X3 every source counts once, up to fifty', () => {
    let record = admitted();
    expect(seenAgain(record, sighting('a'), NOW)).toBeNull();
    for (let n = 0; n < 60; n++)
      record = seenAgain(record, sighting('a', { sourceId: `mirror-${n}` }), NOW) ?? record;
    expect(record.sightings).toHaveLength(50);
    expect(sourcesOf(record)).toHaveLength(50);
  });

  it('a long history keeps its first line and its newest', () => {
    let record = admitted();
    for (let n = 0; n < MAX_HISTORY + 5; n++)
      record = withLine(record, { ...present(record.history[0]), event: 'deliver', at: n });
    expect(record.history).toHaveLength(MAX_HISTORY);
    expect(record.history[0]?.event).toBe('admit');
    expect(record.history.at(-1)?.at).toBe(MAX_HISTORY + 4);
  });

  it('B6 accepted items come first by publication, the others by their last check', () => {
    const make = (nth: number, item: Partial<ItemRecord['item']>): ItemRecord => ({
      ...admitted(),
      nth,
      item: { ...admitted().item, ...item },
    });
    const records = [
      make(4, { checkedAt: 2 }),
      make(3, { checkedAt: 1 }),
      make(2, { checkedAt: 1 }),
      make(1, { state: 'accepted', publishedAt: 9 }),
      make(0, { state: 'accepted', publishedAt: 8 }),
    ];
    expect(records.toSorted(byTurn).map(({ nth }) => nth)).toEqual([0, 1, 2, 3, 4]);
  });

  it('X20 leaves a tombstone, unless it may be re-evaluated', () => {
    const plan = { keep: {}, keepTombstones: MINUTE, dryRun: false };
    expect(tombstoneOf(published, plan, NOW)).toEqual({ key: keyOf('a'), state: 'published', sweptAt: NOW });
    expect(tombstoneOf(published, { ...plan, withoutTombstone: ['published'] }, NOW)).toBeNull();
  });

  it('is dumped without its claim and loaded with its token', () => {
    const dumped = dumpItem(active.record);
    const loaded = loadItem(dumped, 7);
    expect(loaded).toMatchObject({ nth: 7, token: 1, claim: null, handedAt: null });
    expect(dumpItem(loaded)).toEqual(dumped);
  });
});
