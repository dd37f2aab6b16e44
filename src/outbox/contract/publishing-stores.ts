import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { PublishingStores, RequestedRevision, Revision } from '../publishing-stores.ts';

/** Two replicas on the same store. */
export interface PublishingStoresSubject {
  readonly mine: PublishingStores;
  readonly theirs: PublishingStores;
  dispose(): Promise<void>;
}

/** The contract of `PublishingStores`. */
export function publishingStoresContract(
  name: string,
  open: (clock: ManualClock) => Promise<PublishingStoresSubject>,
): void {
  describe(`publishing stores on ${name}`, () => {
    let clock: ManualClock;
    let subject: PublishingStoresSubject;
    const target = { pipeline: 'p', destination: 'd' };
    const wanted: RequestedRevision = { ...target, message: 'm/1', remoteId: '17', body: '{"title":"B"}' };
    beforeEach(async () => {
      clock = new ManualClock(Date.UTC(2026, 10, 15));
      subject = await open(clock);
    });
    afterEach(() => subject.dispose());

    const claim = async (who = 'w'): Promise<Revision> => {
      const claimed = await subject.mine.revisions.claimNext(target, who, MINUTE);
      if (claimed === null) throw new Error('nothing to claim');
      return claimed;
    };

    it('X18 concurrent replicas never count past the limit', async () => {
      const { mine, theirs } = subject;
      const day = clock.now();
      const requests = Array.from({ length: 12 }, (_, n) =>
        (n % 2 ? mine : theirs).counter.tryIncrement('d', day, 5),
      );
      expect((await Promise.all(requests)).filter((got) => got)).toHaveLength(5);
      expect(await mine.counter.tryIncrement('other', day, 5)).toBe(true);
      await theirs.counter.decrement('d', day);
      expect(await mine.counter.tryIncrement('d', day, 5)).toBe(true);
      expect(await mine.counter.tryIncrement('d', day, 5)).toBe(false);
      expect(await mine.counter.tryIncrement('d', day + DAY, 5)).toBe(true);
    });

    it('X19 a message has one revision, the newest; a request based on an older one is stale', async () => {
      const { mine, theirs } = subject;
      expect(await mine.revisions.request(wanted, 0)).toBe('wanted');
      expect(await theirs.revisions.request({ ...wanted, body: 'other' }, 0)).toBe('stale');
      expect(await theirs.revisions.request({ ...wanted, body: 'C' }, 1)).toBe('wanted');
      expect(await mine.revisions.of('p', ['m/1', 'm/2'])).toMatchObject(
        new Map([['m/1', { body: 'C', version: 2, state: 'wanted', remoteId: '17' }]]),
      );
      expect((await mine.revisions.of('q', ['m/1'])).size).toBe(0);
    });

    it('X21 a revision is claimed by one worker, and again when its lease expires', async () => {
      const { mine, theirs } = subject;
      await mine.revisions.request(wanted, 0);
      const claimed = await claim('dead');
      expect(claimed).toMatchObject({ message: 'm/1', attempts: 1 });
      expect(await theirs.revisions.claimNext(target, 'w', MINUTE)).toBeNull();
      expect(await theirs.revisions.claimNext({ ...target, destination: 'e' }, 'w', MINUTE)).toBeNull();
      await clock.advance(MINUTE);
      const again = await claim('w');
      expect(again.attempts).toBe(2);
      expect(await mine.revisions.finish(claimed, 'dead', { state: 'refused', detail: 'late' })).toBe(
        'stale',
      );
      expect(await theirs.revisions.finish(again, 'w', { state: 'done', detail: null })).toBe('finished');
      expect(await mine.revisions.claimNext(target, 'w', MINUTE)).toBeNull();
    });

    it('X18 a failed revision waits for its due time', async () => {
      const { revisions } = subject.mine;
      await revisions.request(wanted, 0);
      const dueAt = clock.now() + 5000;
      await revisions.finish(await claim(), 'w', { state: 'wanted', detail: '503', dueAt });
      await clock.advance(4999);
      expect(await revisions.claimNext(target, 'w', MINUTE)).toBeNull();
      await clock.advance(1);
      expect(await claim()).toMatchObject({ detail: '503', attempts: 2 });
    });

    it('X19 an edit requested while another is being applied is applied as well', async () => {
      const { mine, theirs } = subject;
      await mine.revisions.request(wanted, 0);
      const claimed = await claim();
      await theirs.revisions.request({ ...wanted, body: 'C' }, 1);
      expect(await mine.revisions.finish(claimed, 'w', { state: 'done', detail: null })).toBe('stale');
      expect(await claim()).toMatchObject({ body: 'C', version: 2 });
    });

    it('X20 finished revisions are purged, wanted ones are not', async () => {
      const { revisions } = subject.mine;
      await revisions.request(wanted, 0);
      await revisions.finish(await claim(), 'w', { state: 'gone', detail: 'deleted' });
      await revisions.request({ ...wanted, message: 'm/2' }, 0);
      await clock.advance(MINUTE);
      await revisions.purge(clock.now());
      expect([...(await revisions.of('p', ['m/1', 'm/2'])).keys()]).toEqual(['m/2']);
    });
  });
}
