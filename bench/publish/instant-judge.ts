import type { Judge, Judgement, Provenance } from '../../src/judge/judge.ts';

const by: Provenance = {
  judge: 'ready',
  model: 'none',
  promptVersion: '1',
  provisional: false,
  usage: { calls: 0, inputTokens: 0, outputTokens: 0, microUsd: 0, ms: 0 },
};
const SUMMARY =
  'The committee agreed on a plan, named who pays for it, and set the spring as its beginning. A report follows.';

function judged<T>(value: T): Promise<Judgement<T>> {
  return Promise.resolve({ outcome: 'judged', value, by });
}

/** A judge that takes no time, so that only the path from its verdict to the posted message is measured. */
export const readyJudge: Judge = {
  id: 'ready',
  abilities: { takesPdf: false },
  evaluate: () => judged({ score: 80, topics: ['news'], summary: SUMMARY, reason: 'news' }),
  screen: () => judged({ decision: 'worth_it', reason: 'news' }),
  summarise: () => judged({ text: SUMMARY }),
};
