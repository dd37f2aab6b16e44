import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { cli } from '../src/cli/cli.fixture.ts';
import { parseConfig } from '../src/config/config.ts';
import { requires } from './requirements.ts';
import { TutorialRun } from './tutorial-run.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const TUTORIALS = ['curator', 'summary-bot', 'videos', 'timeline', 'stories'] as const;
/** The tutorial on timelines uses nothing from the internet: it has a test of its own. */
const SIMULATED = TUTORIALS.filter((name) => name !== 'timeline');
const textOf = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../docs/tutorials', `${name}.md`), 'utf8');

/** The commands of a tutorial, in their order, as a new user types them. */
function commandsOf(name: string): string[][] {
  return textOf(name)
    .split('\n')
    .filter((line) => line.startsWith('npx kawaraban '))
    .map((line) => line.split(' ').slice(2));
}

/** `start` runs until Ctrl-C and has tests of its own. */
const ends = ([command]: readonly string[]): boolean => command !== 'start';

describe('the tutorials, step by step against the simulator', () => {
  let folder: string;
  let simulator: Simulator;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-tutorial-'));
    simulator = await startSimulator({ discord: { limits: false }, mastodon: { limits: false } });
  });
  afterEach(async () => {
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What a user edits, and the simulator's addresses in place of the real internet. */
  function intoTheSimulator(): void {
    const path = join(folder, 'kawaraban.yaml');
    const { feeds, mastodon, youtube } = simulator.urls;
    const text = readFileSync(path, 'utf8')
      .replace('https://hnrss.org/frontpage', `${feeds}/byte-herald/feed.xml`)
      .replace('https://lobste.rs/rss', `${feeds}/open-ledger/feed.xml`)
      .replace('https://nodejs.org/en/feed/blog.xml', `${feeds}/kawara-tech/feed.xml`)
      .replace('https://www.soumu.go.jp/news.rdf', `${feeds}/shomusho/feed.xml`)
      .replace('https://mastodon.social', mastodon)
      .replace('first_contact: { newer_than: 1d }', 'first_contact: { newest: 6 }')
      .replace('"@GoogleDevelopers"', `"@datatalks"\n    feed_url: ${youtube}`)
      .replace('min_relevance_score: 70', 'min_relevance_score: 40')
      .replace('min_articles: 3', 'min_articles: 1')
      // The tutorial's own alternative without a key.
      .replace('judge: gemini', 'judge: local')
      .replace(/^judges:\n(?: {2}.*\n|\n)+/m, (section) => (section.includes('\n  gemini:') ? '' : section));
    writeFileSync(path, `${text}\nnetwork: { allow: ["127.0.0.1"], host_spacing: 0s }\n`);
    writeFileSync(
      join(folder, '.env'),
      `DISCORD_WEBHOOK_URL=${simulator.discord.webhookUrl}\nMASTODON_TOKEN=${simulator.mastodon.token}\n`,
    );
  }

  const elsewhere = (word: string): string =>
    word === 'https://dev.to/feed' ? `${simulator.urls.feeds}/orbit-weekly/feed.json` : word;

  it.each(SIMULATED)('X10 X11 %s: every command works, in the order of the page', async (name) => {
    const commands = commandsOf(name);
    expect(commands[0]).toEqual(['init', '--recipe', name]);
    expect(commands.some(([command]) => command === 'start')).toBe(true);
    let transcript = '';
    for (const command of commands.filter(ends)) {
      // The local judge's verdict on a feed's own page is irrelevant; an article is tested.
      const words =
        command[0] === 'judge' ? ['judge', 'try', await firstArticle(simulator)] : command.map(elsewhere);
      const result = await cli(words, { cwd: folder });
      transcript += `$ ${command.join(' ')}\n${result.out}`;
      expect(result.code, `${command.join(' ')}\n${result.out}${result.err}`).toBe(0);
      if (command[0] === 'init') intoTheSimulator();
    }
    expect(name !== 'curator' || simulator.discord.messages().length === 2, transcript).toBe(true);
    // The test message, and the one item that a run posts.
    expect(name !== 'summary-bot' || simulator.mastodon.statuses().length === 2, transcript).toBe(true);
  });

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
    run = await TutorialRun.open(textOf('timeline'));
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

async function firstArticle(simulator: Simulator): Promise<string> {
  const feed = await (await fetch(`${simulator.urls.feeds}/byte-herald/feed.xml`)).text();
  const [, link] = /<item>.*?<link>(.*?)<\/link>/s.exec(feed) ?? [];
  if (link === undefined) throw new Error('the simulated feed has no article');
  return link;
}
