import { performance } from 'node:perf_hooks';
import v8 from 'node:v8';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limitHeapAfterStart } from './heap-mode.ts';

describe('memory of a program that is idle after its start', () => {
  let utilization = 0;
  let flags: string[] = [];

  beforeEach(() => {
    flags = [];
    vi.spyOn(v8, 'setFlagsFromString').mockImplementation((flag) => void flags.push(flag));
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval'] });
    vi.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => ({
      utilization,
      idle: 0,
      active: 0,
    }));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('compiles nothing to machine code while it starts and is idle', () => {
    utilization = 0.05;
    limitHeapAfterStart();
    expect(flags).toEqual(['--no-opt', '--no-maglev', '--no-sparkplug']);
    vi.advanceTimersByTime(10 * 60_000);
    expect(flags).toContain('--optimize-for-size');
    expect(flags).not.toContain('--opt');
  });

  it('compiles from the first busy seconds on, once', () => {
    utilization = 0.05;
    limitHeapAfterStart();
    vi.advanceTimersByTime(60_000);
    utilization = 0.2;
    vi.advanceTimersByTime(10_000);
    expect(flags.slice(-3)).toEqual(['--opt', '--maglev', '--sparkplug']);
    vi.advanceTimersByTime(60_000);
    expect(flags.filter((flag) => flag === '--opt')).toHaveLength(1);
  });
});
