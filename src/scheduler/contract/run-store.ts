import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../time/manual-clock.ts';
import type { RunStore } from '../run-store.ts';

export interface RunStoresUnderTest {
  /** The same store, opened by two processes. */
  readonly mine: RunStore;
  readonly theirs: RunStore;
  dispose(): Promise<void>;
}

/** The contract of `RunStore`. `kept`: how many runs are kept of each pipeline. */
export function runStoreContract(
  name: string,
  make: (clock: ManualClock, kept?: number) => Promise<RunStoresUnderTest>,
): void {
  describe(`${name} as a run store`, () => {
    let clock: ManualClock;
    let subject: RunStoresUnderTest;
    beforeEach(async () => {
      clock = new ManualClock();
      subject = await make(clock);
    });
    afterEach(async () => {
      await subject.dispose();
    });

    it('allows one live run of a pipeline at a time, and other pipelines beside it', async () => {
      const run = await subject.mine.begin('morning', 'a', 1000);
      expect(run).not.toBeNull();
      expect(await subject.theirs.begin('morning', 'b', 1000)).toBeNull();
      expect(await subject.theirs.begin('evening', 'b', 1000)).not.toBeNull();
    });

    it('X22 lists every pipeline that has run', async () => {
      expect(await subject.mine.pipelines()).toEqual([]);
      await subject.mine.begin('morning', 'a', 1000);
      await subject.theirs.begin('evening', 'b', 1000);
      expect((await subject.mine.pipelines()).toSorted()).toEqual(['evening', 'morning']);
    });

    it('of many concurrent requests exactly one succeeds', async () => {
      const stores = [
        subject.mine,
        subject.theirs,
        subject.mine,
        subject.theirs,
        subject.mine,
        subject.theirs,
      ];
      const tickets = await Promise.all(
        stores.map((store, index) => store.begin('morning', `w${index}`, 1000)),
      );
      expect(tickets.filter((run) => run !== null)).toHaveLength(1);
    });

    it('X21 takes over from a dead run, which cannot continue', async () => {
      const dead = await subject.mine.begin('morning', 'a', 1000);
      expect(await subject.theirs.leasedUntil('morning')).toBe(clock.now() + 1000);
      expect(await subject.theirs.leasedUntil('evening')).toBe(0);
      clock.jump(1001);
      const next = await subject.theirs.begin('morning', 'b', 1000);
      if (dead === null || next === null) throw new Error('no ticket');
      expect(await subject.mine.renew(dead, 1000)).toBe(false);
      await subject.mine.end(dead, { outcome: 'done', summary: 'late', counts: {} });
      expect(await subject.mine.begin('morning', 'c', 1000)).toBeNull();
      expect(await subject.theirs.renew(next, 1000)).toBe(true);
    });

    it('X21 takes over from a run that died while its clock was ahead', async () => {
      const HOURS = 3 * 60 * 60 * 1000;
      clock.jump(HOURS);
      const dead = await subject.mine.begin('morning', 'a', 1000);
      clock.jump(-HOURS);
      expect(await subject.theirs.begin('morning', 'b', 1000)).toBeNull();
      expect(await subject.theirs.leasedUntil('morning')).toBe(clock.now() + HOURS + 1000);
      await clock.advance(1000);
      expect(await subject.theirs.begin('morning', 'b', 1000)).not.toBeNull();
      if (dead === null) throw new Error('no ticket');
      expect(await subject.mine.renew(dead, 1000)).toBe(false);
    });

    it('C24 an outdated scheduler cannot begin a run, while a person can', async () => {
      const later = await subject.theirs.begin('morning', 'b', 1000, 4);
      if (later === null) throw new Error('no ticket');
      await subject.theirs.end(later, { outcome: 'done', summary: 'done', counts: {} });
      expect(await subject.mine.begin('morning', 'a', 1000, 3)).toBeNull();
      expect(await subject.mine.begin('evening', 'a', 1000, 3)).not.toBeNull();
      const byHand = await subject.mine.begin('morning', 'a', 1000);
      if (byHand === null) throw new Error('no ticket');
      await subject.mine.end(byHand, { outcome: 'done', summary: 'by hand', counts: {} });
      expect(await subject.mine.begin('morning', 'a', 1000, 3)).toBeNull();
      expect(await subject.theirs.begin('morning', 'b', 1000, 4)).not.toBeNull();
      const runs = await subject.mine.recent('morning', 3);
      expect(runs.map(({ scheduled }) => scheduled)).toEqual([true, false, true]);
    });

    it('a run that renews its lease stays alive', async () => {
      const run = await subject.mine.begin('morning', 'a', 1000);
      if (run === null) throw new Error('no ticket');
      for (let round = 0; round < 3; round++) {
        clock.jump(999);
        expect(await subject.mine.renew(run, 1000)).toBe(true);
        expect(await subject.theirs.begin('morning', 'b', 1000)).toBeNull();
      }
    });

    it('returns how runs ended, newest first', async () => {
      for (const summary of ['one', 'two']) {
        const run = await subject.mine.begin('morning', 'a', 1000);
        if (run === null) throw new Error('no ticket');
        await subject.mine.end(run, { outcome: 'done', summary, counts: { published: 3 } });
        clock.jump(5);
      }
      expect((await subject.mine.recent('morning', 5)).map((run) => run.summary)).toEqual(['two', 'one']);
      expect(await subject.mine.last('morning')).toMatchObject({ outcome: 'done', counts: { published: 3 } });
      expect(await subject.mine.last('evening')).toBeNull();
    });

    it('X13 a busy pipeline does not evict the runs of another one', async () => {
      await subject.dispose();
      subject = await make(clock, 4);
      const run = async (pipeline: string, summary: string): Promise<void> => {
        const run = await subject.mine.begin(pipeline, 'a', 1000);
        if (run === null) throw new Error('no ticket');
        await subject.mine.end(run, { outcome: 'done', summary, counts: {} });
      };
      const summaries = async (pipeline: string): Promise<unknown[]> =>
        (await subject.theirs.recent(pipeline, 100)).map(({ summary }) => summary);
      for (let day = 1; day <= 3; day++) {
        await run('daily', `day ${day}`);
        for (let hour = 1; hour <= 3; hour++) await run('busy', `day ${day}, hour ${hour}`);
      }
      expect(await summaries('daily')).toEqual(['day 3', 'day 2', 'day 1']);
      expect(await summaries('busy')).toEqual([
        'day 3, hour 3',
        'day 3, hour 2',
        'day 3, hour 1',
        'day 2, hour 3',
      ]);
      expect(await subject.theirs.last('daily')).toMatchObject({ summary: 'day 3' });
    });

    it('returns a run in progress', async () => {
      await subject.mine.begin('Morgen/früh', 'a', 1000);
      expect(await subject.theirs.last('Morgen/früh')).toMatchObject({ outcome: 'running', endedAt: null });
    });
  });
}
