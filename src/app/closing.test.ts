import { describe, expect, it } from 'vitest';
import { Closing } from './closing.ts';

describe('Closing', () => {
  it('closes in the opposite order, all of them, and tells which failed', async () => {
    const closing = new Closing();
    const order: string[] = [];
    const part = (name: string, fails = false) =>
      closing.add(name, {
        async [Symbol.asyncDispose]() {
          order.push(name);
          if (fails) throw new Error('stuck');
        },
      });
    part('first');
    part('second', true);
    part('third');
    await expect(closing[Symbol.asyncDispose]()).rejects.toThrow('second did not close');
    expect(order).toEqual(['third', 'second', 'first']);
    await closing[Symbol.asyncDispose]();
    expect(order).toHaveLength(3);
  });
});
