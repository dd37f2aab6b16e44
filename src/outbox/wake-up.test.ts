import { describe, expect, it } from 'vitest';
import { openMemoryLedger } from '../storage/memory/ledger.ts';
import { ManualClock } from '../time/manual-clock.ts';
import { WakeUpSignal, withWakeUp } from './wake-up.ts';

/** Waits over and over, and says at which seconds it was woken. */
function waiting(everyMs: number) {
  const clock = new ManualClock();
  const start = clock.now();
  const bell = new WakeUpSignal(clock);
  const stop = new AbortController();
  const woken: number[] = [];
  const loop = (async () => {
    while (!stop.signal.aborted) {
      await bell.wait(everyMs, stop.signal);
      if (!stop.signal.aborted) woken.push((clock.now() - start) / 1000);
    }
  })();
  const end = async (): Promise<readonly number[]> => {
    stop.abort();
    await loop;
    return woken;
  };
  return { clock, bell, end };
}

describe('the bell of the press', () => {
  it('wakes at the time it was rung for, and otherwise once in a while', async () => {
    const { clock, bell, end } = waiting(45_000);
    await clock.advance(10_000);
    bell.wake(clock.now() + 5_000);
    // A later time changes nothing, an earlier one does.
    bell.wake(clock.now() + 30_000);
    await clock.advance(5_000);
    bell.wake();
    await clock.advance(45_000);
    expect(await end()).toEqual([15, 15, 60]);
  });

  it('a time that passed while nobody waited is not forgotten', async () => {
    const clock = new ManualClock();
    const bell = new WakeUpSignal(clock);
    bell.wake(clock.now() + 1_000);
    await clock.advance(2_000);
    await bell.wait(45_000, new AbortController().signal);
  });

  it('X18 rings for what is to be tried again, and for what a person wants again', async () => {
    const clock = new ManualClock();
    const rung: (number | undefined)[] = [];
    const memory = openMemoryLedger({ clock, policy: { retryLimit: 1, backoff: () => 1 } });
    const outbox = withWakeUp(memory.outbox, { wake: (at?: number) => void rung.push(at) } as WakeUpSignal);
    await memory.outbox.enqueue([
      { key: 'a', itemKeys: [], destination: 'd', body: '' },
      { key: 'b', itemKeys: [], destination: 'd', body: '' },
    ]);
    const take = async () => (await outbox.claimNext('d', 'w', 1000)) ?? expect.unreachable();
    const dueAt = clock.now();
    await outbox.finish(await take(), { state: 'intended', detail: 'later', dueAt });
    await outbox.finishAndClaimNext(await take(), { state: 'sent', remoteId: '1' }, 1000);
    expect(rung).toEqual([dueAt]);
    await clock.advance(1000);
    await outbox.finish(await take(), { state: 'parked', detail: 'unknown' });
    expect(rung).toEqual([dueAt]);
    await outbox.decide('b', 'again', 'me');
    expect(rung).toEqual([dueAt, undefined]);
  });
});
