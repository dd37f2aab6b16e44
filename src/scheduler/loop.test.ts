import { describe, expect, it } from 'vitest';
import { ManualClock } from '../time/manual-clock.ts';
import { runLoop, runTogether, stopScopeOf, stopsProgram } from './loop.ts';

const denied = Object.assign(new Error('the role is missing'), { stops: 'program' });
const exhausted = Object.assign(new Error('the quota is used up'), { stops: 'run' });

describe('how far an error reaches', () => {
  it('A16 is said by the error itself, by its cause, or by one of those it gathers', () => {
    expect(stopScopeOf(denied)).toBe('program');
    expect(stopScopeOf(new Error('outer', { cause: exhausted }))).toBe('run');
    expect(stopScopeOf(new AggregateError([exhausted, new Error('x', { cause: denied })]))).toBe('program');
    expect(stopScopeOf(new Error('any other'))).toBeNull();
    expect(stopScopeOf('not an error')).toBeNull();
    expect(stopsProgram(exhausted)).toBe(false);
  });
});

describe('what goes on without end', () => {
  function room() {
    const clock = new ManualClock();
    const told: (readonly [number, number, string])[] = [];
    const events = {
      loopFailed: (event: { failures: number; waitMs: number; detail: string }) =>
        void told.push([event.failures, event.waitMs, event.detail]),
    };
    return { clock, told, parts: { pipeline: 'p', loop: 'test', clock, events } };
  }

  it('a failing turn is told and taken again, later each time, at most after a minute, and forgotten once it works', async () => {
    const { clock, told, parts } = room();
    const stop = new AbortController();
    let turns = 0;
    const loop = runLoop(
      async () => {
        turns += 1;
        if (turns <= 9 || turns === 11) throw new Error(`turn ${turns}`);
        await clock.sleep(1000, stop.signal).catch(() => {});
        return 'again';
      },
      parts,
      stop.signal,
    );
    await clock.advance(10 * 60_000);
    stop.abort();
    await loop;
    expect(told.map(([failures, waitMs]) => [failures, waitMs / 1000])).toEqual([
      [1, 1],
      [2, 2],
      [3, 4],
      [4, 8],
      [5, 16],
      [6, 32],
      [7, 60],
      [8, 60],
      [9, 60],
      [1, 1],
    ]);
    expect(told[0]?.[2]).toBe('turn 1');
    expect(clock.sleeping).toBe(0);
  });

  it('A16 only what stops the program ends it', async () => {
    const { clock, told, parts } = room();
    let turns = 0;
    const loop = runLoop(
      async () => {
        turns += 1;
        throw turns === 1 ? exhausted : denied;
      },
      parts,
      new AbortController().signal,
    );
    loop.catch(() => {});
    await clock.advance(5000);
    await expect(loop).rejects.toBe(denied);
    expect(told).toEqual([[1, 1000, 'the quota is used up']]);
  });

  it('ends at once when it is stopped while it waits', async () => {
    const { clock, parts } = room();
    const stop = new AbortController();
    const loop = runLoop(
      async () => {
        throw new Error('away');
      },
      parts,
      stop.signal,
    );
    await clock.advance(0);
    stop.abort();
    await loop;
  });

  it('A16 when one of several stops the program the others end first, and its error is the answer', async () => {
    const { clock } = room();
    const ended: string[] = [];
    const going = runTogether(
      [
        async (signal) => {
          await clock.sleep(60_000, signal).catch(() => {});
          ended.push('the other');
        },
        async () => {
          throw denied;
        },
      ],
      new AbortController().signal,
    );
    await expect(going).rejects.toBe(denied);
    expect(ended).toEqual(['the other']);
  });
});
