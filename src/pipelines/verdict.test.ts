import { describe, expect, it } from 'vitest';
import { admitted, advance, type LifecycleEvent, type Standing } from '../item/lifecycle.ts';
import { whenJudgeIsAway } from './verdict.ts';

const policy = { retryLimit: 2, backoff: () => 1000 };

function repeat(event: LifecycleEvent, times: number): Standing {
  let standing = admitted(0, false);
  for (let i = 0; i < times; i++) {
    const next = advance(standing, event, i, policy);
    if (!next.allowed) throw new Error(next.why);
    standing = next.transition.to;
  }
  return standing;
}

describe('a judge that cannot answer', () => {
  it('X18 a limit means later and costs no attempt', () => {
    const event = whenJudgeIsAway({ outcome: 'later', why: 'over_budget', detail: 'spent', retryAt: 99 }, 0);
    expect(repeat(event, 5)).toMatchObject({
      state: 'waiting',
      attempts: 0,
      dueAt: 99,
      reason: 'over_limit',
    });
  });

  it('X18 B10 a judge that is away counts attempts and drops nothing, however long it lasts', () => {
    const event = whenJudgeIsAway({ outcome: 'later', why: 'unreachable', detail: 'down' }, 0);
    expect(repeat(event, 50)).toMatchObject({ state: 'deferred', attempts: 50, reason: 'api_failed' });
  });

  it('X18 B11 nonsense about one text ends in front of a person, not in a score', () => {
    const event = whenJudgeIsAway({ outcome: 'later', why: 'bad_answer', detail: 'no JSON' }, 0);
    expect(repeat(event, 3)).toMatchObject({ state: 'failed', reason: 'retry_limit' });
  });
});
