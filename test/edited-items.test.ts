import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MadeFeed } from '../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { MINUTE } from '../src/time/duration.ts';
import {
  newsroomConfig,
  newsroomText,
  publishNews,
  quickReader,
  secretsOf,
} from './crash/newsroom-config.ts';
import { skewedClock } from './crash/skewed-clock.ts';

/** A newsroom of one summary bot on the simulated internet, and a feed whose articles can be edited. */
describe('items that are edited at their source', { timeout: 240_000 }, () => {
  let simulator: Simulator;
  let folder: string;
  let feed: MadeFeed;
  let later = 0;
  const clock = skewedClock(() => later);
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-edits-'));
    simulator = await startSimulator({ clock, discord: { limits: false } });
    feed = publishNews(simulator, 'edits', 2);
  });
  afterEach(async () => {
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** One start of the program, a minute later than the one before. */
  async function run(updateEdited = true): Promise<void> {
    later += MINUTE;
    const options = { kind: 'summarise', destination: 'webhook', feed: feed.url, updateEdited } as const;
    const config = newsroomConfig(newsroomText(options, simulator), folder, secretsOf(simulator));
    const app: App = await openApp(config, {
      telemetry: silentTelemetry,
      version: '0',
      clock,
      interpose: (infrastructure) => ({ ...infrastructure, reader: quickReader }),
    });
    try {
      for (const pipeline of app.pipelines.values()) await pipeline.run(new AbortController().signal);
    } finally {
      await app[Symbol.asyncDispose]();
    }
  }

  const titles = (): (string | undefined)[] =>
    simulator.discord.messages().flatMap(({ embeds }) => embeds.map(({ title }) => title));
  const ofParts = (suffix = ''): string[] =>
    [2, 1].map((n) => `TypeScript compiler, part ${n} of edits${suffix}`);

  it('X19 are the same items: their messages are edited, back and forth, and nothing is sent again', async () => {
    await run();
    expect(titles()).toEqual(ofParts());
    const ids = simulator.discord.messages().map(({ id }) => id);
    feed.retitle((title) => `${title}: corrected @everyone`);
    await run();
    // Mentioned users are not notified.
    expect(titles()).toEqual(ofParts(': corrected @\u2060everyone'));
    expect(simulator.discord.messages().every(({ mention_everyone }) => !mention_everyone)).toBe(true);
    feed.retitle((title) => title.replace(/: corrected.*/, ''));
    await run();
    expect(titles()).toEqual(ofParts());
    expect(simulator.discord.messages().map(({ id }) => id)).toEqual(ids);
  });

  it('X2 X19 a message that a moderator deleted stays deleted, whatever is edited', async () => {
    await run();
    const [first] = simulator.discord.messages();
    await fetch(`${simulator.discord.webhookUrl}/messages/${first?.id}`, { method: 'DELETE' });
    for (const suffix of [' (1)', ' (2)']) {
      feed.retitle((title) => `${title}${suffix}`);
      await run();
    }
    expect(titles()).toEqual([ofParts(' (1) (2)')[1]]);
  });

  it('X18 an edit that fails is retried', async () => {
    await run();
    feed.retitle((title) => `${title}!`);
    simulator.injectFault({
      service: 'discord',
      how: 'status',
      status: 503,
      match: { method: 'PATCH' },
      times: 1,
    });
    await run();
    expect(titles()).not.toEqual(ofParts('!'));
    feed.publish({
      title: 'TypeScript compiler, another',
      text: ['The TypeScript compiler got faster again.'],
    });
    await run();
    expect(titles()).toEqual([...ofParts('!'), 'TypeScript compiler, another']);
  });

  it('X19 leave their messages unchanged where edits are not configured', async () => {
    await run(false);
    feed.retitle((title) => `${title}!`);
    await run(false);
    expect(titles()).toEqual(ofParts());
  });
});
