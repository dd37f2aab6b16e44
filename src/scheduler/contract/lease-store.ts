import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../time/manual-clock.ts';
import type { Lease, LeaseStore } from '../lease.ts';

export interface LeaseStoresUnderTest {
  /** The same store as two processes open it. */
  readonly mine: LeaseStore;
  readonly theirs: LeaseStore;
  dispose(): Promise<void>;
}

/** What every store of leases must do. */
export function leaseStoreContract(
  name: string,
  make: (clock: ManualClock) => Promise<LeaseStoresUnderTest>,
): void {
  describe(`${name} as a store of leases`, () => {
    let clock: ManualClock;
    let under: LeaseStoresUnderTest;
    beforeEach(async () => {
      clock = new ManualClock();
      under = await make(clock);
    });
    afterEach(async () => {
      await under.dispose();
    });

    const taken = async (store: LeaseStore, owner: string): Promise<Lease> => {
      const lease = await store.acquire('scheduler', owner, 1000);
      if (lease === null) throw new Error(`${owner} did not get the lease`);
      return lease;
    };

    it('C24 one holds it at a time, and everybody can see who', async () => {
      const lease = await taken(under.mine, 'a');
      expect(await under.theirs.acquire('scheduler', 'b', 1000)).toBeNull();
      expect(await under.theirs.holder('scheduler')).toEqual({ ...lease, until: clock.now() + 1000 });
      expect(await under.theirs.acquire('another', 'b', 1000)).not.toBeNull();
    });

    it('C24 of many that take it at once exactly one gets it', async () => {
      const stores = [under.mine, under.theirs, under.mine, under.theirs, under.mine, under.theirs];
      const leases = await Promise.all(stores.map((store, n) => store.acquire('scheduler', `c${n}`, 1000)));
      expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
    });

    it('C24 a holder that renews keeps it; one that does not loses it, and cannot have it back by renewing', async () => {
      const lease = await taken(under.mine, 'a');
      clock.jump(900);
      expect(await under.mine.renew(lease, 1000)).toBe(true);
      clock.jump(900);
      expect(await under.theirs.acquire('scheduler', 'b', 1000)).toBeNull();
      clock.jump(100);
      expect(await under.mine.renew(lease, 1000)).toBe(false);
      expect(await under.theirs.holder('scheduler')).toBeNull();
      const next = await taken(under.theirs, 'b');
      expect(await under.mine.renew(lease, 1000)).toBe(false);
      await under.mine.release(lease);
      expect(await under.theirs.renew(next, 1000)).toBe(true);
    });

    it('C24 X21 a lease of a clock that was ahead ends when it is not renewed, and lives while it is', async () => {
      const HOURS = 3 * 60 * 60 * 1000;
      clock.jump(HOURS);
      const lease = await taken(under.mine, 'a');
      clock.jump(-HOURS);
      expect(await under.theirs.acquire('scheduler', 'b', 1000)).toBeNull();
      await clock.advance(999);
      expect(await under.theirs.acquire('scheduler', 'b', 1000)).toBeNull();
      expect(await under.mine.renew(lease, 1000)).toBe(true);
      await clock.advance(999);
      expect(await under.theirs.acquire('scheduler', 'b', 1000)).toBeNull();

      clock.jump(HOURS);
      const again = await taken(under.mine, 'a');
      clock.jump(-HOURS);
      expect(await under.theirs.acquire('scheduler', 'b', 1000)).toBeNull();
      await clock.advance(1000);
      await taken(under.theirs, 'b');
      expect(await under.mine.renew(again, 1000)).toBe(false);
    });

    it('C24 its token grows with every taking, also when the same one takes it again', async () => {
      const first = await taken(under.mine, 'a');
      await under.mine.release(first);
      const second = await taken(under.mine, 'a');
      clock.jump(1001);
      const third = await taken(under.theirs, 'b');
      expect([second.token - first.token, third.token - second.token].every((step) => step > 0)).toBe(true);
      expect(await under.mine.renew(first, 1000)).toBe(false);
    });

    it('C24 what is released can be taken at once', async () => {
      await under.mine.release(await taken(under.mine, 'a'));
      expect(await under.theirs.holder('scheduler')).toBeNull();
      await taken(under.theirs, 'b');
    });
  });
}
