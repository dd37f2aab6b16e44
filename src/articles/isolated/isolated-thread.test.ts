import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../time/clock.ts';
import { ManualClock } from '../../time/manual-clock.ts';
import { IsolatedThread } from './isolated-thread.ts';

const WORK = new URL('../testing/isolated-work.ts', import.meta.url);
const FINE = { outcome: 'done', value: { size: 7, environment: 0 } };

describe('IsolatedThread', () => {
  let thread: IsolatedThread;
  beforeEach(() => {
    thread = new IsolatedThread({ clock: systemClock, memoryMb: 64 });
  });
  afterEach(() => thread[Symbol.asyncDispose]());

  const run = (does: string, limitMs = 120_000, signal?: AbortSignal) =>
    thread.run(WORK, { does, size: 7 }, limitMs, signal);

  it('X6 starts at the first task, without access to the environment', async () => {
    expect(thread.running).toBe(false);
    expect(await run('answer')).toEqual(FINE);
    expect(thread.running).toBe(true);
  });

  it.each([
    ['throw', 'crashed'],
    ['overflow', 'crashed'],
    ['heap', 'crashed'],
    ['buffers', 'crashed'],
    ['exit', 'crashed'],
  ])('X6 survives a task that does %s, and runs the next one', async (does, outcome) => {
    const [bad, next] = await Promise.all([run(does), run('answer')]);
    expect(bad).toMatchObject({ outcome });
    expect(JSON.stringify(bad)).not.toContain('secret');
    expect(next).toEqual(FINE);
  });

  it.each(['loop', 'wait'])(
    'X6 kills a task that would %s for ever, and the next one is done',
    async (does) => {
      const [bad, next] = await Promise.all([run(does, 300), run('answer')]);
      expect(bad).toEqual({ outcome: 'timeout' });
      expect(next).toEqual(FINE);
    },
  );

  it('X6 ends a task whose caller aborts', async () => {
    const giveUp = new AbortController();
    const loop = run('loop', 10_000, giveUp.signal);
    const next = run('answer');
    setImmediate(() => giveUp.abort(new Error('enough')));
    await expect(loop).rejects.toThrow('enough');
    expect(await next).toEqual(FINE);
  });

  it('X6 there is no thread while idle', async () => {
    const clock = new ManualClock();
    const thread = new IsolatedThread({ clock, idleMs: 1000 });
    expect(await thread.run(WORK, { does: 'answer', size: 7 }, 60_000)).toEqual(FINE);
    await clock.advance(999);
    expect(thread.running).toBe(true);
    expect(await thread.run(WORK, { does: 'answer', size: 7 }, 60_000)).toEqual(FINE);
    await clock.advance(999);
    expect(thread.running).toBe(true);
    await clock.advance(1);
    expect(thread.running).toBe(false);
    expect(await thread.run(WORK, { does: 'answer', size: 7 }, 60_000)).toEqual(FINE);
    await thread[Symbol.asyncDispose]();
    expect(await thread.run(WORK, { does: 'answer', size: 7 }, 60_000)).toMatchObject({
      outcome: 'crashed',
    });
  });
});
