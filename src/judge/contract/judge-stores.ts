import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type InterestsHistory, interestsOf } from '../interests.ts';
import type { JudgeFailureStore, ReportedFailure } from '../judge-stores.ts';
import type { CachedVerdict, VerdictCache, VerdictKey } from '../verdict-cache.ts';

const KEY: VerdictKey = {
  question: 'evaluate',
  textHash: 't',
  interestsVersion: 'i',
  model: 'm',
  promptVersion: 'p',
};

const verdict = (score: number, madeAt = 1): CachedVerdict => ({
  value: { score, topics: ['漆'], summary: '…', reason: '”' },
  by: {
    judge: 'gemini',
    model: 'm',
    promptVersion: 'p',
    provisional: false,
    usage: { calls: 1, inputTokens: 2, outputTokens: 3, microUsd: 4, ms: 5 },
  },
  madeAt,
});

/** Contract of a verdict cache. */
export function verdictCacheContract(
  name: string,
  setUp: () => Promise<{ cache: VerdictCache & InterestsHistory } & AsyncDisposable>,
): void {
  describe(`${name} as a verdict cache`, () => {
    let subject: Awaited<ReturnType<typeof setUp>>;
    beforeEach(async () => {
      subject = await setUp();
    });
    afterEach(() => subject[Symbol.asyncDispose]());

    it('A5 returns what was put', async () => {
      expect(await subject.cache.get(KEY)).toBeNull();
      await subject.cache.put(KEY, verdict(70));
      expect(await subject.cache.get(KEY)).toEqual(verdict(70));
      await subject.cache.put(KEY, verdict(71));
      expect(await subject.cache.get(KEY)).toEqual(verdict(71));
    });

    it.each<keyof VerdictKey>(['question', 'textHash', 'interestsVersion', 'model', 'promptVersion'])(
      'A5 another %s is another verdict',
      async (field) => {
        await subject.cache.put(KEY, verdict(70));
        const other = { ...KEY, [field]: field === 'question' ? 'screen' : 'other' };
        expect(await subject.cache.get(other)).toBeNull();
      },
    );

    it('finds the newest verdict regardless of the interests', async () => {
      await subject.cache.put({ ...KEY, interestsVersion: 'old' }, verdict(10, 1));
      await subject.cache.put({ ...KEY, interestsVersion: 'newer' }, verdict(20, 2));
      await subject.cache.put({ ...KEY, textHash: 'other' }, verdict(30, 3));
      const found = await subject.cache.latest({ ...KEY, interestsVersion: 'newest' });
      expect(found).toEqual({ ...verdict(20, 2), interestsVersion: 'newer' });
      expect(await subject.cache.latest({ ...KEY, model: 'other' })).toBeNull();
    });

    it('deletes old verdicts when it is swept', async () => {
      await subject.cache.put(KEY, verdict(1, 10));
      await subject.cache.put({ ...KEY, textHash: 'young' }, verdict(1, 20));
      expect(await subject.cache.sweep(20)).toBe(1);
      expect(await subject.cache.get(KEY)).toBeNull();
    });

    it('stores past interests by their version', async () => {
      const interests = interestsOf([{ topic: '漆', aliases: ['urushi'], priority: 'high' }]);
      expect(await subject.cache.at(interests.version)).toBeNull();
      await subject.cache.save(interests, 1);
      await subject.cache.save(interests, 2);
      expect(await subject.cache.at(interests.version)).toEqual(interests);
    });
  });
}

export interface JudgeFailureStoreSubject extends AsyncDisposable {
  readonly failures: JudgeFailureStore;
}

const FAILURE: ReportedFailure = { why: 'misconfigured', detail: 'The server answered 400: 「誤り」', at: 7 };

/** Contract of a store of judge failures. */
export function judgeFailureStoreContract(
  name: string,
  setUp: () => Promise<JudgeFailureStoreSubject>,
): void {
  describe(`${name} as a store of judge failures`, () => {
    let subject: JudgeFailureStoreSubject;
    beforeEach(async () => {
      subject = await setUp();
    });
    afterEach(() => subject[Symbol.asyncDispose]());

    it('X18 keeps the last failure of each judge until it answers again', async () => {
      const { failures } = subject;
      expect(await failures.lastFailure('a/m')).toBeNull();
      await failures.report('a/m', FAILURE);
      await failures.report('b/m', { ...FAILURE, why: 'timeout', detail: 'slow' });
      expect(await failures.lastFailure('a/m')).toEqual(FAILURE);
      await failures.report('a/m', { ...FAILURE, why: 'refused_key', at: 8 });
      expect(await failures.lastFailure('a/m')).toEqual({ ...FAILURE, why: 'refused_key', at: 8 });
      await failures.report('a/m', null);
      await failures.report('a/m', null);
      expect(await failures.lastFailure('a/m')).toBeNull();
      expect(await failures.lastFailure('b/m')).toMatchObject({ why: 'timeout', detail: 'slow' });
    });
  });
}
