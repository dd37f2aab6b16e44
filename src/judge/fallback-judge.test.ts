import { describe, expect, it } from 'vitest';
import { ManualClock } from '../time/manual-clock.ts';
import { CONTRACT_INTERESTS } from './contract/judge.ts';
import { JAPANESE_ARTICLE } from './contract/sample-answers.ts';
import { withFallback } from './fallback-judge.ts';
import type { Judge, Judgement } from './judge.ts';
import { createLocalJudge } from './local/local-judge.ts';

function setUp(afterMs: number) {
  const clock = new ManualClock();
  const local = createLocalJudge();
  const state: { answer: Judgement<never> | null } = {
    answer: { outcome: 'later', why: 'unreachable', detail: 'away' },
  };
  const remote: Judge = {
    ...local,
    id: 'gemini',
    evaluate: async (...question) => state.answer ?? local.evaluate(...question),
  };
  const judge = withFallback(remote, local, { clock, afterMs });
  return { clock, state, evaluate: () => judge.evaluate(JAPANESE_ARTICLE, CONTRACT_INTERESTS) };
}

describe('a judge with a fallback', () => {
  it('X18 a day without its judge falls back to the local one, labelled as such', async () => {
    const { clock, evaluate } = setUp(24 * 3_600_000);
    expect(await evaluate()).toMatchObject({ outcome: 'later', why: 'unreachable' });
    await clock.advance(24 * 3_600_000);
    expect(await evaluate()).toMatchObject({ outcome: 'judged', by: { judge: 'local', provisional: true } });
  });

  it('X18 a judge that is available again is used again', async () => {
    const { state, evaluate } = setUp(0);
    expect(await evaluate()).toMatchObject({ by: { provisional: true } });
    state.answer = null;
    expect(await evaluate()).toMatchObject({ by: { provisional: false } });
  });

  it('one bad answer does not trigger the fallback', async () => {
    const { state, evaluate } = setUp(0);
    state.answer = { outcome: 'later', why: 'bad_answer', detail: '' };
    expect(await evaluate()).toMatchObject({ outcome: 'later', why: 'bad_answer' });
    state.answer = { outcome: 'unfit', why: 'blocked', detail: '' };
    expect(await evaluate()).toMatchObject({ outcome: 'unfit', why: 'blocked' });
  });
});
