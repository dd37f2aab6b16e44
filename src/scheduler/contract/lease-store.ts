import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../time/manual-clock.ts';
import type { Lease, LeaseStore } from '../lease.ts';

export interface LeaseStoresUnderTest {
  /** The same store, opened by two processes. */
  readonly mine: LeaseStore;
  readonly theirs: LeaseStore;
  dispose(): Promise<void>;
}

/** The contract of `LeaseStore`. */
export function leaseStoreContract(
  name: string,
  make: (clock: ManualClock) => Promise<LeaseStoresUnderTest>,
): void {
  describe(`${name} as a lease store`, () => {
    let clock: ManualClock;
    let subject: LeaseStoresUnderTest;
    beforeEach(async () => {
      clock = new ManualClock();
      subject = await make(clock);
    });
    afterEach(async () => {
      await subject.dispose();
    });

    const acquire = async (store: LeaseStore, owner: string): Promise<Lease> => {
      const lease = await store.acquire('scheduler', owner, 1000);
      if (lease === null) throw new Error(`${owner} did not get the lease`);
      return lease;
    };

    it('C24 one owner holds it at a time, and all processes see which', async () => {
      const lease = await acquire(subject.mine, 'a');
      expect(await subject.theirs.acquire('scheduler', 'b', 1000)).toBeNull();
      expect(await subject.theirs.holder('scheduler')).toEqual({ ...lease, until: clock.now() + 1000 });
      expect(await subject.theirs.acquire('another', 'b', 1000)).not.toBeNull();
    });

    it('C24 of many concurrent requests exactly one succeeds', async () => {
      const stores = [
        subject.mine,
        subject.theirs,
        subject.mine,
        subject.theirs,
        subject.mine,
        subject.theirs,
      ];
      const leases = await Promise.all(stores.map((store, n) => store.acquire('scheduler', `c${n}`, 1000)));
      expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
    });

    it('C24 a holder that renews keeps it; an expired lease cannot be renewed', async () => {
      const lease = await acquire(subject.mine, 'a');
      clock.jump(900);
      expect(await subject.mine.renew(lease, 1000)).toBe(true);
      clock.jump(900);
      expect(await subject.theirs.acquire('scheduler', 'b', 1000)).toBeNull();
      clock.jump(100);
      expect(await subject.mine.renew(lease, 1000)).toBe(false);
      expect(await subject.theirs.holder('scheduler')).toBeNull();
      const next = await acquire(subject.theirs, 'b');
      expect(await subject.mine.renew(lease, 1000)).toBe(false);
      await subject.mine.release(lease);
      expect(await subject.theirs.renew(next, 1000)).toBe(true);
    });

    it('C24 X21 a lease of a clock that was ahead expires without renewal, and lives with it', async () => {
      const HOURS = 3 * 60 * 60 * 1000;
      clock.jump(HOURS);
      const lease = await acquire(subject.mine, 'a');
      clock.jump(-HOURS);
      expect(await subject.theirs.acquire('scheduler', 'b', 1000)).toBeNull();
      await clock.advance(999);
      expect(await subject.theirs.acquire('scheduler', 'b', 1000)).toBeNull();
      expect(await subject.mine.renew(lease, 1000)).toBe(true);
      await clock.advance(999);
      expect(await subject.theirs.acquire('scheduler', 'b', 1000)).toBeNull();

      clock.jump(HOURS);
      const again = await acquire(subject.mine, 'a');
      clock.jump(-HOURS);
      expect(await subject.theirs.acquire('scheduler', 'b', 1000)).toBeNull();
      await clock.advance(1000);
      await acquire(subject.theirs, 'b');
      expect(await subject.mine.renew(again, 1000)).toBe(false);
    });

    it('C24 its token grows with every acquisition, also by the same owner', async () => {
      const first = await acquire(subject.mine, 'a');
      await subject.mine.release(first);
      const second = await acquire(subject.mine, 'a');
      clock.jump(1001);
      const third = await acquire(subject.theirs, 'b');
      expect([second.token - first.token, third.token - second.token].every((step) => step > 0)).toBe(true);
      expect(await subject.mine.renew(first, 1000)).toBe(false);
    });

    it('C24 a released lease can be acquired at once', async () => {
      await subject.mine.release(await acquire(subject.mine, 'a'));
      expect(await subject.theirs.holder('scheduler')).toBeNull();
      await acquire(subject.theirs, 'b');
    });
  });
}
