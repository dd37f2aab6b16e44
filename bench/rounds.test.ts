import { describe, expect, it } from 'vitest';
import { result } from './bench.ts';
import { median, rounds } from './rounds.ts';

describe('rounds', () => {
  it('are interleaved, begin with another contestant each time, and the first only warms up', async () => {
    const order: string[] = [];
    const figures = { a: [99, 3, 1, 2], b: [99, 10, 30, 20] };
    const contestant = (name: 'a' | 'b') => () => {
      order.push(name);
      return figures[name].shift();
    };
    expect(await rounds(3, { a: contestant('a'), b: contestant('b') })).toEqual({ a: 2, b: 20 });
    expect(order.join('')).toBe('abbaabba');
  });

  it('measure the time of a contestant that returns nothing', async () => {
    const { slow } = await rounds(1, {
      slow: () => new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined))),
    });
    expect(slow).toBeGreaterThan(0);
  });

  it('stop when their time is up, but not before one round has counted', async () => {
    let turns = 0;
    const figures = await rounds(50, { a: () => ++turns }, 0);
    expect(turns).toBe(2);
    expect(figures).toEqual({ a: 2 });
  });

  it('the median of an even number lies between the two in the middle', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });
});

describe('a result', () => {
  it('has its ratios filled in, and null where there is nothing to compare with', () => {
    const measured = { name: 'x', ours: 30, unit: 'ms', goal: 'g', met: true };
    expect(result({ ...measured, peer: { name: 'p', value: 20 } })).toMatchObject({
      ratioToPeer: 1.5,
      limit: null,
      ratioToLimit: null,
    });
  });
});
