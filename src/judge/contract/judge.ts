import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { interestsOf } from '../interests.ts';
import type { Document, Judge, SummaryStyle } from '../judge.ts';
import { countCharacters } from '../text-length.ts';
import { ENGLISH_ARTICLE, JAPANESE_ARTICLE, judged, PAGE_WITHOUT_MATERIALS } from './sample-answers.ts';

/** A judge under test and its disposal. */
export interface JudgeUnderTest extends AsyncDisposable {
  readonly judge: Judge;
}

export const CONTRACT_INTERESTS = interestsOf([
  { topic: '子育て支援', aliases: ['保育'], priority: 'high' },
  { topic: 'machine learning', priority: 'medium' },
  { topic: 'gardening', priority: 'low' },
]);

export const CONTRACT_STYLE: SummaryStyle = { language: 'ja', sentences: [3, 5], characters: 200 };

/** Contract of every judge, local or remote, without failures. */
export function judgeContract(name: string, setUp: () => Promise<JudgeUnderTest>): void {
  describe(`${name} as a judge`, () => {
    let subject: JudgeUnderTest;
    beforeEach(async () => {
      subject = await setUp();
    });
    afterEach(async () => {
      await subject[Symbol.asyncDispose]();
    });

    for (const article of [JAPANESE_ARTICLE, ENGLISH_ARTICLE]) {
      it(`A3 an evaluation is an integer 0–100, topics, 50–200 characters and a reason (${article.language})`, async () => {
        const value = judged(await subject.judge.evaluate(article, CONTRACT_INTERESTS));
        expect(Number.isInteger(value.score)).toBe(true);
        expect(value.score).toBeGreaterThanOrEqual(0);
        expect(value.score).toBeLessThanOrEqual(100);
        expect(countCharacters(value.summary)).toBeGreaterThanOrEqual(50);
        expect(countCharacters(value.summary)).toBeLessThanOrEqual(200);
        expect(value.summary).not.toContain(article.title);
        expect(value.reason.trim()).not.toBe('');
      });

      it(`A3 topics are among the interests (${article.language})`, async () => {
        const value = judged(await subject.judge.evaluate(article, CONTRACT_INTERESTS));
        const known = CONTRACT_INTERESTS.topics.map((interest) => interest.topic);
        expect(value.topics.length).toBeGreaterThan(0);
        for (const topic of value.topics) expect(known).toContain(topic);
        expect(new Set(value.topics).size).toBe(value.topics.length);
      });

      it(`B16 a page with its text is worth summarising (${article.language})`, async () => {
        const value = judged(await subject.judge.screen(article, []));
        expect(value.decision).toBe('worth_it');
        expect(value.reason.trim()).not.toBe('');
      });
    }

    it('B16 a page whose materials are announced for later is not ready', async () => {
      expect(judged(await subject.judge.screen(PAGE_WITHOUT_MATERIALS, [])).decision).toBe('not_ready');
    });

    it('B16 a summary has 3–5 sentences, about 200 characters, and does not repeat the title', async () => {
      const { text } = judged(await subject.judge.summarise(JAPANESE_ARTICLE, [], CONTRACT_STYLE));
      const sentences = text.split('。').filter((sentence) => sentence.trim() !== '');
      expect(sentences.length).toBeGreaterThanOrEqual(3);
      expect(sentences.length).toBeLessThanOrEqual(5);
      expect(countCharacters(text)).toBeGreaterThanOrEqual(80);
      expect(countCharacters(text)).toBeLessThanOrEqual(260);
      expect(text).not.toContain(JAPANESE_ARTICLE.title);
    });

    it('B17 a document is summarised too: as a file where the judge takes files, as text where not', async () => {
      const documents: Document[] = [
        {
          url: 'https://example.jp/shiryo.pdf',
          name: '資料1',
          mediaType: 'application/pdf',
          text: JAPANESE_ARTICLE.text,
          bytes: new TextEncoder().encode('%PDF-1.4 three lines of it'),
        },
      ];
      const page = { ...PAGE_WITHOUT_MATERIALS, text: '第3回の資料を掲載しました。' };
      expect(judged(await subject.judge.summarise(page, documents, CONTRACT_STYLE)).text.trim()).not.toBe('');
    });

    it('X18 nothing to read is unfit, not a zero', async () => {
      const outcome = await subject.judge.evaluate(
        { url: 'https://example.jp/', title: ' ', text: '' },
        CONTRACT_INTERESTS,
      );
      expect(outcome).toMatchObject({ outcome: 'unfit', why: 'empty' });
    });

    it('X4 a verdict names its judge, model and prompt, and what it cost', async () => {
      const outcome = await subject.judge.evaluate(JAPANESE_ARTICLE, CONTRACT_INTERESTS);
      if (outcome.outcome !== 'judged') throw new Error(`expected a verdict, got ${JSON.stringify(outcome)}`);
      expect(outcome.by.judge).toBe(subject.judge.id);
      expect(outcome.by.model).not.toBe('');
      expect(outcome.by.promptVersion).not.toBe('');
      for (const amount of Object.values(outcome.by.usage)) expect(amount).toBeGreaterThanOrEqual(0);
    });

    it('stops on its signal', async () => {
      const reason = new Error('stop');
      await expect(
        subject.judge.evaluate(JAPANESE_ARTICLE, CONTRACT_INTERESTS, AbortSignal.abort(reason)),
      ).rejects.toBe(reason);
    });
  });
}
