import { type Clock, systemClock } from '../src/time/clock.ts';
import { Discord, type DiscordOptions } from './discord/discord.ts';
import { Feeds } from './feeds/feeds.ts';
import { SERVICES, type ServiceName } from './net/exchange.ts';
import { Host, type HostName } from './net/host.ts';
import { Journal } from './net/journal.ts';
import { type Misbehaviour, type Mischief, MischiefBook } from './net/misbehaviour.ts';
import { Pages } from './pages/pages.ts';
import { rngOf } from './world/rng.ts';
import { World } from './world/world.ts';

export interface SimulatorOptions {
  /** The wall time of the simulated world; delays on the wire are real whatever it says. */
  readonly clock?: Pick<Clock, 'now'>;
  /** The same seed gives the same news. */
  readonly seed?: number;
  /** How often something new appears somewhere; without it each outlet has one item an hour. */
  readonly grow?: { readonly everyMs: number };
  /** The first of ten consecutive ports (control, then the services in their order), or any free ones. */
  readonly port?: number;
  /** Every answer takes at least this long. */
  readonly latencyMs?: number;
  readonly discord?: DiscordOptions;
}

/** A small internet on loopback. */
export interface Simulator extends AsyncDisposable {
  readonly urls: Readonly<Record<HostName, string>>;
  readonly world: World;
  readonly feeds: Feeds;
  readonly pages: Pages;
  readonly discord: Discord;
  readonly journal: Journal;
  /** From now on, the requests that match suffer. */
  misbehave(rule: Misbehaviour): Mischief;
  /** Everybody behaves again. */
  behave(): void;
}

/** Starts every service on a port of its own on 127.0.0.1. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const clock = options.clock ?? systemClock;
  const seed = options.seed ?? 1;
  const now = (): number => clock.now();
  const journal = new Journal();
  const mischief = new MischiefBook(now, rngOf(seed, 'mischief'));
  const parts = { now, journal, mischief, latencyMs: options.latencyMs ?? 0 };
  const names: readonly HostName[] = ['control', ...SERVICES];
  const hosts = names.map((name) => [name, new Host(name, parts)] as const);
  const close = async (): Promise<void> => {
    await Promise.all(hosts.map(([, host]) => host[Symbol.asyncDispose]()));
  };
  const urls = await listen(hosts, options.port ?? 0).catch(async (problem: unknown) => {
    await close();
    throw problem;
  });

  const world = new World(seed, options.grow?.everyMs);
  const pages = new Pages(world, urls.pages);
  const feeds = new Feeds(world, urls, pages, now);
  const discord = new Discord(urls.discord, options.discord);
  const services: Partial<Record<ServiceName, Feeds | Pages | Discord>> = { feeds, pages, discord };
  for (const [name, host] of hosts) {
    const service = name === 'control' ? undefined : services[name];
    if (service) host.serve(service);
  }
  return {
    urls,
    world,
    feeds,
    pages,
    discord,
    journal,
    misbehave: (rule) => mischief.add(rule),
    behave: () => mischief.clear(),
    [Symbol.asyncDispose]: close,
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
