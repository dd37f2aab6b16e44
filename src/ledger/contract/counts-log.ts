import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CountsLog, CountsOfHour } from '../counts-log.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);
const counts = (waiting: number): CountsOfHour => ({
  byState: {
    waiting,
    deferred: 0,
    accepted: 0,
    published: 1,
    rejected: 2,
    failed: 0,
    parked: 0,
    baseline: 0,
  },
  byReason: { low_relevance: waiting },
});

/** Contract of a `CountsLog`. */
export function countsLogContract(name: string, open: () => Promise<CountsLog>): void {
  describe(`${name} as a counts log`, () => {
    let log: CountsLog;
    beforeEach(async () => {
      log = await open();
    });
    afterEach(async () => {
      await log[Symbol.asyncDispose]();
    });

    it('keeps one entry an hour, the last one, for each pipeline', async () => {
      await log.put('a', START + 1, counts(1));
      await log.put('a', START + HOUR - 1, counts(2));
      await log.put('a', START + HOUR, counts(3));
      await log.put('b', START, counts(9));
      expect(await log.read('a', START, START + HOUR)).toEqual([
        { at: START, ...counts(2) },
        { at: START + HOUR, ...counts(3) },
      ]);
    });

    it('reads a range over several days, and deletes old counts', async () => {
      for (let i = 0; i < 60; i += 10) await log.put('a', START + i * HOUR, counts(i));
      const read = async (from: number, to: number): Promise<(number | undefined)[]> =>
        (await log.read('a', START + from * HOUR, START + to * HOUR)).map(({ byState }) => byState.waiting);
      expect(await read(10, 30)).toEqual([10, 20, 30]);
      await log.sweep(START + 24 * HOUR);
      expect(await read(0, 100)).toEqual([30, 40, 50]);
      expect(await log.read('none', START, START + HOUR)).toEqual([]);
    });
  });
}
