import { describe, expect, it } from 'vitest';
import { afterOthers } from './after-others.ts';

describe('a run', () => {
  it('X21 catches up when it is the first of its process, or follows another’s', async () => {
    const caughtUp: number[] = [];
    let now = 0;
    const begin = afterOthers(async () => void caughtUp.push(now));
    for (const id of [7, 8, 9, 12, 13]) {
      now = id;
      await begin({ id });
    }
    expect(caughtUp).toEqual([7, 12]);
  });

  it('X21 does not begin where catching up fails, and the next one tries again', async () => {
    let tries = 0;
    const begin = afterOthers(async () => {
      tries += 1;
      throw new Error('the store is away');
    });
    await expect(begin({ id: 1 })).rejects.toThrow('the store is away');
    await expect(begin({ id: 2 })).rejects.toThrow('the store is away');
    expect(tries).toBe(2);
  });
});
