import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { cli as run } from '../cli.fixture.ts';

let cwd: string;
let simulator: Simulator;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'kawaraban-doctor-'));
  simulator = await startSimulator({});
  writeConfig();
});
afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
  rmSync(cwd, { recursive: true, force: true });
});

interface Finding {
  readonly what: string;
  readonly state: string;
  readonly detail: string;
}

function writeConfig(): void {
  const { youtube } = simulator.urls;
  const channel = (more: string): string => `base_url: "${youtube}", feed_url: "${youtube}"${more} }`;
  writeFileSync(
    join(cwd, 'kawaraban.yaml'),
    `
network: { allow: ["127.0.0.1"], host_spacing: 0s }
server: { port: 0 }
sources:
  by-key: { youtube: "@datatalks", ${channel(', key: { env: YOUTUBE_KEY }')}
  by-feed: { youtube: "@orbitshow", ${channel('')}
  gone: { youtube: "@nosuchchannelhere", ${channel('')}
pipelines:
  good:
    kind: process
    sources: [by-key, by-feed, gone]
    processor: { command: [sh, -c, "true"] }
    publish: [timeline]
  bad:
    kind: process
    sources: [by-feed]
    look_back: 300d
    processor: { command: [no-such-program-here] }
    publish: [timeline]
`,
  );
}

async function doctor(env: NodeJS.ProcessEnv, ...options: string[]): Promise<Record<string, Finding>> {
  const { out } = await run(['doctor', '--json', ...options], { cwd, env });
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  return Object.fromEntries(findings.map((finding) => [finding.what, finding]));
}

describe('X12 doctor on videos', () => {
  it('X12 reads every channel, by key and by feed', async () => {
    const findings = await doctor({ YOUTUBE_KEY: simulator.youtube.key });
    expect(findings['sources.by-key']).toMatchObject({
      state: 'good',
      detail: expect.stringContaining('read'),
    });
    expect(findings['sources.by-feed']).toMatchObject({ state: 'good' });
    expect(findings['sources.gone']).toMatchObject({ state: 'bad' });
  });

  it('X12 reports a missing key, and reads the channel by its feed', async () => {
    const findings = await doctor({});
    expect(findings.Keys).toMatchObject({ state: 'bad', detail: expect.stringContaining('YOUTUBE_KEY') });
    expect(findings['sources.by-key']).toMatchObject({ state: 'good' });
    expect(findings['sources.by-feed']).toMatchObject({ state: 'good' });
  });

  it('R2 X12 reads sources that were added by command, too', async () => {
    const env = { YOUTUBE_KEY: simulator.youtube.key };
    const feed = `${simulator.urls.feeds}/byte-herald/feed.xml`;
    expect((await run(['sources', 'add', feed], { cwd, env })).code).toBe(0);
    expect((await doctor(env))['sources.the-byte-herald']).toMatchObject({ state: 'good' });
    await run(['sources', 'remove', 'the-byte-herald'], { cwd, env });
  });

  it('X12 reports a command that is not there', async () => {
    const findings = await doctor({ YOUTUBE_KEY: simulator.youtube.key }, '--offline');
    expect(findings['Command of good']).toMatchObject({ state: 'good' });
    expect(findings['Command of bad']).toMatchObject({
      state: 'bad',
      detail: 'no-such-program-here is not in PATH',
    });
  });
});

describe('X12 a dry run of videos', () => {
  it('D3 X12 lists each video that would be processed, with its message, and runs no command', async () => {
    const env = { YOUTUBE_KEY: simulator.youtube.key };
    const { out, code } = await run(['run', 'bad', '--dry-run'], { cwd, env });
    expect(code).toBe(0);
    const listed = out.match(/^accepted .* would be sent to timeline$/gm) ?? [];
    expect(listed.length).toBeGreaterThan(0);
    expect(
      out.match(/^Would be sent to timeline:\n {2}\S.*\n(?: {2}.*\n)*? {2}http\S+watch\?v=/gm),
    ).toHaveLength(listed.length);
    const real = await run(['items', '--pipeline', 'bad', '--json'], { cwd, env });
    expect(JSON.parse(real.out)).toMatchObject([{ items: [] }]);
  });
});
