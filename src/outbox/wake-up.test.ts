import { describe, expect, it } from 'vitest';
import { ManualClock } from '../time/manual-clock.ts';
import { WakeUpSignal } from './wake-up.ts';

/** Waits in a loop and records the seconds at which it was woken. */
function waiting(everyMs: number) {
  const clock = new ManualClock();
  const start = clock.now();
  const wakeUp = new WakeUpSignal(clock);
  const stop = new AbortController();
  const woken: number[] = [];
  const loop = (async () => {
    while (!stop.signal.aborted) {
      await wakeUp.wait(everyMs, stop.signal);
      if (!stop.signal.aborted) woken.push((clock.now() - start) / 1000);
    }
  })();
  const end = async (): Promise<readonly number[]> => {
    stop.abort();
    await loop;
    return woken;
  };
  return { clock, wakeUp, end };
}

describe('WakeUpSignal', () => {
  it('wakes at the time that was set, and otherwise at its interval', async () => {
    const { clock, wakeUp, end } = waiting(45_000);
    await clock.advance(10_000);
    wakeUp.wake(clock.now() + 5_000);
    // A later time changes nothing, an earlier one does.
    wakeUp.wake(clock.now() + 30_000);
    await clock.advance(5_000);
    wakeUp.wake();
    await clock.advance(45_000);
    expect(await end()).toEqual([15, 15, 60]);
  });

  it('keeps a time that passed while nothing waited', async () => {
    const clock = new ManualClock();
    const wakeUp = new WakeUpSignal(clock);
    wakeUp.wake(clock.now() + 1_000);
    await clock.advance(2_000);
    await wakeUp.wait(45_000, new AbortController().signal);
  });
});
