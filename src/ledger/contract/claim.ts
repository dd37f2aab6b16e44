import { describe, expect, it } from 'vitest';
import type { ItemKey } from '../../item/item.ts';
import { MINUTE } from '../../time/duration.ts';
import { keyOf, LEASE_MS, type MakePipelineStores, POLICY, Subject, sighting } from './subject.ts';

/** Order and leases of claims. */
export function claimContract(make: MakePipelineStores): void {
  describe('claiming', () => {
    const subject = new Subject(make);
    const ask = { owner: 'worker', leaseMs: LEASE_MS };

    it('B6 the pending item with the oldest publication comes first, whatever was checked when', async () => {
      const times = { p1: 3000, p2: 1000, p3: 2000 };
      for (const [name, publishedAt] of Object.entries(times)) {
        await subject.ledger.admit([sighting(name, { publishedAt })], {});
        await subject.step(await subject.claim(keyOf(name)), { type: 'accept' });
        await subject.clock.advance(10);
      }
      await subject.admit('waiting');
      const order = await takeAll();
      expect(order).toEqual(['p2', 'p3', 'p1', 'waiting'].map(keyOf));
    });

    it('B6 without a pending one, the unprocessed or deferred item with the oldest check comes first', async () => {
      await subject.admit('a');
      await subject.clock.advance(10);
      await subject.afterStep('b', { type: 'defer', reason: 'not_ready' });
      await subject.clock.advance(10);
      await subject.admit('c');
      await subject.clock.advance(POLICY.backoff(1));
      expect(await takeAll()).toEqual(['a', 'b', 'c'].map(keyOf));
    });

    it('B6 claims equal items in the order of admission', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
      await subject.admit(...names);
      expect(await takeAll()).toEqual(names.map(keyOf));
    });

    it('B13 a deferred item waits before it is retried, longer each time', async () => {
      await subject.admit('a');
      for (const attempt of [1, 2, 3]) {
        await subject.step(await subject.claimNext(), { type: 'defer', reason: 'not_ready' });
        await subject.clock.advance(POLICY.backoff(attempt) - 1);
        expect(await subject.ledger.claimNext(ask)).toBeNull();
        expect(await subject.ledger.claim(keyOf('a'), ask)).toBeNull();
        await subject.clock.advance(1);
      }
      expect((await subject.claimNext()).item.attempts).toBe(3);
    });

    it('claims an item before it is due on request', async () => {
      const key = await subject.afterStep('a', {
        type: 'postpone',
        until: subject.clock.now() + 5000,
        reason: 'over_limit',
      });
      expect(await subject.ledger.claim(key, ask)).toBeNull();
      const early = await subject.ledger.claim(key, { ...ask, early: true });
      expect(early?.item.key).toBe(key);
      await subject.ledger.release(early ?? (await subject.claimNext()));
      expect(await subject.ledger.claimNext(ask)).toBeNull();
    });

    it('X18 many items that are not due do not hide one that is due', async () => {
      const later = Array.from({ length: 100 }, (_, index) => `later${index}`);
      await subject.admit(...later);
      const until = subject.clock.now() + 1e9;
      const postpone = async (name: string) =>
        subject.step(await subject.claim(keyOf(name)), { type: 'postpone', until, reason: 'over_limit' });
      for (let from = 0; from < later.length; from += 20)
        await Promise.all(later.slice(from, from + 20).map(postpone));
      await subject.clock.advance(5);
      await subject.admit('now');
      expect((await subject.claimNext()).item.key).toBe(keyOf('now'));
      expect(await subject.ledger.claimNext(ask)).toBeNull();
      await subject.clock.advance(1e9);
      expect((await subject.claimNext()).item.key).toBe(keyOf('later0'));
    });

    it('B14 two bots never claim the same item at once', async () => {
      const names = Array.from({ length: 60 }, (_, index) => `n${index}`);
      await subject.admit(...names);
      const bots = ['x', 'y', 'z'].map(async (owner) => {
        const mine: ItemKey[] = [];
        for (;;) {
          const claim = await subject.ledger.claimNext({ owner, leaseMs: LEASE_MS });
          if (claim === null) return mine;
          expect(claim.owner).toBe(owner);
          mine.push(claim.item.key);
        }
      });
      const claimed = (await Promise.all(bots)).flat();
      expect(claimed.toSorted()).toEqual(names.map(keyOf).toSorted());
    });

    it('B14 a dead bot’s claim expires, and the fencing token grows', async () => {
      await subject.admit('a');
      const dead = await subject.claimNext('dead');
      await subject.clock.advance(LEASE_MS - 1);
      expect(await subject.ledger.claimNext(ask)).toBeNull();
      expect(await subject.ledger.claim(keyOf('a'), ask)).toBeNull();
      await subject.clock.advance(1);
      const next = await subject.claimNext('next');
      expect(next.item).toEqual(dead.item);
      expect(next.token).toBeGreaterThan(dead.token);
      expect(await subject.ledger.history(keyOf('a'))).toMatchObject([
        { event: 'admit' },
        { event: 'claim', who: 'next', detail: 'the lease of dead ran out' },
      ]);
    });

    it('D8 a slow but living worker keeps its lease', async () => {
      await subject.admit('a');
      let claim = await subject.claimNext();
      for (let round = 0; round < 5; round++) {
        await subject.clock.advance(LEASE_MS - 1);
        const renewed = await subject.ledger.renew(claim, LEASE_MS);
        expect(renewed).toMatchObject({ token: claim.token, until: subject.clock.now() + LEASE_MS });
        claim = renewed ?? claim;
        expect(await subject.ledger.claimNext({ owner: 'other', leaseMs: LEASE_MS })).toBeNull();
      }
      expect(await subject.step(claim, { type: 'publish' })).toBe('recorded');
    });

    it('X21 an expired claim can be neither renewed nor released', async () => {
      await subject.admit('a');
      const late = await subject.claimNext('late');
      await subject.clock.advance(LEASE_MS);
      expect(await subject.ledger.renew(late, LEASE_MS)).toBeNull();
      const next = await subject.claimNext('next');
      expect(await subject.ledger.renew(late, LEASE_MS)).toBeNull();
      await subject.ledger.release(late);
      expect(await subject.ledger.claimNext(ask)).toBeNull();
      expect(await subject.step(next, { type: 'publish' })).toBe('recorded');
    });

    it('a released item is unchanged and keeps its place', async () => {
      await subject.admit('a', 'b');
      const before = await subject.find(keyOf('a'));
      await subject.clock.advance(500);
      await subject.ledger.release(await subject.claimNext());
      expect(await subject.find(keyOf('a'))).toEqual(before);
      expect((await subject.claimNext()).item.key).toBe(keyOf('a'));
    });

    it('one owner may claim many items, and never gets the same one twice', async () => {
      await subject.admit('a', 'b');
      const first = await subject.claimNext('one');
      expect(await subject.ledger.claim(first.item.key, { owner: 'one', leaseMs: LEASE_MS })).toBeNull();
      expect((await subject.claimNext('one')).item.key).not.toBe(first.item.key);
    });

    it('lists the next items in claim order without claiming them', async () => {
      await subject.acceptedAt('p2', 2000);
      await subject.acceptedAt('p1', 1000);
      await subject.afterStep('d', { type: 'defer', reason: 'not_ready' });
      await subject.clock.advance(5);
      await subject.admit('w', 'held');
      await subject.claim(keyOf('held'));
      expect(await subject.ledger.upcoming(10)).toEqual(['p1', 'p2', 'w'].map(keyOf));
      await subject.clock.advance(POLICY.backoff(1));
      const order = ['p1', 'p2', 'd', 'w', 'held'].map(keyOf);
      expect(await subject.ledger.upcoming(10)).toEqual(order);
      expect(await subject.ledger.upcoming(3)).toEqual(order.slice(0, 3));
      expect(await takeAll()).toEqual(order);
      expect(await subject.ledger.upcoming(10)).toEqual([]);
    });

    it('claims only items in the requested states', async () => {
      await subject.afterStep('p', { type: 'accept' });
      await subject.admit('w');
      const waiting = await subject.ledger.claimNext({ ...ask, states: ['waiting', 'deferred'] });
      expect(waiting?.item.key).toBe(keyOf('w'));
      expect(await subject.ledger.claimNext({ ...ask, states: ['waiting'] })).toBeNull();
      expect(await subject.ledger.claim(keyOf('p'), { ...ask, states: ['waiting'] })).toBeNull();
      expect(await subject.ledger.claimNext({ ...ask, states: [] })).toBeNull();
      expect((await subject.ledger.claimNext({ ...ask, states: ['accepted'] }))?.item.key).toBe(keyOf('p'));
    });

    it('B12 an item in a terminal state is never claimed', async () => {
      await subject.afterStep('published', { type: 'publish' });
      await subject.afterStep('rejected', { type: 'reject', reason: 'low_relevance' });
      await subject.afterStep('failed', { type: 'giveUp', reason: 'api_failed' });
      await subject.afterStep('parked', { type: 'park', reason: 'delivery_unknown' });
      await subject.clock.advance(1e12);
      expect(await subject.ledger.claimNext(ask)).toBeNull();
      const terminal = ['published', 'rejected', 'failed', 'parked'] as const;
      for (const name of terminal)
        expect(await subject.ledger.claim(keyOf(name), { ...ask, states: terminal })).toBeNull();
    });

    async function takeAll(): Promise<ItemKey[]> {
      const claimed: ItemKey[] = [];
      for (
        let claim = await subject.ledger.claimNext(ask);
        claim;
        claim = await subject.ledger.claimNext(ask)
      )
        claimed.push(claim.item.key);
      return claimed;
    }
  });
}

/** Handing items over to a separate queue. */
export function handOverContract(make: MakePipelineStores): void {
  describe('handing over', () => {
    const subject = new Subject(make);
    const admit = (...names: string[]) =>
      subject.ledger.admit(
        names.map((name) => sighting(name)),
        { handOver: true },
      );

    it('D7 a recorded item that was not handed over is found again', async () => {
      await admit('a', 'b', 'c');
      expect(await subject.ledger.pendingHandOver({ limit: 10 })).toEqual(['a', 'b', 'c'].map(keyOf));
      expect(await subject.ledger.pendingHandOver({ limit: 2 })).toHaveLength(2);
      await subject.ledger.markHandedOver([keyOf('a'), keyOf('c'), keyOf('stranger')]);
      expect(await subject.ledger.pendingHandOver({ limit: 10 })).toEqual([keyOf('b')]);
    });

    it('D7 a known item is not handed over by a second admission', async () => {
      await admit('a');
      await subject.ledger.markHandedOver([keyOf('a')]);
      await admit('a');
      expect(await subject.ledger.pendingHandOver({ limit: 10 })).toEqual([]);
    });

    it('nothing is handed over if the ledger is the queue', async () => {
      await subject.admit('a');
      expect(
        await subject.ledger.pendingHandOver({ limit: 10, handedBefore: Number.MAX_SAFE_INTEGER }),
      ).toEqual([]);
    });

    it('D7 a retry is handed over when it is due, and not before', async () => {
      await admit('a');
      await subject.ledger.markHandedOver([keyOf('a')]);
      await subject.step(await subject.claim(keyOf('a')), { type: 'defer', reason: 'processor_failed' });
      expect(await subject.ledger.pendingHandOver({ limit: 10 })).toEqual([]);
      await subject.clock.advance(POLICY.backoff(1));
      expect(await subject.ledger.pendingHandOver({ limit: 10 })).toEqual([keyOf('a')]);
    });

    it('D9 an item that a person retries is handed over again', async () => {
      await admit('a');
      await subject.ledger.markHandedOver([keyOf('a')]);
      await subject.step(await subject.claim(keyOf('a')), { type: 'giveUp', reason: 'processor_failed' });
      expect(await subject.ledger.pendingHandOver({ limit: 10 })).toEqual([]);
      await subject.ledger.intervene(keyOf('a'), { type: 'requeue' }, 'maria');
      expect(await subject.ledger.pendingHandOver({ limit: 10 })).toEqual([keyOf('a')]);
    });

    it('an item lost by the queue is handed over again, unless it is claimed', async () => {
      await admit('a', 'b');
      await subject.ledger.markHandedOver([keyOf('a'), keyOf('b')]);
      const handedBefore = subject.clock.now() + 1;
      await subject.clock.advance(MINUTE);
      await subject.claim(keyOf('b'));
      expect(await subject.ledger.pendingHandOver({ limit: 10, handedBefore })).toEqual([keyOf('a')]);
      expect(await subject.ledger.pendingHandOver({ limit: 10, handedBefore: handedBefore - 1 })).toEqual([]);
      await subject.clock.advance(LEASE_MS);
      expect(await subject.ledger.pendingHandOver({ limit: 10, handedBefore })).toHaveLength(2);
    });

    it('X21 an item of a dead worker is handed over again when its lease has expired, and not before', async () => {
      await admit('a', 'b');
      await subject.ledger.markHandedOver([keyOf('a'), keyOf('b')]);
      await subject.claim(keyOf('a'));
      await subject.clock.advance(LEASE_MS - 1);
      expect(await subject.ledger.pendingHandOver({ limit: 10 })).toEqual([]);
      await subject.clock.advance(1);
      expect(await subject.ledger.pendingHandOver({ limit: 10 })).toEqual([keyOf('a')]);
      await subject.clock.advance(1);
      await subject.ledger.markHandedOver([keyOf('a')]);
      expect(await subject.ledger.pendingHandOver({ limit: 10 })).toEqual([]);
    });

    it('X21 also if the worker claimed it before it was marked as handed over', async () => {
      await admit('a');
      await subject.claim(keyOf('a'));
      await subject.clock.advance(1);
      await subject.ledger.markHandedOver([keyOf('a')]);
      await subject.clock.advance(LEASE_MS);
      expect(await subject.ledger.pendingHandOver({ limit: 10 })).toEqual([keyOf('a')]);
    });

    it('B19 a baseline is not handed over', async () => {
      await subject.ledger.admit([sighting('old')], { handOver: true, baseline: () => true });
      expect(await subject.ledger.pendingHandOver({ limit: 10 })).toEqual([]);
    });
  });
}
