import type { Judgement } from '../judge.ts';

/** The value of a verdict; anything else fails the test with what it was. */
export function judged<T>(judgement: Judgement<T>): T {
  if (judgement.outcome !== 'judged') throw new Error(`expected a verdict, got ${JSON.stringify(judgement)}`);
  return judgement.value;
}
