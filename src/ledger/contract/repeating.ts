import { describe, expect, it } from 'vitest';
import { keyOf, LEASE, type MakeMemory, Subject, sighting, transition, verdict } from './subject.ts';

/** A call was applied and its reply was lost: doing it again changes nothing and loses nothing. */
export function repeatingContract(make: MakeMemory): void {
  describe('repeating after a lost reply', () => {
    const subject = new Subject(make);

    it('A12 admitting again', async () => {
      await subject.ledger.admit([sighting('a')], {});
      expect(await subject.ledger.admit([sighting('a')], {})).toEqual(['known']);
      expect((await subject.ledger.counts()).byState.waiting).toBe(1);
    });

    it('claiming again with the same attempt answers the same claim, and another attempt does not', async () => {
      await subject.admit('a', 'b');
      const ask = { owner: 'w', leaseMs: LEASE, attempt: 'try-1' };
      const first = await subject.ledger.claimNext(ask);
      expect(await subject.ledger.claimNext(ask)).toEqual(first);
      expect(await subject.ledger.claim(keyOf('a'), ask)).toEqual(first);
      expect(await subject.ledger.claim(keyOf('a'), { ...ask, attempt: 'try-2' })).toBeNull();
      expect(await subject.ledger.claim(keyOf('a'), { ...ask, owner: 'other' })).toBeNull();
      const next = await subject.ledger.claimNext({ ...ask, attempt: 'try-2' });
      expect(next?.item.key).toBe(keyOf('b'));
    });

    it('an attempt is over with its claim', async () => {
      await subject.admit('a');
      const ask = { owner: 'w', leaseMs: LEASE, attempt: 'try-1' };
      const first = await subject.ledger.claimNext(ask);
      await subject.clock.advance(LEASE);
      const second = await subject.ledger.claimNext(ask);
      expect(second?.token).toBeGreaterThan(first?.token ?? 0);
    });

    it('A12 recording a step again, however late, is recorded again and stored once', async () => {
      await subject.admit('a');
      const claim = await subject.claimNext();
      const step = {
        verdict: verdict(),
        intents: [{ key: 'k', itemKeys: [keyOf('a')], destination: 'd', body: 'b' }],
      };
      const accept = transition(claim.item, { type: 'accept' }, subject.clock.now());
      expect(await subject.ledger.record(claim, accept, step)).toBe('recorded');
      expect(await subject.ledger.record(claim, accept, step)).toBe('recorded');
      await subject.step(await subject.claimNext('other'), { type: 'publish' });
      await subject.clock.advance(LEASE * 2);
      expect(await subject.ledger.record(claim, accept, step)).toBe('recorded');
      expect((await subject.find(keyOf('a'))).state).toBe('published');
      expect(await subject.ledger.history(keyOf('a'))).toHaveLength(3);
      expect(await subject.outbox.ofItem(keyOf('a'))).toHaveLength(1);
      expect((await subject.ledger.counts()).byState).toMatchObject({
        waiting: 0,
        accepted: 0,
        published: 1,
      });
    });

    it('recording again under a claim that is kept', async () => {
      await subject.admit('a');
      const claim = await subject.claimNext();
      const postpone = transition(
        claim.item,
        { type: 'postpone', until: subject.clock.now() + 5, reason: 'over_limit' },
        subject.clock.now(),
      );
      for (let round = 0; round < 3; round++)
        expect(await subject.ledger.record(claim, postpone, { keepClaim: true })).toBe('recorded');
      expect(await subject.ledger.history(keyOf('a'))).toHaveLength(2);
      expect(await subject.ledger.renew(claim, LEASE)).not.toBeNull();
    });

    it('renewing and releasing again', async () => {
      await subject.admit('a');
      const claim = await subject.claimNext();
      const renewed = await subject.ledger.renew(claim, LEASE);
      expect(await subject.ledger.renew(claim, LEASE)).toEqual(renewed);
      await subject.ledger.release(claim);
      await subject.ledger.release(claim);
      const next = await subject.claimNext('next');
      await subject.ledger.release(claim);
      expect(await subject.ledger.renew(next, LEASE)).not.toBeNull();
    });
  });
}
