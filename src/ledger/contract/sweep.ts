import { describe, expect, it } from 'vitest';
import { DAY } from '../../time/duration.ts';
import type { SweepPlan } from '../ledger.ts';
import { BadSweepPlanError } from '../sweep-plan.ts';
import { keyOf, type MakePipelineStores, Subject, sighting, verdict } from './subject.ts';

const PLAN: SweepPlan = {
  keep: { published: 90 * DAY, rejected: 30 * DAY },
  keepTombstones: 365 * DAY,
  withoutTombstone: ['rejected'],
  dryRun: false,
};

/** Retention. */
export function sweepContract(make: MakePipelineStores): void {
  describe('sweeping', () => {
    const subject = new Subject(make);

    it('A14 deletes what is older than its keep time and nothing else', async () => {
      await subject.afterStep('published', { type: 'publish' }, { verdict: verdict() });
      await subject.afterStep('rejected', { type: 'reject', reason: 'low_relevance' });
      await subject.afterStep('failed', { type: 'giveUp', reason: 'api_failed' });
      await subject.admit('waiting');
      await subject.clock.advance(30 * DAY);
      expect(await subject.ledger.sweep(PLAN)).toEqual({ swept: {}, tombstonesRemoved: 0, complete: true });
      await subject.clock.advance(1);
      expect((await subject.ledger.sweep(PLAN)).swept).toEqual({ rejected: 1 });
      await subject.clock.advance(60 * DAY);
      expect((await subject.ledger.sweep(PLAN)).swept).toEqual({ published: 1 });
      await subject.clock.advance(1000 * DAY);
      expect((await subject.ledger.sweep(PLAN)).swept).toEqual({});
      expect((await subject.ledger.counts()).byState).toMatchObject({ waiting: 1, failed: 1, published: 0 });
    });

    it('X20 a posted and swept item is not new when it is seen again', async () => {
      const key = await subject.afterStep('a', { type: 'publish' });
      await subject.clock.advance(91 * DAY);
      await subject.ledger.sweep(PLAN);
      expect(await subject.ledger.find(key)).toBeNull();
      expect(await subject.ledger.admit([sighting('a'), sighting('a')], {})).toEqual(['swept', 'swept']);
      expect(await subject.ledger.known([key])).toEqual(new Set([key]));
      expect(await subject.ledger.find(key)).toBeNull();
      expect(await subject.ledger.history(key)).toMatchObject([{ event: 'sweep', from: 'published' }]);
      expect((await subject.ledger.counts()).tombstones).toBe(1);
    });

    it('B19 X19 a source stays known when all its items are swept', async () => {
      await subject.afterStep('a', { type: 'publish' });
      await subject.admit('b');
      await subject.ledger.admit([sighting('b', { sourceId: 'mirror' })], {});
      await subject.afterStep('b', { type: 'reject', reason: 'low_relevance' });
      await subject.clock.advance(91 * DAY);
      expect((await subject.ledger.sweep({ ...PLAN, dryRun: true })).swept).toEqual({
        published: 1,
        rejected: 1,
      });
      expect((await subject.ledger.sweep(PLAN)).swept).toEqual({ published: 1, rejected: 1 });
      for (const sourceId of ['feed-1', 'mirror'])
        expect(await subject.ledger.hasSeenSource(sourceId)).toBe(true);
      await subject.clock.advance(366 * DAY);
      expect((await subject.ledger.sweep(PLAN)).tombstonesRemoved).toBe(1);
      for (const sourceId of ['feed-1', 'mirror'])
        expect(await subject.ledger.hasSeenSource(sourceId)).toBe(true);
      expect(await subject.ledger.hasSeenSource('feed-2')).toBe(false);
    });

    it('A14 a rejected and swept item may be evaluated again', async () => {
      await subject.afterStep(
        'a',
        { type: 'reject', reason: 'low_relevance' },
        { verdict: verdict({ score: 3 }) },
      );
      await subject.clock.advance(31 * DAY);
      await subject.ledger.sweep(PLAN);
      expect(await subject.ledger.admit([sighting('a')], {})).toEqual(['new']);
      expect((await subject.find(keyOf('a'))).verdict).toBeNull();
      expect(await subject.ledger.history(keyOf('a'))).toHaveLength(1);
    });

    it('X20 an item refused by one destination is not new after the sweep: another may have published it', async () => {
      await subject.afterStep('refused', { type: 'giveUp', reason: 'delivery_refused' });
      await subject.afterStep('unread', { type: 'giveUp', reason: 'download_failed' });
      await subject.clock.advance(31 * DAY);
      const plan = { ...PLAN, keep: { failed: 30 * DAY }, withoutTombstone: ['failed'] as const };
      expect((await subject.ledger.sweep(plan)).swept).toEqual({ failed: 2 });
      expect(await subject.ledger.admit([sighting('refused'), sighting('unread')], {})).toEqual([
        'swept',
        'new',
      ]);
    });

    it('X20 a tombstone is deleted when its own keep time is over', async () => {
      await subject.afterStep('a', { type: 'publish' });
      await subject.clock.advance(91 * DAY);
      await subject.ledger.sweep(PLAN);
      await subject.clock.advance(365 * DAY);
      expect((await subject.ledger.sweep(PLAN)).tombstonesRemoved).toBe(0);
      await subject.clock.advance(1);
      expect((await subject.ledger.sweep(PLAN)).tombstonesRemoved).toBe(1);
      expect((await subject.ledger.counts()).tombstones).toBe(0);
      expect(await subject.ledger.admit([sighting('a')], {})).toEqual(['new']);
    });

    it('D13 keeps everything by default', async () => {
      await subject.afterStep('a', { type: 'publish' });
      await subject.clock.advance(10_000 * DAY);
      expect((await subject.ledger.sweep({ ...PLAN, keep: {} })).swept).toEqual({});
    });

    it('a dry run reports what would be deleted and changes nothing', async () => {
      await subject.afterStep('a', { type: 'publish' });
      await subject.afterStep('b', { type: 'reject', reason: 'low_relevance' });
      await subject.clock.advance(91 * DAY);
      const report = { swept: { published: 1, rejected: 1 }, tombstonesRemoved: 0, complete: true };
      expect(await subject.ledger.sweep({ ...PLAN, dryRun: true })).toEqual(report);
      expect(await subject.find(keyOf('a'))).toMatchObject({ state: 'published' });
      expect(await subject.ledger.sweep(PLAN)).toEqual(report);
    });

    it('A14 a stopped sweep continues the next time', async () => {
      const names = Array.from({ length: 650 }, (_, index) => `n${index}`);
      await subject.admit(...names);
      for (let from = 0; from < names.length; from += 50)
        await Promise.all(
          names
            .slice(from, from + 50)
            .map(async (name) => subject.step(await subject.claim(keyOf(name)), { type: 'publish' })),
        );
      await subject.clock.advance(91 * DAY);
      const stop = new AbortController();
      const first = await subject.ledger.sweep({
        ...PLAN,
        signal: stop.signal,
        onProgress: () => stop.abort(),
      });
      expect(first.complete).toBe(false);
      const swept = first.swept.published ?? 0;
      expect(swept).toBeGreaterThan(0);
      expect(swept).toBeLessThan(650);
      const seen: number[] = [];
      const second = await subject.ledger.sweep({ ...PLAN, onProgress: (done) => seen.push(done) });
      expect(second).toEqual({ swept: { published: 650 - swept }, tombstonesRemoved: 0, complete: true });
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      expect((await subject.ledger.counts()).tombstones).toBe(650);
    });

    it('does not sweep an item with an unfinished message', async () => {
      const intents = [{ key: 'k', itemKeys: [keyOf('a')], destination: 'd', body: 'b' }];
      await subject.afterStep('a', { type: 'publish' }, { messages: intents });
      await subject.clock.advance(91 * DAY);
      expect((await subject.ledger.sweep(PLAN)).swept).toEqual({});
      const claimed = await subject.outbox.claimNext('d', 'w', 1000);
      if (claimed === null) throw new Error('nothing to send');
      await subject.outbox.finish(claimed, { state: 'sent', remoteId: '1' });
      expect((await subject.ledger.sweep(PLAN)).swept).toEqual({ published: 1 });
      expect((await subject.outbox.counts()).sent).toBe(0);
    });

    it('rejects a plan with states that are not terminal, or with invalid times', async () => {
      for (const bad of [
        { ...PLAN, keep: { waiting: DAY } },
        { ...PLAN, keep: { published: -1 } },
        { ...PLAN, keep: { published: Number.NaN } },
        { ...PLAN, keepTombstones: -1 },
      ])
        await expect(subject.ledger.sweep(bad)).rejects.toThrow(BadSweepPlanError);
    });
  });
}
