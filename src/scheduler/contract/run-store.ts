import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../time/manual-clock.ts';
import type { RunStore } from '../run-store.ts';

export interface RunStoresUnderTest {
  /** The same store as two processes open it. */
  readonly mine: RunStore;
  readonly theirs: RunStore;
  dispose(): Promise<void>;
}

/** What every record of runs must do. `kept`: how many runs are remembered of each pipeline. */
export function runStoreContract(
  name: string,
  make: (clock: ManualClock, kept?: number) => Promise<RunStoresUnderTest>,
): void {
  describe(`${name} as a record of runs`, () => {
    let clock: ManualClock;
    let under: RunStoresUnderTest;
    beforeEach(async () => {
      clock = new ManualClock();
      under = await make(clock);
    });
    afterEach(async () => {
      await under.dispose();
    });

    it('lets one run of a pipeline live at a time, and another pipeline beside it', async () => {
      const ticket = await under.mine.begin('morning', 'a', 1000);
      expect(ticket).not.toBeNull();
      expect(await under.theirs.begin('morning', 'b', 1000)).toBeNull();
      expect(await under.theirs.begin('evening', 'b', 1000)).not.toBeNull();
    });

    it('X22 names every pipeline that has run', async () => {
      expect(await under.mine.pipelines()).toEqual([]);
      await under.mine.begin('morning', 'a', 1000);
      await under.theirs.begin('evening', 'b', 1000);
      expect((await under.mine.pipelines()).toSorted()).toEqual(['evening', 'morning']);
    });

    it('of many that begin at once exactly one may run', async () => {
      const stores = [under.mine, under.theirs, under.mine, under.theirs, under.mine, under.theirs];
      const tickets = await Promise.all(
        stores.map((store, index) => store.begin('morning', `w${index}`, 1000)),
      );
      expect(tickets.filter((ticket) => ticket !== null)).toHaveLength(1);
    });

    it('X21 takes over from a run that died, and the dead one cannot go on', async () => {
      const dead = await under.mine.begin('morning', 'a', 1000);
      expect(await under.theirs.leasedUntil('morning')).toBe(clock.now() + 1000);
      expect(await under.theirs.leasedUntil('evening')).toBe(0);
      clock.jump(1001);
      const next = await under.theirs.begin('morning', 'b', 1000);
      if (dead === null || next === null) throw new Error('no ticket');
      expect(await under.mine.renew(dead, 1000)).toBe(false);
      await under.mine.end(dead, { outcome: 'done', summary: 'late', counts: {} });
      expect(await under.mine.begin('morning', 'c', 1000)).toBeNull();
      expect(await under.theirs.renew(next, 1000)).toBe(true);
    });

    it('X21 takes over from a run that died while its clock was ahead', async () => {
      const HOURS = 3 * 60 * 60 * 1000;
      clock.jump(HOURS);
      const dead = await under.mine.begin('morning', 'a', 1000);
      clock.jump(-HOURS);
      expect(await under.theirs.begin('morning', 'b', 1000)).toBeNull();
      expect(await under.theirs.leasedUntil('morning')).toBe(clock.now() + HOURS + 1000);
      await clock.advance(1000);
      expect(await under.theirs.begin('morning', 'b', 1000)).not.toBeNull();
      if (dead === null) throw new Error('no ticket');
      expect(await under.mine.renew(dead, 1000)).toBe(false);
    });

    it('C24 a scheduler that slept through a later one’s run begins nothing, while people may', async () => {
      const later = await under.theirs.begin('morning', 'b', 1000, 4);
      if (later === null) throw new Error('no ticket');
      await under.theirs.end(later, { outcome: 'done', summary: 'done', counts: {} });
      expect(await under.mine.begin('morning', 'a', 1000, 3)).toBeNull();
      expect(await under.mine.begin('evening', 'a', 1000, 3)).not.toBeNull();
      const byHand = await under.mine.begin('morning', 'a', 1000);
      if (byHand === null) throw new Error('no ticket');
      await under.mine.end(byHand, { outcome: 'done', summary: 'by hand', counts: {} });
      expect(await under.mine.begin('morning', 'a', 1000, 3)).toBeNull();
      expect(await under.theirs.begin('morning', 'b', 1000, 4)).not.toBeNull();
      const runs = await under.mine.recent('morning', 3);
      expect(runs.map(({ scheduled }) => scheduled)).toEqual([true, false, true]);
    });

    it('a run that renews its lease lives on', async () => {
      const ticket = await under.mine.begin('morning', 'a', 1000);
      if (ticket === null) throw new Error('no ticket');
      for (let round = 0; round < 3; round++) {
        clock.jump(999);
        expect(await under.mine.renew(ticket, 1000)).toBe(true);
        expect(await under.theirs.begin('morning', 'b', 1000)).toBeNull();
      }
    });

    it('remembers how runs ended, newest first', async () => {
      for (const summary of ['one', 'two']) {
        const ticket = await under.mine.begin('morning', 'a', 1000);
        if (ticket === null) throw new Error('no ticket');
        await under.mine.end(ticket, { outcome: 'done', summary, counts: { published: 3 } });
        clock.jump(5);
      }
      expect((await under.mine.recent('morning', 5)).map((run) => run.summary)).toEqual(['two', 'one']);
      expect(await under.mine.last('morning')).toMatchObject({ outcome: 'done', counts: { published: 3 } });
      expect(await under.mine.last('evening')).toBeNull();
    });

    it('X13 a busy pipeline does not push the runs of another one out of the record', async () => {
      await under.dispose();
      under = await make(clock, 4);
      const run = async (pipeline: string, summary: string): Promise<void> => {
        const ticket = await under.mine.begin(pipeline, 'a', 1000);
        if (ticket === null) throw new Error('no ticket');
        await under.mine.end(ticket, { outcome: 'done', summary, counts: {} });
      };
      const summaries = async (pipeline: string): Promise<unknown[]> =>
        (await under.theirs.recent(pipeline, 100)).map(({ summary }) => summary);
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
      expect(await under.theirs.last('daily')).toMatchObject({ summary: 'day 3' });
    });

    it('shows a run that is under way', async () => {
      await under.mine.begin('Morgen/früh', 'a', 1000);
      expect(await under.theirs.last('Morgen/früh')).toMatchObject({ outcome: 'running', endedAt: null });
    });
  });
}
