import { interestsOf } from '../../src/judge/interests.ts';
import type { ArticleText } from '../../src/judge/judge.ts';
import { createLocalJudge } from '../../src/judge/local/local-judge.ts';
import { languageOf } from '../../src/judge/local/text.ts';
import { sentencesOf } from '../../src/judge/text-length.ts';
import { rouge } from './quality.ts';

/** An article and the summary that a person wrote. */
export interface Referenced {
  readonly article: ArticleText;
  readonly summary: string;
}

type Rouge = ReturnType<typeof rouge>;
export type Measure = keyof Rouge;

/** Both forms of summary of one article, beside the beginning of its text. */
export interface SummaryScores {
  /** Of the evaluation: 50–200 characters (A3). */
  readonly short: Rouge;
  readonly firstSentence: Rouge;
  /** The first sentences up to 50 characters. */
  readonly lead: Rouge;
  /** Of a published page: three sentences. */
  readonly styled: Rouge;
  readonly firstThree: Rouge;
}

/** A summary of an evaluation has at least this length (A3). */
export const MIN_CHARACTERS = 50;

export async function summaryScores(articles: readonly Referenced[]): Promise<SummaryScores[]> {
  const judge = createLocalJudge();
  const interests = interestsOf([{ topic: 'nothing in particular' }]);
  const all: SummaryScores[] = [];
  for (const { article, summary } of articles) {
    const language = languageOf(article.text, article.language);
    const style = { language, sentences: [3, 3] as const, characters: language === 'ja' ? 200 : 450 };
    const short = await judge.evaluate(article, interests);
    const styled = await judge.summarise(article, [], style);
    if (short.outcome !== 'judged' || styled.outcome !== 'judged') continue;
    const sentences = sentencesOf(article.text);
    const joint = language === 'ja' ? '' : ' ';
    all.push({
      short: rouge(short.value.summary, summary),
      firstSentence: rouge(sentences[0] ?? '', summary),
      lead: rouge(leadOf(sentences, joint), summary),
      styled: rouge(styled.value.text, summary),
      firstThree: rouge(sentences.slice(0, 3).join(joint), summary),
    });
  }
  return all;
}

function leadOf(sentences: readonly string[], joint: string): string {
  let lead = '';
  for (const sentence of sentences) {
    lead += (lead === '' ? '' : joint) + sentence;
    if (lead.length >= MIN_CHARACTERS) break;
  }
  return lead;
}

export interface Interval {
  readonly mean: number;
  readonly from: number;
  readonly to: number;
}

const RESAMPLES = 10_000;

/** Mean of paired differences with its 95% interval, by bootstrap with a fixed seed. */
export function bootstrap(differences: readonly number[]): Interval {
  const count = differences.length;
  if (count === 0) return { mean: 0, from: 0, to: 0 };
  let state = 20_261;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += differences[next()] ?? 0;
    return sum / count;
  }).toSorted((a, b) => a - b);
  return {
    mean: differences.reduce((sum, difference) => sum + difference, 0) / count,
    from: means[Math.floor(RESAMPLES * 0.025)] ?? 0,
    to: means[Math.ceil(RESAMPLES * 0.975) - 1] ?? 0,
  };
}
