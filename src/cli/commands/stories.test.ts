import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { type CliOutput, cli as run } from '../cli.fixture.ts';

let cwd: string;
let simulator: Simulator;
const config = (stories: string): void =>
  writeFileSync(
    join(cwd, 'kawaraban.yaml'),
    `network: { allow: ["127.0.0.1"] }\ntimelines: {}\nstories: ${stories}\n`,
  );

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'kawaraban-cli-stories-'));
  simulator = await startSimulator({});
});
afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(cwd, { recursive: true, force: true });
});
const cli = (...args: string[]): Promise<CliOutput> => run(args, { cwd });

describe('stories from the command line', { timeout: 240_000 }, () => {
  it('X12 say how to enable them if they are disabled', async () => {
    config('{ enabled: false }');
    const result = await cli('stories', 'list', 'Day');
    expect(result.code).toBe(2);
    expect(result.err).toContain('stories: { enabled: true }');
  });

  it('X12 sync, list, backfill, status and clear-cache, for people and for programs', async () => {
    config(`{ enabled: true, base_url: "${simulator.urls.hackernews}/v0" }`);
    expect((await cli('stories', 'list', 'day')).out).toContain('There are no stories yet.');
    const synced = await cli('stories', 'sync');
    expect(synced.code, synced.err).toBe(0);
    expect(synced.out).toMatch(/^hackernews: \d{3,} new stories, 0 refreshed, 0 removed/);
    const listed = await cli('stories', 'list', 'Week', '--limit', '7', '--json');
    const body = JSON.parse(listed.out) as { timespan: string; stories: { title: string; score: number }[] };
    expect(body.timespan).toBe('Week');
    expect(body.stories).toHaveLength(7);
    const table = await cli('stories', 'list', 'week', '-n', '3');
    expect(table.out.split('\n').filter((line) => line !== '')).toHaveLength(4);
    expect(table.out).toContain(String(body.stories[0]?.score));
    const to = simulator.hackernews.maxItem(Date.now()) - 9000;
    const filled = await cli('stories', 'backfill', String(to - 250), String(to));
    expect(filled.code, filled.err).toBe(0);
    expect(filled.out).toMatch(new RegExp(`\\d+ stories added, up to ID ${to}\\.`));
    const status = await cli('status');
    expect(status.out).toMatch(/Hacker News .* added/);
    const report = JSON.parse((await cli('status', '--json')).out) as {
      stories: { today: { requests: number } }[];
    };
    expect(report.stories[0]?.today.requests).toBe(3);
    expect((await cli('stories', 'clear-cache')).code).toBe(0);
  });

  it('X12 says why a backfill stopped, and continues from there', async () => {
    config(`{ enabled: true, base_url: "${simulator.urls.hackernews}/v0" }`);
    const to = simulator.hackernews.maxItem(Date.now()) - 20_000;
    const path = `/item/${to}.json`;
    simulator.injectFault({
      service: 'hackernews',
      how: 'status',
      status: 500,
      match: { path },
      times: 'always',
    });
    const stopped = await cli('stories', 'backfill', String(to - 50), String(to));
    simulator.clearFaults();
    expect(stopped.code).toBe(1);
    expect(stopped.err).toContain('1 item could not be fetched: server_error: status 500');
    expect(stopped.err).toContain('The same command continues from there.');
    expect((await cli('stories', 'backfill', String(to - 50), String(to))).code).toBe(0);
  });

  it.each([
    [['list', 'Moon'], 'choose one of Day, Week, Month, Year, All'],
    [['list', 'Day', '--limit', '501'], '--limit must be a whole number from 1 to 500'],
    [['list', 'Day', '--skip', 'x'], '--skip must be a whole number from 0 to 10000'],
    [['list', 'Day', '--set', 'evening'], 'there are hackernews'],
    [['backfill', '9', '3'], '<to> must be a whole number of at least 9'],
    [['backfill', '-1', '3'], ''],
    [['backfill', 'a', '3'], '<from> must be a whole number of at least 1'],
  ])('X12 %j is refused with the accepted values', async (args, sentence) => {
    config(`{ enabled: true, base_url: "${simulator.urls.hackernews}/v0" }`);
    const result = await cli('stories', ...args);
    expect(result.code).toBe(2);
    expect(result.err).toContain(sentence);
  });

  it('X12 a sync that reaches no server exits with 1 and the reason', async () => {
    config('{ enabled: true, base_url: "http://127.0.0.1:9/v0" }');
    const result = await cli('stories', 'sync');
    expect(result.code).toBe(1);
    expect(result.out).toContain('Failed:');
  });
});
