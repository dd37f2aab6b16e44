import { expect, it } from 'vitest';
import { Batcher } from './batcher.ts';

it('batches the calls that arrive while a batch is running', async () => {
  const batches: number[][] = [];
  const batcher = new Batcher<number, number>(async (inputs) => {
    batches.push([...inputs]);
    return inputs.map((input) => input * 10);
  }, 3);
  const answers = await Promise.all([1, 2, 3, 4, 5].map((input) => batcher.do(input)));
  expect(answers).toEqual([10, 20, 30, 40, 50]);
  expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  expect(await batcher.do(6)).toBe(60);
});

it('a failed batch fails only its own calls', async () => {
  const batcher = new Batcher<number, number>(async (inputs) => {
    if (inputs.includes(2)) throw new Error('two');
    return inputs;
  }, 2);
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map((input) => batcher.do(input)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  await batcher.idle();
});
