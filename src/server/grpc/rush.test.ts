import { afterEach, expect, it, vi } from 'vitest';
import { Rush } from './rush.ts';

afterEach(() => vi.useRealTimers());

it('lets the heap grow while very many calls come in, and keeps it small again afterwards', () => {
  vi.useFakeTimers();
  let now = 10_000;
  const flags: string[] = [];
  const rush = new Rush({ monotonic: () => now }, (flag) => flags.push(flag));
  const call = (times: number, everyMs: number): void => {
    for (let n = 0; n < times; n++) {
      now += everyMs;
      rush.called();
    }
  };
  call(1000, 10);
  expect(flags).toEqual([]);
  call(1000, 1);
  expect(flags).toEqual(['--no-optimize-for-size', '--semi-space-growth-factor=2']);
  vi.advanceTimersByTime(4000);
  call(1000, 1);
  vi.advanceTimersByTime(4000);
  expect(flags).toHaveLength(2);
  vi.advanceTimersByTime(1000);
  expect(flags.slice(2)).toEqual(['--optimize-for-size', '--semi-space-growth-factor=1']);
});
