import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadConfig, parseConfig } from './config.ts';
import { formatProblem } from './problems.ts';
import { sampleConfig } from './sample.ts';

const FOLDER = new URL('../../recipes/', import.meta.url);
const RECIPES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

/** Environment variables that a recipe needs. */
function environmentFor(text: string): Record<string, string> {
  const names = [...text.matchAll(/\{ env: ([A-Z_]+) \}/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, `value-of-${name}`]));
}

describe('recipes', () => {
  it('X11 there is one for each kind of newsroom, and the sample', () => {
    expect(RECIPES.toSorted()).toEqual([
      'curator.yaml',
      'reader.yaml',
      'sample.yaml',
      'stories.yaml',
      'summary-bot.yaml',
      'timeline.yaml',
      'videos.yaml',
    ]);
  });

  it.each(RECIPES)('X11 %s passes the check', (name) => {
    const path = new URL(name, FOLDER).pathname;
    const loaded = loadConfig(path, environmentFor(readFileSync(path, 'utf8')));
    expect(loaded.ok ? [] : loaded.problems.map(formatProblem)).toEqual([]);
  });

  it.each(RECIPES)(
    'X11 %s also passes with everything that it keeps behind a # at the start of a key',
    (name) => {
      // Uncomment the alternatives that the recipe offers.
      const text = readFileSync(new URL(name, FOLDER), 'utf8');
      const keys = [...text.matchAll(/^ *# ((?:key|engine|pipelines):.*)$/gm)];
      const open = text.replaceAll(
        /^( *)# ( *)((?:key|engine|kind|project|redis|nodes|cluster|password|pipelines|morning|folders|schedule|time_zone|interests|- topic|aliases|publish):.*)$/gm,
        '$1$2$3',
      );
      const loaded = parseConfig(open, new URL(name, FOLDER).pathname, environmentFor(open));
      expect(loaded.ok ? [] : loaded.problems.map(formatProblem)).toEqual([]);
      expect(open === text).toBe(keys.length === 0);
    },
  );
});

describe('the sample', () => {
  const addresses = {
    feeds: 'http://127.0.0.1:4001/',
    discord: 'http://127.0.0.1:4002',
    mastodon: 'http://127.0.0.1:4003',
    youtube: 'http://127.0.0.1:4004',
    hackernews: 'http://127.0.0.1:4005',
    gemini: 'http://127.0.0.1:4006',
    openai: 'http://127.0.0.1:4007',
  };

  it('X10 has the simulator’s real addresses, and no placeholder is left', () => {
    const sample = sampleConfig(addresses, {
      SAMPLE_DISCORD_WEBHOOK: 'http://127.0.0.1:4002/hook',
      SAMPLE_MASTODON_TOKEN: 'token',
    });
    expect(sample.text).not.toMatch(/https?:\/\/\w+\.sim\b/);
    const loaded = parseConfig(sample.text, '/srv/sample.yaml', sample.env);
    if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join('\n'));
    const { config } = loaded;
    expect(config.sources['byte-herald']).toMatchObject({
      url: 'http://127.0.0.1:4001/byte-herald/feed.xml',
    });
    expect(config.network.allow).toContain('127.0.0.1');
    expect(config.pipelines.morning).toMatchObject({
      minArticles: 1,
      schedule: { kind: 'every', ms: 10_000 },
    });
    const { discord } = config.publishers;
    expect(discord?.kind === 'discord-webhook' && discord.url.reveal()).toBe('http://127.0.0.1:4002/hook');
  });
});
