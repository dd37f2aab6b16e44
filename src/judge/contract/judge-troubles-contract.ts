import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JudgeTroubles, ReportedTrouble } from '../judge-troubles.ts';

export interface TroublesSubject extends AsyncDisposable {
  readonly troubles: JudgeTroubles;
}

const TROUBLE: ReportedTrouble = { why: 'misconfigured', detail: 'The server answered 400: 「誤り」', at: 7 };

/** What every place for the judges' troubles must prove. */
export function judgeTroublesContract(name: string, setUp: () => Promise<TroublesSubject>): void {
  describe(`${name} as a place for the judges’ troubles`, () => {
    let subject: TroublesSubject;
    beforeEach(async () => {
      subject = await setUp();
    });
    afterEach(() => subject[Symbol.asyncDispose]());

    it('X18 keeps the last trouble of each judge until it answers again', async () => {
      const { troubles } = subject;
      expect(await troubles.lastTrouble('a/m')).toBeNull();
      await troubles.report('a/m', TROUBLE);
      await troubles.report('b/m', { ...TROUBLE, why: 'timeout', detail: 'slow' });
      expect(await troubles.lastTrouble('a/m')).toEqual(TROUBLE);
      await troubles.report('a/m', { ...TROUBLE, why: 'refused_key', at: 8 });
      expect(await troubles.lastTrouble('a/m')).toEqual({ ...TROUBLE, why: 'refused_key', at: 8 });
      await troubles.report('a/m', null);
      await troubles.report('a/m', null);
      expect(await troubles.lastTrouble('a/m')).toBeNull();
      expect(await troubles.lastTrouble('b/m')).toMatchObject({ why: 'timeout', detail: 'slow' });
    });
  });
}
