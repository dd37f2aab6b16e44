import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ProcessRunner } from './process-run.ts';

/** Long enough for a living worker to renew it on any machine. */
const LEASE = 30_000;
/** For the test in which a living worker outlasts its lease in real time: it renews three times within it. */
const SHORT_LEASE = 8000;
/** Longer than any of these tests may take on a slow machine. */
const POLL = { timeout: 150_000, interval: 50 };

describe('workers in processes of their own', { timeout: 240_000 }, () => {
  let runner: ProcessRunner;
  async function set(lease: number): Promise<void> {
    // The first video blocks until it is released or its folder is removed; each start of the command is recorded.
    const script = `cd "$1"; cat > /dev/null; echo $$ >> started
      if mkdir hanging 2> /dev/null; then for i in $(seq 1200); do test -e let-go -o ! -e started && exit 0; sleep 0.1; done; fi`;
    runner = await ProcessRunner.open((folder) => ({
      kind: 'process',
      destination: 'mastodon',
      lease: `${lease / 1000}s`,
      command: ['/bin/sh', '-c', script, 'sh', folder],
    }));
  }
  afterEach(async () => {
    await runner[Symbol.asyncDispose]();
  });

  function started(): number[] {
    const file = join(runner.folder, 'started');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
  }
  const statusCount = (): number => runner.simulator.mastodon.statuses().length;

  it('X21 D8 a worker that is killed while it processes is replaced after its lease expired', async () => {
    await set(LEASE);
    const first = runner.start({ rounds: [] });
    await expect.poll(() => started().length, POLL).toBe(1);
    first.child.kill('SIGKILL');
    await first.ended;
    // A second before its lease expires; nothing else is leased.
    runner.time.move(LEASE - 1000);

    const second = runner.start({ rounds: [] });
    await expect.poll(() => started().length, POLL).toBeGreaterThan(1);
    const videos = await videosIn(runner);
    await expect.poll(statusCount, POLL).toBe(videos);
    second.child.kill('SIGTERM');
    expect(await second.ended).toMatchObject({ code: 0 });
    // One start for each video, and one more for the one whose worker died.
    expect(started()).toHaveLength(videos + 1);
    expect(await runner.findings()).toMatchObject({ twice: [], lost: [], odd: [], items: videos });
  });

  it('D8 a slow but living worker renews the claim on its video beyond the first lease', async () => {
    await set(SHORT_LEASE);
    const slow = runner.start({ rounds: [] });
    await expect.poll(() => started().length, POLL).toBe(1);
    const other = runner.start({ rounds: [] });
    const videos = await videosIn(runner);
    // The other worker processes all other videos, and cannot claim this one when the first lease ends.
    await expect.poll(() => started().length, POLL).toBe(videos);
    await new Promise((resolve) => setTimeout(resolve, 1.25 * SHORT_LEASE));
    runner.write('let-go');
    await expect.poll(statusCount, POLL).toBe(videos);
    expect(started()).toHaveLength(videos);
    for (const { child, ended } of [slow, other]) {
      child.kill('SIGTERM');
      expect(await ended).toMatchObject({ code: 0 });
    }
    expect(await runner.findings()).toMatchObject({ twice: [], lost: [], odd: [], items: videos });
  });
});

async function videosIn(runner: ProcessRunner): Promise<number> {
  return (await runner.findings()).items;
}
