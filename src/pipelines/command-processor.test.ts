import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Item, ItemKey } from '../item/item.ts';
import { systemClock } from '../time/clock.ts';
import { commandProcessor } from './command-processor.ts';

const video: Item = {
  key: 'https://www.youtube.com/watch?v=abc' as ItemKey,
  url: 'https://www.youtube.com/watch?v=abc',
  title: 'A "video"; $(reboot)',
  publishedAt: 0,
  sourceId: 's',
  sourceName: 'S',
  video: { videoId: 'abc', channelId: 'UC1', channelTitle: 'Channel' },
  state: 'waiting',
  reason: 'none',
  detail: null,
  attempts: 1,
  dueAt: null,
  createdAt: 0,
  checkedAt: 0,
  verdict: null,
};

/** A killed process that was not reaped yet is still listed, as a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('the command processor', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-command-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (command: string[], timeoutMs = 20_000, signal = new AbortController().signal) =>
    commandProcessor({
      command,
      folder,
      timeoutMs,
      keepOutput: 1000,
      killAfterMs: 300,
      clock: systemClock,
    }).process(video, signal);

  it('D11 gets the video as JSON on standard input and in the environment, without a shell', async () => {
    expect(await run(['sh', '-c', 'cat > input.json; printf "%s" "$KAWARABAN_VIDEO_TITLE"'])).toMatchObject({
      outcome: 'done',
      output: 'A "video"; $(reboot)',
    });
    expect(JSON.parse(readFileSync(join(folder, 'input.json'), 'utf8'))).toMatchObject({
      videoId: 'abc',
      channelId: 'UC1',
      channelTitle: 'Channel',
      title: video.title,
      publishedAt: '1970-01-01T00:00:00.000Z',
      attempts: 1,
    });
  });

  it.each([
    [0, { outcome: 'done' }],
    [75, { outcome: 'later', detail: 'exit code 75: try later' }],
    [3, { outcome: 'failed', detail: 'exit code 3: bad codec' }],
  ])('D11 exit code %i decides', async (code, expected) => {
    expect(await run(['sh', '-c', `echo bad codec >&2; exit ${code}`])).toMatchObject(expected);
  });

  it('D11 a command that does not exist is a clear failure', async () => {
    expect(await run(['no-such-command-here'])).toMatchObject({
      outcome: 'failed',
      detail: 'the command no-such-command-here or its folder does not exist',
    });
  });

  it('D11 a gigabyte of output is truncated to a kilobyte', { timeout: 240_000 }, async () => {
    // More than the maximum length of a string.
    const command = ['sh', '-c', 'head -c 1000000000 /dev/zero | tr "\\0" x; echo end'];
    const result = await run(command, 240_000);
    expect(result).toMatchObject({ outcome: 'done' });
    const output = 'output' in result ? result.output : '';
    expect(output.length).toBeLessThan(1100);
    expect(output).toMatch(/bytes left out …\n[\s\S]*end\n$/);
  });

  it('D11 the time limit ends the whole group, even one that ignores TERM', async () => {
    const result = await run(
      ['sh', '-c', 'trap "" TERM; sleep 60 & echo $! > child.pid; wait; sleep 60'],
      200,
    );
    expect(result).toMatchObject({ outcome: 'failed', detail: 'it took longer than 200 ms and was ended' });
    const child = Number(readFileSync(join(folder, 'child.pid'), 'utf8'));
    // Orphaned: init has to reap it.
    await expect.poll(() => isRunning(child)).toBe(false);
  });

  it('D11 stopping the program kills the command and leaves the video unchanged', async () => {
    const stop = new AbortController();
    const running = run(['sleep', '60'], 20_000, stop.signal);
    stop.abort();
    expect(await running).toEqual({ outcome: 'stopped' });
  });
});
