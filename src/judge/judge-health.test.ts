import { describe, expect, it } from 'vitest';
import { MINUTE } from '../time/duration.ts';
import { ManualClock } from '../time/manual-clock.ts';
import type { Judgement } from './judge.ts';
import { JudgeHealth, type ReportedFailure } from './judge-stores.ts';

const ANSWER: Judgement<unknown> = {
  outcome: 'judged',
  value: null,
  by: {
    judge: 'j',
    model: 'm',
    promptVersion: 'p',
    provisional: false,
    usage: { calls: 1, inputTokens: 1, outputTokens: 1, microUsd: 0, ms: 1 },
  },
};
const REFUSED: Judgement<unknown> = { outcome: 'later', why: 'misconfigured', detail: 'its words' };

function healthWith(stored: ReportedFailure | null = null) {
  const clock = new ManualClock();
  const written: (ReportedFailure | null)[] = [];
  let broken = false;
  const health = new JudgeHealth(
    'j/m',
    {
      async report(_, failure) {
        if (broken) throw new Error('the disk is full');
        written.push(failure);
      },
      lastFailure: async () => stored,
    },
    clock,
  );
  return { clock, written, health, breakStore: (is: boolean) => (broken = is) };
}

describe('the health of a judge', () => {
  it('A19 answers cost no write if there was no failure', async () => {
    const { health, written } = healthWith();
    for (let i = 0; i < 5; i++) await health.record(ANSWER);
    expect(written).toEqual([]);
  });

  it('X18 the first answer clears what an earlier process reported', async () => {
    const { health, written } = healthWith({ why: 'refused_key', detail: 'x', at: 1 });
    await health.record(ANSWER);
    await health.record(ANSWER);
    expect(written).toEqual([null]);
  });

  it('A19 X18 the same failure is written once, and again only after a while', async () => {
    const { health, written, clock } = healthWith();
    for (let i = 0; i < 50; i++) await health.record(REFUSED);
    expect(written).toEqual([{ why: 'misconfigured', detail: 'its words', at: clock.now() }]);
    clock.jump(10 * MINUTE);
    await health.record(REFUSED);
    expect(written).toHaveLength(2);
    await health.record(ANSWER);
    expect(written.at(-1)).toBeNull();
  });

  it('X18 a limit of our own and a wrong answer about one text are no failure of the judge', async () => {
    const { health, written } = healthWith();
    await health.record({ outcome: 'later', why: 'over_budget', detail: 'spent' });
    await health.record({ outcome: 'later', why: 'bad_answer', detail: 'seven' });
    await health.record({ outcome: 'unfit', why: 'blocked', detail: 'no' });
    expect(written).toEqual([]);
    await health.record(REFUSED);
    await health.record({ outcome: 'later', why: 'over_budget', detail: 'spent' });
    expect(written).toHaveLength(1);
    await health.record({ outcome: 'later', why: 'bad_answer', detail: 'seven' });
    expect(written.at(-1)).toBeNull();
  });

  it('X18 a failed write costs no answer, and is retried with the next', async () => {
    const { health, written, breakStore } = healthWith();
    breakStore(true);
    await health.record(REFUSED);
    breakStore(false);
    await health.record(REFUSED);
    expect(written).toHaveLength(1);
  });
});
