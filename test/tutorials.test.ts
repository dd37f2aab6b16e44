import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { parseConfig } from '../src/config/config.ts';
import { requires } from './requirements.ts';
import { TutorialRun } from './tutorial-run.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const TUTORIALS = ['reader', 'curator', 'summary-bot', 'videos', 'timeline', 'stories'] as const;
/** The tutorial on timelines uses nothing from the internet: it has a test of its own. */
const SIMULATED = TUTORIALS.filter((name) => name !== 'timeline');
const textOf = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../docs/tutorials', `${name}.md`), 'utf8');

requires('curl')('the tutorials on the simulator, command by command as their readers type them', () => {
  it.each(SIMULATED)('R20 X10 X11 X12 %s: every command works and prints what is shown', async (name) => {
    await using run = await TutorialRun.open(textOf(name), 'shown');
    await run.readUntil(null);
    const posted = (await (await fetch(run.addressOf('http://127.0.0.1:8090/__sim/counts'))).json()) as {
      readonly discord: { readonly messages: number };
      readonly mastodon: { readonly statuses: number };
    };
    // The test message, and at least the one of the run.
    if (name === 'curator') expect(posted.discord.messages).toBeGreaterThanOrEqual(2);
    if (name === 'summary-bot') expect(posted.mastodon.statuses).toBeGreaterThanOrEqual(2);
    await run.stopAll();
  });
});

describe('the tutorials', () => {
  it.each(TUTORIALS)('X11 %s: its pieces of configuration fit into one', (name) => {
    const pieces = [...textOf(name).matchAll(/^```yaml\n(.*?)^```/gms)].map(([, yaml = '']) => yaml);
    for (const piece of pieces) {
      const value = parse(piece) as Record<string, unknown>;
      const whole = wholeOf(value);
      const loaded = parseConfig(JSON.stringify(whole), 'kawaraban.yaml', {}, { secrets: 'ignore' });
      expect(loaded.ok ? [] : loaded.problems, piece).toEqual([]);
    }
    expect(parseAllDocuments(pieces.join('\n---\n')).flatMap(({ errors }) => errors)).toEqual([]);
  });
});

requires('buf', 'curl')('the tutorial of timelines, command by command as its reader types them', () => {
  let run: TutorialRun;
  beforeAll(async () => {
    run = await TutorialRun.open(textOf('timeline'), 'all');
  });
  afterAll(() => run[Symbol.asyncDispose]());

  let embedded: Promise<void> | null = null;
  /** The second part continues from the state of the first one. */
  const firstPart = (): Promise<void> => {
    embedded ??= run.readUntil('6. Two replicas on Redis').then(() => run.stopAll());
    return embedded;
  };

  it('C4 C5 C6 C13 C20 X10 X12 home is read by HTTP, gRPC and a stream on the embedded engine, and prints what is shown', async () => {
    await firstPart();
  });

  requires('redis-server')('on Redis', () => {
    it('C4 C5 C21 C23 X12 two replicas accept one token, and what is posted to one is shown by the other', async () => {
      await firstPart();
      await run.readUntil(null);
      await expect.poll(() => run.lastStreamEnded, { timeout: 60_000 }).toBe(true);
      await run.stopAll();
    });
  });
});

/** A newsroom around a piece of one. */
function wholeOf(piece: Record<string, unknown>): object {
  if ('processor' in piece)
    return {
      sources: { a: { youtube: '@datatalks' } },
      pipelines: { videos: { kind: 'process', sources: ['a'], ...piece } },
    };
  return {
    sources: { a: { feed: 'https://example.org/feed.xml' } },
    pipelines: { m: { kind: 'curate', sources: ['a'], interests: [{ topic: 'databases' }] } },
    ...piece,
  };
}
