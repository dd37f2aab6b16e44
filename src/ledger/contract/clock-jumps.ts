import { describe, expect, it } from 'vitest';
import { DAY, HOUR } from '../../time/duration.ts';
import { keyOf, LEASE, type MakeMemory, Subject } from './subject.ts';

/** The wall time jumps: nothing is lost and nobody holds what another holds. */
export function clockJumpsContract(make: MakeMemory): void {
  describe('when the clock jumps', () => {
    const subject = new Subject(make);
    const ask = { owner: 'other', leaseMs: LEASE };

    it('X21 forward: leases are over, and the one who held is told so', async () => {
      await subject.admit('a');
      const claim = await subject.claimNext();
      subject.clock.jump(DAY);
      const other = await subject.claimNext('other');
      expect(await subject.step(claim, { type: 'publish' })).toBe('lost');
      expect(await subject.step(other, { type: 'publish' })).toBe('recorded');
    });

    it('back: what is held stays held, and is free again when its time comes', async () => {
      await subject.admit('a', 'b');
      const claim = await subject.claimNext();
      subject.clock.jump(-HOUR);
      expect((await subject.claimNext('other')).item.key).toBe(keyOf('b'));
      expect(await subject.ledger.claimNext(ask)).toBeNull();
      expect(await subject.ledger.renew(claim, LEASE)).toMatchObject({ until: subject.clock.now() + LEASE });
      await subject.clock.advance(LEASE);
      expect((await subject.ledger.claimNext(ask))?.item.key).toBe(keyOf('a'));
    });

    it('back: a lease that was over and is not any more is nobody else’s', async () => {
      await subject.admit('a', 'b');
      const claim = await subject.claimNext();
      await subject.clock.advance(LEASE);
      expect((await subject.claim(keyOf('b'))).item.key).toBe(keyOf('b'));
      subject.clock.jump(-1000);
      expect(await subject.ledger.claimNext(ask)).toBeNull();
      expect(await subject.step(claim, { type: 'publish' })).toBe('recorded');
    });

    it('back: steps go on, and the order of the lines is the order of the steps', async () => {
      await subject.admit('a');
      subject.clock.jump(-DAY);
      await subject.step(await subject.claimNext(), { type: 'accept' });
      subject.clock.jump(-DAY);
      await subject.step(await subject.claimNext(), { type: 'publish' });
      const events = (await subject.ledger.history(keyOf('a'))).map(({ event }) => event);
      expect(events).toEqual(['admit', 'accept', 'publish']);
    });

    it('forward and back: what was deferred is due once and lost never', async () => {
      const key = await subject.settled('a', { type: 'defer', reason: 'not_ready' });
      subject.clock.jump(DAY);
      const claim = await subject.claimNext();
      subject.clock.jump(-DAY);
      await subject.ledger.release(claim);
      expect(await subject.ledger.claimNext(ask)).toBeNull();
      await subject.clock.advance(HOUR);
      expect((await subject.claimNext()).item.key).toBe(key);
    });
  });
}
