import { afterEach, expect, it, vi } from 'vitest';
import { silentLogger } from '../../telemetry/logger.ts';
import { HeapLoadSwitch } from './observe.ts';

afterEach(() => vi.useRealTimers());

function load(isSmall: boolean) {
  vi.useFakeTimers();
  let now = 10_000;
  const switched: string[] = [];
  const highLoad = new HeapLoadSwitch(
    { clock: { monotonic: () => now }, log: silentLogger },
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
      highLoad.recordCall();
    }
  };
  return { switched, call };
}

it('raises the heap limit under high load, and lowers it afterwards', () => {
  const { switched, call } = load(true);
  call(1000, 10);
  expect(switched).toEqual([]);
  call(1000, 1);
  expect(switched).toEqual(['grow']);
  vi.advanceTimersByTime(50_000);
  call(1000, 1);
  vi.advanceTimersByTime(50_000);
  expect(switched).toEqual(['grow']);
  vi.advanceTimersByTime(10_000);
  expect(switched).toEqual(['grow', 'small']);
});

it('leaves an unlimited heap unchanged', () => {
  const { switched, call } = load(false);
  call(1000, 1);
  vi.advanceTimersByTime(10_000);
  expect(switched).not.toContain('small');
});
