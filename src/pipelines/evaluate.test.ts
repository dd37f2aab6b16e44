import { describe, expect, it } from 'vitest';
import { admittedStatus, advance, type ItemStatus, type LifecycleEvent } from '../item/lifecycle.ts';
import { eventWhenJudgeUnavailable } from './evaluate.ts';

const policy = { retryLimit: 2, backoff: () => 1000 };

function repeat(event: LifecycleEvent, times: number): ItemStatus {
  let standing = admittedStatus(0, false);
  for (let i = 0; i < times; i++) {
    const next = advance(standing, event, i, policy);
    if (!next.allowed) throw new Error(next.why);
    standing = next.transition.to;
  }
  return standing;
}

describe('a judge that cannot answer', () => {
  it('X18 a limit means later and costs no attempt', () => {
    const event = eventWhenJudgeUnavailable(
      { outcome: 'later', why: 'over_budget', detail: 'spent', retryAt: 99 },
      0,
    );
    expect(repeat(event, 5)).toMatchObject({
      state: 'waiting',
      attempts: 0,
      dueAt: 99,
      reason: 'over_limit',
    });
  });

  it('X18 B10 an unavailable judge counts attempts and drops nothing, however long the outage', () => {
    const event = eventWhenJudgeUnavailable({ outcome: 'later', why: 'unreachable', detail: 'down' }, 0);
    expect(repeat(event, 50)).toMatchObject({ state: 'deferred', attempts: 50, reason: 'api_failed' });
  });

  it.each(['misconfigured', 'refused_key', 'wrong_model', 'no_credit'] as const)(
    'X18 a judge that a person has to put right (%s) costs no attempt and ends no item',
    (why) => {
      const event = eventWhenJudgeUnavailable({ outcome: 'later', why, detail: 'its words' }, 7);
      const standing = repeat(event, 50);
      expect(standing).toMatchObject({
        state: 'waiting',
        attempts: 0,
        reason: 'api_failed',
        detail: 'its words',
      });
      expect(standing.dueAt).toBeGreaterThan(7);
    },
  );

  it('X18 a model that exceeds its output limit is retried with backoff, and fails no item', () => {
    const event = eventWhenJudgeUnavailable(
      { outcome: 'later', why: 'output_limit', detail: 'no answer' },
      0,
    );
    expect(repeat(event, 50)).toMatchObject({ state: 'deferred', reason: 'api_failed' });
  });

  it('X18 B11 invalid answers about one text reach a person, not a score', () => {
    const event = eventWhenJudgeUnavailable({ outcome: 'later', why: 'bad_answer', detail: 'no JSON' }, 0);
    expect(repeat(event, 3)).toMatchObject({ state: 'failed', reason: 'retry_limit' });
  });
});
