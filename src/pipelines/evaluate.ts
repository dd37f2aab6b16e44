import type { Item } from '../item/item.ts';
import type { LifecycleEvent } from '../item/lifecycle.ts';
import type { Evaluation, Interests, Judge, Judgement } from '../judge/judge.ts';
import type { Step } from '../ledger/ledger.ts';
import type { ArticleReader } from '../reading/article.ts';
import type { Clock } from '../time/clock.ts';
import { verdictOf, whenJudgeIsAway } from './verdict.ts';

export interface EvaluateParts {
  readonly settings: { readonly minRelevanceScore: number };
  readonly interests: Interests;
  readonly judge: Judge;
  readonly reader: ArticleReader;
  readonly clock: Clock;
}

/** What came of reading an article and putting it before the judge. */
export type Evaluated =
  | { readonly outcome: 'unreadable'; readonly retryable: boolean; readonly detail: string }
  | { readonly outcome: 'asked'; readonly judged: Judgement<Evaluation>; readonly text: string };

/** Reads the page behind an item and asks the judge. Nothing is recorded. */
export async function evaluate(item: Item, parts: EvaluateParts, signal: AbortSignal): Promise<Evaluated> {
  const page = await parts.reader.read(item.url, signal);
  if (page.outcome === 'unreadable') {
    return { outcome: 'unreadable', retryable: page.retryable, detail: `${page.why}: ${page.detail}` };
  }
  const { text, headings, language } = page.article;
  const judged = await parts.judge.evaluate(
    { url: item.url, title: item.title, text, headings, ...(language !== null && { language }) },
    parts.interests,
    signal,
  );
  return { outcome: 'asked', judged, text };
}

/** What that means for the item (A4, A8, X18). */
export function eventFor(evaluated: Evaluated, { settings, clock }: EvaluateParts): LifecycleEvent {
  if (evaluated.outcome === 'unreadable') {
    const { detail, retryable } = evaluated;
    return retryable
      ? { type: 'defer', reason: 'download_failed', detail }
      : { type: 'reject', reason: 'content_extraction_failed', detail };
  }
  const { judged } = evaluated;
  switch (judged.outcome) {
    case 'later':
      return whenJudgeIsAway(judged, clock.now());
    case 'unfit':
      return { type: 'reject', reason: 'content_extraction_failed', detail: judged.detail };
    case 'judged': {
      const { score, topics, reason } = judged.value;
      if (topics.length === 0) return { type: 'reject', reason: 'no_topic_match', detail: reason };
      if (score < settings.minRelevanceScore)
        return { type: 'reject', reason: 'low_relevance', detail: reason };
      return { type: 'accept', detail: reason };
    }
  }
}

/** What is stored with it: the verdict, where there is one. */
export function stepFor(evaluated: Evaluated, { interests, clock }: EvaluateParts): Step {
  if (evaluated.outcome === 'unreadable' || evaluated.judged.outcome !== 'judged') return {};
  const { value, by } = evaluated.judged;
  return { verdict: verdictOf(value, by, evaluated.text, interests.version, clock.now()) };
}
