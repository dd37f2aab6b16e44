import { expect, it } from 'vitest';
import { Gathered } from './gathered.ts';

it('does together what came while it worked', async () => {
  const rounds: number[][] = [];
  const gathered = new Gathered<number, number>(async (inputs) => {
    rounds.push([...inputs]);
    return inputs.map((input) => input * 10);
  }, 3);
  const answers = await Promise.all([1, 2, 3, 4, 5].map((input) => gathered.do(input)));
  expect(answers).toEqual([10, 20, 30, 40, 50]);
  expect(rounds).toEqual([[1], [2, 3, 4], [5]]);
  expect(await gathered.do(6)).toBe(60);
});

it('tells a failure to those it happened to, and goes on', async () => {
  const gathered = new Gathered<number, number>(async (inputs) => {
    if (inputs.includes(2)) throw new Error('two');
    return inputs;
  }, 2);
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map((input) => gathered.do(input)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  await gathered.idle();
});
