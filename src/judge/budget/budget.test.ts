import { describe, expect, it } from 'vitest';
import { createMemoryBudgetStore } from '../../storage/memory/judge-stores.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { answerWith, scriptedModel } from '../contract/sample-answers.ts';
import type { Answer, Question } from '../model.ts';
import type { BudgetLimits } from './budget.ts';
import { spendOf, withBudget } from './budget.ts';

const QUESTION: Question = {
  instructions: 'do',
  data: 'data',
  files: [],
  schema: {},
  schemaName: 'x',
  maxOutputTokens: 1000,
};

function setUp(
  limits: BudgetLimits,
  answer: () => Answer | Promise<Answer> = () => answerWith({}),
  maxWaitMs = 0,
) {
  const clock = new ManualClock(Date.UTC(2026, 0, 1, 12));
  const budget = {
    store: createMemoryBudgetStore(),
    budgetId: 'p',
    limits,
    price: { inputPerMillion: 1, outputPerMillion: 10 },
    timeZone: 'Asia/Tokyo',
    maxWaitMs,
    clock,
  };
  const inner = scriptedModel(answer);
  return { clock, budget, inner, model: withBudget(inner, budget) };
}

describe('a model with a budget', () => {
  it('X9 reserves before the call and records the usage', async () => {
    const seen: number[] = [];
    const { model, budget } = setUp({}, async () => {
      seen.push((await spendOf(budget)).today.tokens);
      return answerWith({}, 120, 30);
    });
    await model.ask(QUESTION);
    expect(seen[0]).toBeGreaterThan(1000);
    expect(await spendOf(budget)).toEqual({
      lastMinute: { calls: 1 },
      today: { calls: 1, tokens: 150, microUsd: 420 },
    });
  });

  it('X9 at the limit of the day it returns until when, without a call', async () => {
    const { model, inner } = setUp({ callsPerDay: 1 });
    await model.ask(QUESTION);
    expect(await model.ask(QUESTION)).toMatchObject({
      outcome: 'later',
      why: 'over_budget',
      // Midnight in Tokyo.
      retryAt: Date.UTC(2026, 0, 1, 15),
    });
    expect(inner.questions).toHaveLength(1);
  });

  it('X9 money is limited too', async () => {
    const { model } = setUp({ microUsdPerDay: 10_000 });
    expect((await model.ask(QUESTION)).outcome).toBe('later');
  });

  it('waits for the minute if the wait is allowed', async () => {
    const { model, clock, inner } = setUp({ callsPerMinute: 1 }, () => answerWith({}), 90_000);
    await model.ask(QUESTION);
    const second = model.ask(QUESTION);
    await clock.advance(59_000);
    expect(inner.questions).toHaveLength(1);
    await clock.advance(1000);
    expect((await second).outcome).toBe('answer');
  });

  it('a refused call counts as a call, but used no tokens', async () => {
    const { model, budget } = setUp({}, () => ({
      outcome: 'later',
      why: 'rate_limited',
      detail: '',
      usage: null,
    }));
    await model.ask(QUESTION);
    expect((await spendOf(budget)).today).toEqual({ calls: 1, tokens: 0, microUsd: 0 });
  });

  it('X9 a call that timed out may have been billed: its reservation stays', async () => {
    const { model, budget } = setUp({}, () => ({
      outcome: 'later',
      why: 'timeout',
      detail: '',
      usage: null,
    }));
    await model.ask(QUESTION);
    expect((await spendOf(budget)).today.tokens).toBeGreaterThan(1000);
  });

  it('X9 a store whose clock is behind is not polled in a busy loop', async () => {
    const { budget, clock, inner } = setUp({}, () => answerWith({}), 10);
    let asked = 0;
    const store = {
      ...budget.store,
      reserve: async () => {
        asked++;
        return { reserved: false, limit: 'callsPerMinute', until: clock.now() - 60_000 } as const;
      },
    };
    const asking = withBudget(inner, { ...budget, store }).ask(QUESTION);
    await clock.advance(60_000);
    expect(await asking).toMatchObject({ outcome: 'later', why: 'over_budget' });
    expect(asked).toBeLessThan(20);
  });

  it('the reservation of a broken call stays', async () => {
    const { model, budget } = setUp({}, () => Promise.reject(new Error('torn')));
    await expect(model.ask(QUESTION)).rejects.toThrow('torn');
    expect((await spendOf(budget)).today.tokens).toBeGreaterThan(1000);
  });
});
