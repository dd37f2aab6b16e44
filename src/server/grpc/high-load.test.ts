import { afterEach, expect, it, vi } from 'vitest';
import { HighLoad } from './high-load.ts';

afterEach(() => vi.useRealTimers());

function load(isSmall: boolean) {
  vi.useFakeTimers();
  let now = 10_000;
  const switched: string[] = [];
  const highLoad = new HighLoad(
    { monotonic: () => now },
    {
      grow: () => {
        switched.push('grow');
        return isSmall;
      },
      keepSmall: () => void switched.push('small'),
    },
  );
  const call = (times: number, everyMs: number): void => {
    for (let n = 0; n < times; n++) {
      now += everyMs;
      highLoad.called();
    }
  };
  return { switched, call };
}

it('lets the heap grow while very many calls come in, and keeps it small again afterwards', () => {
  const { switched, call } = load(true);
  call(1000, 10);
  expect(switched).toEqual([]);
  call(1000, 1);
  expect(switched).toEqual(['grow']);
  vi.advanceTimersByTime(4000);
  call(1000, 1);
  vi.advanceTimersByTime(4000);
  expect(switched).toEqual(['grow']);
  vi.advanceTimersByTime(1000);
  expect(switched).toEqual(['grow', 'small']);
});

it('leaves a heap alone that may grow anyway', () => {
  const { switched, call } = load(false);
  call(1000, 1);
  vi.advanceTimersByTime(10_000);
  expect(switched).not.toContain('small');
});
