import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedMessage } from '../../outbox/outbox.ts';
import { StalledLeaseDetector } from '../../scheduler/lease.ts';
import type { CorrectedTimes } from '../../time/clock.ts';
import { DAY, HOUR, SECOND } from '../../time/duration.ts';
import { keyOf, LEASE_MS, type MakePipelineStores, present, Subject } from './subject.ts';

/** The wall clock jumps: nothing is lost and no item has two valid claims. */
export function clockJumpsContract(make: MakePipelineStores): void {
  describe('when the clock jumps', () => {
    const subject = new Subject(make);
    const ask = { owner: 'other', leaseMs: LEASE_MS };

    it('X21 forward: leases have expired, and their owner notices', async () => {
      await subject.admit('a');
      const claim = await subject.claimNext();
      subject.clock.jump(DAY);
      const other = await subject.claimNext('other');
      expect(await subject.step(claim, { type: 'publish' })).toBe('lost');
      expect(await subject.step(other, { type: 'publish' })).toBe('recorded');
    });

    it('back: a claim stays valid, and expires when its time comes', async () => {
      await subject.admit('a', 'b');
      const claim = await subject.claimNext();
      subject.clock.jump(-HOUR);
      expect((await subject.claimNext('other')).item.key).toBe(keyOf('b'));
      expect(await subject.ledger.claimNext(ask)).toBeNull();
      expect(await subject.ledger.renew(claim, LEASE_MS)).toMatchObject({
        until: subject.clock.now() + LEASE_MS,
      });
      await subject.clock.advance(LEASE_MS);
      expect((await subject.ledger.claimNext(ask))?.item.key).toBe(keyOf('a'));
    });

    it('back: a lease that was expired and is not any more stays exclusive', async () => {
      await subject.admit('a', 'b');
      const claim = await subject.claimNext();
      await subject.clock.advance(LEASE_MS);
      expect((await subject.claim(keyOf('b'))).item.key).toBe(keyOf('b'));
      subject.clock.jump(-1000);
      expect(await subject.ledger.claimNext(ask)).toBeNull();
      expect(await subject.step(claim, { type: 'publish' })).toBe('recorded');
    });

    it('back: steps continue, and the order of the lines is the order of the steps', async () => {
      await subject.admit('a');
      subject.clock.jump(-DAY);
      await subject.step(await subject.claimNext(), { type: 'accept' });
      subject.clock.jump(-DAY);
      await subject.step(await subject.claimNext(), { type: 'publish' });
      const events = (await subject.ledger.history(keyOf('a'))).map(({ event }) => event);
      expect(events).toEqual(['admit', 'accept', 'publish']);
    });

    it('forward and back: a deferred item is due once and never lost', async () => {
      const key = await subject.afterStep('a', { type: 'defer', reason: 'not_ready' });
      subject.clock.jump(DAY);
      const claim = await subject.claimNext();
      subject.clock.jump(-DAY);
      await subject.ledger.release(claim);
      expect(await subject.ledger.claimNext(ask)).toBeNull();
      await subject.clock.advance(HOUR);
      expect((await subject.claimNext()).item.key).toBe(key);
    });

    describe('timestamps recorded while it was ahead', () => {
      let stalled: StalledLeaseDetector;
      beforeEach(() => {
        stalled = new StalledLeaseDetector(subject.clock);
      });
      const expire = (): Promise<CorrectedTimes> => subject.ledger.expireStalledClaims(LEASE_MS, stalled);
      const correct = (): Promise<CorrectedTimes> =>
        subject.outbox.correctFutureTimes(['discord', 'mastodon'], LEASE_MS, stalled);
      const claim = async (owner = 'w'): Promise<ClaimedMessage> =>
        present(await subject.outbox.claimNext('discord', owner, LEASE_MS));
      const intend = async (...names: string[]): Promise<void> => {
        await subject.outbox.enqueue(
          names.map((name) => ({
            key: `key-${name}`,
            itemKeys: [keyOf(name)],
            destination: 'discord',
            body: name,
          })),
        );
      };

      it('X21 the claim of a dead worker expires once it was unchanged for the time of a lease', async () => {
        await subject.admit('a');
        subject.clock.jump(3 * HOUR);
        const claim = await subject.claimNext();
        subject.clock.jump(-3 * HOUR);
        expect(await expire()).toEqual({ corrected: 0, watched: 1 });
        await subject.clock.advance(LEASE_MS - 1);
        expect(await expire()).toEqual({ corrected: 0, watched: 1 });
        expect(await subject.ledger.claimNext(ask)).toBeNull();
        await subject.clock.advance(1);
        expect(await expire()).toEqual({ corrected: 1, watched: 0 });
        const other = await subject.claimNext('other');
        expect(await subject.step(claim, { type: 'publish' })).toBe('lost');
        expect(await subject.step(other, { type: 'publish' })).toBe('recorded');
        expect(await expire()).toEqual({ corrected: 0, watched: 0 });
      });

      it('X21 the claim of a live worker stays', async () => {
        await subject.admit('a', 'b');
        subject.clock.jump(3 * HOUR);
        const claim = await subject.claimNext();
        subject.clock.jump(-3 * HOUR);
        expect(await expire()).toEqual({ corrected: 0, watched: 1 });
        await subject.ledger.renew(claim, LEASE_MS);
        await subject.clock.advance(LEASE_MS - 1);
        const fresh = await subject.claimNext('other');
        expect(await expire()).toEqual({ corrected: 0, watched: 0 });
        expect(await subject.step(claim, { type: 'publish' })).toBe('recorded');
        expect(await subject.step(fresh, { type: 'publish' })).toBe('recorded');
      });

      it('X2 X21 the wait of a message restarts from now', async () => {
        await intend('a', 'b');
        subject.clock.jump(3 * HOUR);
        const dueAt = subject.clock.now() + 30 * SECOND;
        await subject.outbox.finish(await claim(), { state: 'intended', detail: 'rate limit', dueAt });
        subject.clock.jump(-3 * HOUR);
        expect(await correct()).toEqual({ corrected: 1, watched: 0 });
        expect(await correct()).toEqual({ corrected: 0, watched: 0 });
        expect(await subject.outbox.nextDue(['discord'])).toBe(subject.clock.now() + 30 * SECOND);
        expect(await subject.outbox.ofItem(keyOf('a'))).toMatchObject([
          { state: 'intended', detail: 'rate limit', updatedAt: subject.clock.now() },
        ]);
        await subject.clock.advance(30 * SECOND - 1);
        expect(await subject.outbox.claimNext('discord', 'w', LEASE_MS)).toBeNull();
        await subject.clock.advance(1);
        await subject.outbox.finish(await claim(), { state: 'sent', remoteId: '1' });
        expect((await claim()).delivery.key).toBe('key-b');
      });

      it('X2 X21 a message of a dead worker is claimed in state sending, after a lease', async () => {
        await intend('a');
        subject.clock.jump(3 * HOUR);
        const claimed = await claim();
        await subject.outbox.markSending(claimed);
        subject.clock.jump(-3 * HOUR);
        expect(await correct()).toEqual({ corrected: 0, watched: 1 });
        await subject.clock.advance(LEASE_MS - 1);
        expect(await correct()).toEqual({ corrected: 0, watched: 1 });
        expect(await subject.outbox.claimNext('discord', 'other', LEASE_MS)).toBeNull();
        await subject.clock.advance(1);
        expect(await correct()).toEqual({ corrected: 1, watched: 0 });
        const found = await claim('other');
        expect(found.delivery).toMatchObject({ key: 'key-a', state: 'sending', attempts: 1 });
        expect(await subject.outbox.markSending(claimed)).toBe('lost');
        expect(await subject.outbox.finish(claimed, { state: 'intended', detail: '', dueAt: 0 })).toBe(
          'lost',
        );
        expect(await subject.outbox.finish(found, { state: 'sent', remoteId: '1' })).toBe('finished');
      });

      it('X2 a message that waits or is claimed under a correct clock is unchanged', async () => {
        await intend('a');
        await subject.outbox.enqueue([{ key: 'm', itemKeys: [], destination: 'mastodon', body: '' }]);
        const dueAt = subject.clock.now() + 5 * HOUR;
        await subject.outbox.finish(await claim(), { state: 'intended', detail: 'rate limit', dueAt });
        const claimed = present(await subject.outbox.claimNext('mastodon', 'w', LEASE_MS));
        expect(await correct()).toEqual({ corrected: 0, watched: 0 });
        expect(await subject.outbox.nextDue(['discord'])).toBe(dueAt);
        expect(await subject.outbox.nextDue(['mastodon'])).toBe(claimed.until);
      });
    });
  });
}
