import { describe, expect, it } from 'vitest';
import { ManualClock } from '../time/manual-clock.ts';
import { runLoop, runTogether, stopScopeOf, stopsProgram } from './loop.ts';

const denied = Object.assign(new Error('the role is missing'), { stops: 'program' });
const exhausted = Object.assign(new Error('the quota is used up'), { stops: 'run' });

describe('the scope of an error', () => {
  it('A16 is declared by the error, its cause, or an aggregated error', () => {
    expect(stopScopeOf(denied)).toBe('program');
    expect(stopScopeOf(new Error('outer', { cause: exhausted }))).toBe('run');
    expect(stopScopeOf(new AggregateError([exhausted, new Error('x', { cause: denied })]))).toBe('program');
    expect(stopScopeOf(new Error('any other'))).toBeNull();
    expect(stopScopeOf('not an error')).toBeNull();
    expect(stopsProgram(exhausted)).toBe(false);
  });
});

describe('background loops', () => {
  function setup() {
    const clock = new ManualClock();
    const reported: (readonly [number, number, string])[] = [];
    const events = {
      loopFailed: (event: { failures: number; waitMs: number; detail: string }) =>
        void reported.push([event.failures, event.waitMs, event.detail]),
    };
    return { clock, reported, parts: { pipeline: 'p', loop: 'test', clock, events } };
  }

  it('a failed iteration is reported and retried with backoff, at most a minute, which is reset on success', async () => {
    const { clock, reported, parts } = setup();
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
    expect(reported.map(([failures, waitMs]) => [failures, waitMs / 1000])).toEqual([
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
    expect(reported[0]?.[2]).toBe('turn 1');
    expect(clock.sleeping).toBe(0);
  });

  it('A16 only an error that stops the program ends it', async () => {
    const { clock, reported, parts } = setup();
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
    expect(reported).toEqual([[1, 1000, 'the quota is used up']]);
  });

  it('ends at once when it is stopped during its backoff', async () => {
    const { clock, parts } = setup();
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

  it('A16 when one of several loops stops the program the others end first, and its error is thrown', async () => {
    const { clock } = setup();
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
