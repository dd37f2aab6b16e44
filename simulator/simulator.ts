import { type Clock, systemClock } from '../src/time/clock.ts';
import { DAY } from '../src/time/duration.ts';
import { Control } from './control/control.ts';
import { Discord, type DiscordOptions } from './discord/discord.ts';
import { Feeds } from './feeds/feeds.ts';
import { Gemini, type GeminiOptions } from './gemini/gemini.ts';
import { HackerNews, type HackerNewsOptions } from './hackernews/hackernews.ts';
import { Mastodon, type MastodonOptions } from './mastodon/mastodon.ts';
import { SERVICES } from './net/exchange.ts';
import { type FaultRule, FaultRules, type InjectedFault } from './net/fault.ts';
import { Host, type HostName } from './net/host.ts';
import { Journal } from './net/journal.ts';
import { OpenAi, type OpenAiOptions } from './openai/openai.ts';
import { Pages } from './pages/pages.ts';
import { readKeepsake, writeKeepsake } from './saved-state.ts';
import { rngOf } from './world/rng.ts';
import { World } from './world/world.ts';
import { YouTube, type YouTubeOptions } from './youtube/youtube.ts';

export interface SimulatorOptions {
  /** The wall time of the simulated world; network delays are always real. */
  readonly clock?: Pick<Clock, 'now'>;
  /** The same seed gives the same news. */
  readonly seed?: number;
  /**
   * When item 0 of the world appeared. With a fixed one the news goes on from one start to the next. Without one a world on
   * the wall clock is of one age whenever it starts, and has the same news at any hour.
   */
  readonly epoch?: number;
  /** How often something new appears somewhere; without it each outlet has one item an hour. */
  readonly grow?: { readonly everyMs: number };
  /** The first of nine consecutive ports (control, then the services in their order); any free ones without it. */
  readonly port?: number;
  /** Every answer takes at least this long. */
  readonly latencyMs?: number;
  /** A file in which posted messages survive this run. */
  readonly keepIn?: string;
  readonly discord?: DiscordOptions;
  readonly mastodon?: MastodonOptions;
  readonly hackernews?: HackerNewsOptions;
  readonly youtube?: YouTubeOptions;
  readonly gemini?: GeminiOptions;
  readonly openai?: OpenAiOptions;
}

/** How old a world is at its start, so that every outlet has enough items. */
const AGE = 1000 * DAY + 1;

/** A small internet on loopback. */
export interface Simulator extends AsyncDisposable {
  /** Base addresses; `control` has the web pages and `/__sim/…`. */
  readonly urls: Readonly<Record<HostName, string>>;
  readonly world: World;
  readonly feeds: Feeds;
  readonly pages: Pages;
  readonly hackernews: HackerNews;
  readonly youtube: YouTube;
  readonly discord: Discord;
  readonly mastodon: Mastodon;
  readonly gemini: Gemini;
  readonly openai: OpenAi;
  readonly journal: Journal;
  /** From now on, a fault is injected into the requests that match. */
  injectFault(rule: FaultRule): InjectedFault;
  /** Removes all faults. */
  clearFaults(): void;
}

/** Starts every service on a port of its own on 127.0.0.1. Rejects when a port is in use, leaving nothing open. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const clock = options.clock ?? systemClock;
  const seed = options.seed ?? 1;
  const now = (): number => clock.now();
  const journal = new Journal();
  const faults = new FaultRules(now, rngOf(seed, 'faults'));
  const parts = { now, journal, faults, latencyMs: options.latencyMs ?? 0 };
  const names: readonly HostName[] = ['control', ...SERVICES];
  const hosts = names.map((name) => [name, new Host(name, parts)] as const);
  const close = async (): Promise<void> => {
    await Promise.all(hosts.map(([, host]) => host[Symbol.asyncDispose]()));
  };
  const urls = await listen(hosts, options.port ?? 0).catch(async (problem: unknown) => {
    await close();
    throw problem;
  });

  const world = new World(seed, options.grow?.everyMs, options.epoch ?? (options.clock ? 0 : now() - AGE));
  const pages = new Pages(world, urls.pages);
  const services = {
    pages,
    feeds: new Feeds(world, urls, pages, now),
    hackernews: new HackerNews(seed, world, urls.pages, options.hackernews),
    youtube: new YouTube(seed, urls.youtube, options.youtube),
    discord: new Discord(urls.discord, options.discord),
    mastodon: new Mastodon(urls.mastodon, options.mastodon),
    gemini: new Gemini(options.gemini),
    openai: new OpenAi(options.openai),
  };
  const control = new Control({ ...services, urls, journal, faults });
  for (const [name, host] of hosts) host.serve(name === 'control' ? control : services[name]);

  const { discord, mastodon } = services;
  const { keepIn } = options;
  let closed = false;
  if (keepIn !== undefined) {
    const kept = readKeepsake(keepIn);
    discord.restore(kept.discord);
    mastodon.restore(kept.mastodon);
  }
  return {
    ...services,
    urls,
    world,
    journal,
    injectFault: (rule) => faults.add(rule),
    clearFaults: () => faults.clear(),
    async [Symbol.asyncDispose]() {
      await close();
      if (keepIn === undefined || closed) return;
      closed = true;
      writeKeepsake(keepIn, { discord: discord.messages(), mastodon: mastodon.statuses() });
    },
  };
}

async function listen(
  hosts: readonly (readonly [HostName, Host])[],
  first: number,
): Promise<Record<HostName, string>> {
  const urls = await Promise.all(
    hosts.map(async ([name, host], i) => [name, await host.listen(first === 0 ? 0 : first + i)] as const),
  );
  return Object.fromEntries(urls) as Record<HostName, string>;
}
