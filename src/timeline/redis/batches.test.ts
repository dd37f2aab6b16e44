import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Batches } from './batches.ts';

function stage() {
  const reads: string[][] = [];
  const batches = new Batches<string, string>(2);
  let fail = false;
  const ask = (key: string, group = 'g'): Promise<string> =>
    batches.read(group, key, async (keys) => {
      reads.push([...keys]);
      await setImmediate();
      if (fail) throw new Error('away');
      return keys.map((one) => `${group} ${one}`);
    });
  return { reads, ask, failing: () => (fail = true) };
}

it('C14 reads of one turn go together, each key once, so many in one, and each gets its own answer', async () => {
  const { reads, ask } = stage();
  const answers = Promise.all([ask('a'), ask('b'), ask('a'), ask('c'), ask('a', 'other')]);
  expect(await answers).toEqual(['g a', 'g b', 'g a', 'g c', 'other a']);
  expect(reads).toEqual([['a', 'b'], ['c'], ['a']]);
});

it('C15 a read does not join one that is under way', async () => {
  const { reads, ask } = stage();
  const first = ask('a');
  while (reads.length === 0) await setImmediate();
  const second = ask('a');
  await Promise.all([first, second]);
  expect(reads).toEqual([['a'], ['a']]);
});

it('C18 all of a batch hear of its failure, and the next one is read as ever', async () => {
  const { reads, ask, failing } = stage();
  failing();
  const outcomes = await Promise.allSettled([ask('a'), ask('b')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(ask('a')).rejects.toThrow('away');
  expect(reads).toEqual([['a', 'b'], ['a']]);
});
