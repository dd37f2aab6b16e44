import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '../../time/duration.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import type { PublishingStores, RequestedRevision, Revision } from '../publishing-stores.ts';

/** Two copies of the program on the same store. */
export interface PublishingStoresSubject {
  readonly mine: PublishingStores;
  readonly theirs: PublishingStores;
  dispose(): Promise<void>;
}

/** What every engine's memory of the press must prove. */
export function publishingStoresContract(
  name: string,
  open: (clock: ManualClock) => Promise<PublishingStoresSubject>,
): void {
  describe(`the memory of the press on ${name}`, () => {
    let clock: ManualClock;
    let subject: PublishingStoresSubject;
    const line = { pipeline: 'p', destination: 'd' };
    const wanted: RequestedRevision = { ...line, message: 'm/1', remoteId: '17', body: '{"title":"B"}' };
    beforeEach(async () => {
      clock = new ManualClock(Date.UTC(2026, 10, 15));
      subject = await open(clock);
    });
    afterEach(() => subject.dispose());

    const take = async (who = 'w'): Promise<Revision> => {
      const taken = await subject.mine.revisions.claimNext(line, who, MINUTE);
      if (taken === null) throw new Error('there is nothing to take');
      return taken;
    };

    it('X18 copies that count at the same time never count more than there may be', async () => {
      const { mine, theirs } = subject;
      const day = clock.now();
      const asked = Array.from({ length: 12 }, (_, n) =>
        (n % 2 ? mine : theirs).counter.tryIncrement('d', day, 5),
      );
      expect((await Promise.all(asked)).filter((got) => got)).toHaveLength(5);
      expect(await mine.counter.tryIncrement('other', day, 5)).toBe(true);
      await theirs.counter.decrement('d', day);
      expect(await mine.counter.tryIncrement('d', day, 5)).toBe(true);
      expect(await mine.counter.tryIncrement('d', day, 5)).toBe(false);
      expect(await mine.counter.tryIncrement('d', day + DAY, 5)).toBe(true);
    });

    it('X19 a message has one revision, the newest; who looked at an older one looks again', async () => {
      const { mine, theirs } = subject;
      expect(await mine.revisions.request(wanted, 0)).toBe('wanted');
      expect(await theirs.revisions.request({ ...wanted, body: 'other' }, 0)).toBe('stale');
      expect(await theirs.revisions.request({ ...wanted, body: 'C' }, 1)).toBe('wanted');
      expect(await mine.revisions.of('p', ['m/1', 'm/2'])).toMatchObject(
        new Map([['m/1', { body: 'C', version: 2, state: 'wanted', remoteId: '17' }]]),
      );
      expect((await mine.revisions.of('q', ['m/1'])).size).toBe(0);
    });

    it('X21 one is held by one, and found again when its holder died', async () => {
      const { mine, theirs } = subject;
      await mine.revisions.request(wanted, 0);
      const taken = await take('dead');
      expect(taken).toMatchObject({ message: 'm/1', attempts: 1 });
      expect(await theirs.revisions.claimNext(line, 'w', MINUTE)).toBeNull();
      expect(await theirs.revisions.claimNext({ ...line, destination: 'e' }, 'w', MINUTE)).toBeNull();
      await clock.advance(MINUTE);
      const again = await take('w');
      expect(again.attempts).toBe(2);
      expect(await mine.revisions.finish(taken, 'dead', { state: 'refused', detail: 'late' })).toBe('stale');
      expect(await theirs.revisions.finish(again, 'w', { state: 'done', detail: null })).toBe('settled');
      expect(await mine.revisions.claimNext(line, 'w', MINUTE)).toBeNull();
    });

    it('X18 what could not be made waits for its time', async () => {
      const { revisions } = subject.mine;
      await revisions.request(wanted, 0);
      const dueAt = clock.now() + 5000;
      await revisions.finish(await take(), 'w', { state: 'wanted', detail: '503', dueAt });
      await clock.advance(4999);
      expect(await revisions.claimNext(line, 'w', MINUTE)).toBeNull();
      await clock.advance(1);
      expect(await take()).toMatchObject({ detail: '503', attempts: 2 });
    });

    it('X19 an edit that comes while another is being made is made as well', async () => {
      const { mine, theirs } = subject;
      await mine.revisions.request(wanted, 0);
      const taken = await take();
      await theirs.revisions.request({ ...wanted, body: 'C' }, 1);
      expect(await mine.revisions.finish(taken, 'w', { state: 'done', detail: null })).toBe('stale');
      expect(await take()).toMatchObject({ body: 'C', version: 2 });
    });

    it('X20 what was settled long ago is forgotten, what is wanted is not', async () => {
      const { revisions } = subject.mine;
      await revisions.request(wanted, 0);
      await revisions.finish(await take(), 'w', { state: 'gone', detail: 'deleted' });
      await revisions.request({ ...wanted, message: 'm/2' }, 0);
      await clock.advance(MINUTE);
      await revisions.purge(clock.now());
      expect([...(await revisions.of('p', ['m/1', 'm/2'])).keys()]).toEqual(['m/2']);
    });
  });
}
