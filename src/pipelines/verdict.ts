import { createHash } from 'node:crypto';
import type { Verdict } from '../item/item.ts';
import type { LifecycleEvent } from '../item/lifecycle.ts';
import type { Judgement, JudgeTrouble, Provenance } from '../judge/judge.ts';
import { MINUTE } from '../time/duration.ts';

/** What a judge said, with everything needed to know later who said it of which text. */
export function verdictOf(
  said: Pick<Verdict, 'score' | 'topics' | 'summary' | 'reason'>,
  by: Provenance,
  text: string,
  interestsVersion: string,
  now: number,
): Verdict {
  return {
    ...said,
    judge: by.judge,
    model: by.model,
    promptVersion: by.promptVersion,
    interestsVersion,
    textHash: createHash('sha256').update(text).digest('hex'),
    madeAt: now,
    provisional: by.provisional,
  };
}

const NEEDS_A_PERSON: ReadonlySet<JudgeTrouble> = new Set<JudgeTrouble>([
  'misconfigured',
  'refused_key',
  'wrong_model',
  'no_credit',
]);

/**
 * A judge that cannot answer now drops nothing (X18). A limit or a budget is only a matter of waiting and costs no attempt.
 * Neither does a judge that a person has to put right: a refused key or request has nothing to do with the item. A judge that is
 * away counts as one (B10) but never ends the item; one that answers nonsense about this very text does in the end, so that a
 * poisonous text is not asked about for ever but shown to a person.
 */
export function whenJudgeIsAway(
  judged: Judgement<unknown> & { outcome: 'later' },
  now: number,
): LifecycleEvent {
  const { why, detail, retryAt } = judged;
  if (why === 'over_budget' || why === 'rate_limited') {
    return { type: 'postpone', reason: 'over_limit', until: retryAt ?? now + 10 * MINUTE, detail };
  }
  if (NEEDS_A_PERSON.has(why)) {
    return { type: 'postpone', reason: 'api_failed', until: retryAt ?? now + 10 * MINUTE, detail };
  }
  return {
    type: 'defer',
    reason: 'api_failed',
    detail,
    keepTrying: why !== 'bad_answer',
    ...(retryAt !== undefined && { notBefore: retryAt }),
  };
}
