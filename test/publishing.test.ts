import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MadeFeed } from '../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import type { LedgerStores } from '../src/app/engine.ts';
import type { Infrastructure } from '../src/app/infrastructure.ts';
import type { NewMessage } from '../src/ledger/ledger.ts';
import type { SocialStore } from '../src/social/social-store.ts';
import { openMemoryLedger } from '../src/storage/memory/ledger.ts';
import { createBackup } from '../src/storage/sqlite/backup.ts';
import { restore } from '../src/storage/sqlite/restore.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { HOUR, MINUTE } from '../src/time/duration.ts';
import {
  type Destination,
  newsroomConfig,
  newsroomText,
  publishNews,
  quickReader,
  secretsOf,
  serviceOf,
} from './crash/newsroom-config.ts';
import { skewedClock } from './crash/skewed-clock.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { requires } from './requirements.ts';

const ARTICLES = 2;

/** Pipelines on the simulated internet that publish to Discord, to Mastodon and on the timeline. */
function suite(engine: () => object): void {
  let simulator: Simulator;
  let folder: string;
  let later = 0;
  const clock = skewedClock(() => later);
  let settings: object;
  beforeEach(async () => {
    settings = engine();
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-publishing-'));
    simulator = await startSimulator({ clock, discord: { limits: false } });
  });
  afterEach(async () => {
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  function configText(pipelines: readonly string[], feed: string, publish: readonly string[]): string {
    const pipeline = {
      kind: 'summarise',
      language: 'en',
      max_per_run: 20,
      sources: ['news'],
      first_contact: { newest: 1000 },
      publish,
      every: '10000h',
    };
    return JSON.stringify({
      data: './data',
      ...settings,
      network: { allow: ['127.0.0.1'], host_spacing: '0s' },
      identity: { same_story: { enabled: false } },
      sources: { news: { feed, every: '1s', first_contact: { newest: 1000 } } },
      publishers: {
        bot: {
          kind: 'discord-bot',
          token: { env: 'BOT' },
          channel: simulator.discord.channels.newsroom,
          base_url: simulator.urls.discord,
        },
        mastodon: { kind: 'mastodon', instance: simulator.urls.mastodon, token: { env: 'MASTODON' } },
      },
      pipelines: Object.fromEntries(pipelines.map((id) => [id, pipeline])),
    });
  }

  /** One start of the program, a minute after the one before. */
  async function start<T>(
    text: string,
    work: (app: App) => Promise<T>,
    interpose: (infrastructure: Infrastructure) => Infrastructure = (infrastructure) => infrastructure,
  ): Promise<T> {
    later += MINUTE;
    const config = newsroomConfig(text, folder, secretsOf(simulator));
    const app = await openApp(config, {
      telemetry: silentTelemetry,
      version: '0',
      clock,
      passwordCost: { n: 2 ** 12, r: 8, p: 1 },
      interpose: (infrastructure) => interpose({ ...infrastructure, reader: quickReader }),
    });
    try {
      return await work(app);
    } finally {
      await app[Symbol.asyncDispose]();
    }
  }

  /** Starts, runs every pipeline once, and returns the drops by author, each as its title. */
  function run(
    text: string,
    interpose?: (infrastructure: Infrastructure) => Infrastructure,
  ): Promise<Readonly<Record<string, readonly (string | null)[]>>> {
    const work = async (app: App) => {
      for (const pipeline of app.pipelines.values()) await pipeline.run(new AbortController().signal);
      const drops: Record<string, (string | null)[]> = {};
      const { social } = app;
      const refs = await social.recentPublic(100);
      for (const drop of await social.getDrops(refs.map(({ id }) => id))) {
        const author = (await social.findUser(drop.userId))?.name ?? drop.userId;
        drops[author] = [...(drops[author] ?? []), drop.title].toSorted();
      }
      return drops;
    };
    return start(text, work, interpose);
  }

  /** Tombstones expire too: everything is new to this ledger, and the drops still exist. */
  function onEmptyLedger(infrastructure: Infrastructure): Infrastructure {
    return onMemory(infrastructure, infrastructure.engine.social, ({ policy }) => ({
      policy,
      ...openMemoryLedger({ clock, policy }),
    }));
  }

  const titles = (id: string): string[] =>
    Array.from({ length: ARTICLES }, (_, n) => `TypeScript compiler, part ${n + 1} of ${id}`);
  const posts = (id: string): readonly (readonly [number, number])[] =>
    titles(id).map((title) => [simulator.discord.posted(title), simulator.mastodon.posted(title)]);

  describe.each(['curate', 'summarise'] as const)('a pipeline of kind %s', (kind) => {
    const states = async ({ pipelines }: App): Promise<string[]> => {
      const { items } = (await pipelines.get('desk')?.ledger.list({ limit: 50 })) ?? { items: [] };
      return items.map(({ state }) => state);
    };
    const runPipeline = async (app: App): Promise<string[]> => {
      await app.pipelines.get('desk')?.run(new AbortController().signal);
      return states(app);
    };

    it.each([
      ['sent', 'published', 0],
      ['drop', 'rejected', 0],
      ['again', 'published', 1],
      ['retry', 'published', 1],
    ] as const)(
      'X2 X13 a message that is decided as %s decides its items too, and they are not judged again',
      async (decision, end, more) => {
        const feed = publishNews(simulator, `decided-${decision}`, ARTICLES).url;
        const newsroom = JSON.parse(newsroomText({ kind, destination: 'webhook', feed }, simulator));
        newsroom.pipelines.desk.publish = ['webhook'];
        const text = JSON.stringify({ ...newsroom, ...settings, server: { port: 0 } });
        // A webhook cannot be read back, so a lost reply needs a decision by a person.
        const fault = simulator.injectFault({ service: 'discord', how: 'lost_reply', times: ARTICLES });
        expect(new Set(await start(text, runPipeline))).toEqual(new Set(['parked']));
        fault.stop();
        const before = simulator.discord.messages().length;
        const decided = await start(text, async (app) => {
          const keys = await decideOverHttp(app, decision);
          expect(keys).toBe(before);
          return states(app);
        });
        expect(new Set(decided)).toEqual(new Set([more === 1 ? 'accepted' : end]));
        // A judge that is called now rejects everything.
        if (kind === 'curate') newsroom.pipelines.desk.interests = [{ topic: 'gardening' }];
        const later = JSON.stringify({ ...newsroom, ...settings, server: { port: 0 } });
        expect(new Set(await start(later, runPipeline))).toEqual(new Set([end]));
        expect(simulator.discord.messages()).toHaveLength(before * (1 + more));
      },
    );
  });

  it('X2 two pipelines that choose the same articles both publish them: neither author loses a drop', async () => {
    const { url } = publishNews(simulator, 'both', ARTICLES);
    const text = configText(['morning', 'evening'], url, ['bot', 'mastodon', 'timeline']);
    for (let start = 0; start < 2; start++)
      expect(await run(text)).toEqual({ morning: titles('both'), evening: titles('both') });
    // One each: a pipeline never publishes an article twice, and never for another.
    expect(posts('both')).toEqual(titles('both').map(() => [2, 2]));
  });

  it('X2 X17 what a version with keys that lack the pipeline has written is neither sent again nor lost', async () => {
    const { url } = publishNews(simulator, 'old', ARTICLES);
    const text = configText(['morning'], url, ['bot', 'mastodon', 'timeline']);
    // The replies to one message of each are lost: it is unknown when the new version starts.
    for (const service of ['discord', 'mastodon'] as const)
      simulator.injectFault({ service, how: 'lost_reply', match: { method: 'POST' }, times: 1 });
    await run(text, withOldKeys);
    for (let start = 0; start < 3; start++) expect(await run(text)).toEqual({ morning: titles('old') });
    expect(posts('old')).toEqual(titles('old').map(() => [1, 1]));
  });

  it('X2 X17 X20 a drop that such a version made is recognised also by a ledger without a record of it', async () => {
    const feed = publishNews(simulator, 'kept', ARTICLES);
    const text = configText(['morning'], feed.url, ['timeline']);
    expect(await run(text, withOldKeys)).toEqual({ morning: titles('kept') });
    // The feed is read again only if it has changed.
    feed.publish({ title: 'Another', text: ['The TypeScript compiler got faster again.'] });
    const both = configText(['morning', 'evening'], feed.url, ['timeline']);
    const all = ['Another', ...titles('kept')];
    expect(await run(both, onEmptyLedger)).toEqual({ morning: all, evening: all });
  });
}

/** Signs in as the owner and decides on every message that waits for a person. Returns how many there were. */
async function decideOverHttp(app: App, decision: string): Promise<number> {
  const server = await app.serve();
  try {
    const { token: link } = (await app.auth.accounts.ownerLink()) ?? {};
    const request = (method: string, path: string, body?: unknown, headers = {}): Promise<Response> =>
      fetch(`${server.url}/api/v1${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const welcome = await request('POST', '/welcome', {
      link,
      name: 'hana',
      password: 'a long enough password',
    });
    const cookie = welcome.headers.get('set-cookie')?.split(';')[0] ?? '';
    const { csrfToken } = (await welcome.json()) as { csrfToken: string };
    const owner = { cookie, 'x-csrf-token': csrfToken };
    if (decision === 'retry') {
      const parked = await request('GET', '/items?pipeline=desk&state=parked', undefined, owner);
      const { items } = (await parked.json()) as { items: { key: string }[] };
      let messages = 0;
      for (const { key } of items) {
        const answer = await request('POST', '/item/decision', { pipeline: 'desk', key, decision }, owner);
        // The digest of several items is decided with the first of them.
        if (answer.ok) messages += ((await answer.json()) as { messages: number }).messages;
        else expect(answer.status).toBe(409);
      }
      return messages;
    }
    const list = await request('GET', '/deliveries?pipeline=desk&state=parked', undefined, owner);
    const { deliveries } = (await list.json()) as { deliveries: { key: string }[] };
    for (const { key } of deliveries) {
      const answer = await request(
        'POST',
        '/deliveries/decision',
        { pipeline: 'desk', key, decision },
        owner,
      );
      expect(answer.status).toBeLessThan(300);
    }
    return deliveries.length;
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

const OLD_VERSIONS: Readonly<Record<string, string>> = {
  timeline: 'drop-1',
  bot: 'digest-2-c73e2c',
  mastodon: 'status-12345678',
};

/** As version 0.1 made it: of items, destination and template version alone. */
function oldKey(items: readonly string[], destination: string): string {
  const hash = createHash('sha256');
  for (const part of items.toSorted()) hash.update(part).update('\0');
  hash
    .update(destination)
    .update('\0')
    .update(OLD_VERSIONS[destination] ?? '');
  return hash.digest('base64url').slice(0, 24);
}

function withOldKey(message: NewMessage): NewMessage {
  return { ...message, key: oldKey(message.itemKeys, message.destination) };
}

/** The earlier program: messages and drops have keys without the pipeline. */
function withOldKeys(infrastructure: Infrastructure): Infrastructure {
  const { social } = infrastructure.engine;
  const post: typeof social.post = (drop) =>
    social.post({ ...drop, dedupeKey: oldKey([drop.itemKey ?? ''], 'timeline') });
  return onMemory(infrastructure, proxied(social, { post }), ({ ledger, outbox, policy }: LedgerStores) => ({
    policy,
    outbox: proxied(outbox, { enqueue: (messages) => outbox.enqueue(messages.map(withOldKey)) }),
    ledger: proxied(ledger, {
      record: (claim, transition, step = {}) =>
        ledger.record(claim, transition, {
          ...step,
          ...(step.messages !== undefined && { messages: step.messages.map(withOldKey) }),
        }),
    }),
  }));
}

function onMemory(
  infrastructure: Infrastructure,
  social: SocialStore,
  change: (stores: LedgerStores) => LedgerStores,
): Infrastructure {
  const { engine } = infrastructure;
  const pipelineStores: typeof engine.pipelineStores = async (pipeline) => {
    const stores = await engine.pipelineStores(pipeline);
    return 'curator' in stores ? stores : change(stores);
  };
  return { ...infrastructure, engine: proxied(engine, { social, pipelineStores }) };
}

/** The same object with some of its members replaced. */
function proxied<T extends object>(whole: T, members: Partial<T>): T {
  return new Proxy(whole, {
    get(target, name) {
      const value: unknown = Reflect.get(name in members ? members : target, name);
      return typeof value === 'function' ? value.bind(name in members ? members : target) : value;
    },
  });
}

describe('a newsroom whose backup was restored', () => {
  let simulator: Simulator;
  let folder: string;
  let later = 0;
  const clock = skewedClock(() => later);
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-restored-'));
    simulator = await startSimulator({ clock, discord: { limits: false } });
  });
  afterEach(async () => {
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const data = (): string => join(folder, 'data');
  const run = async (text: string): Promise<readonly string[]> => {
    later += HOUR;
    const app = await openApp(newsroomConfig(text, folder, secretsOf(simulator)), {
      telemetry: silentTelemetry,
      version: '0',
      clock,
      interpose: (infrastructure) => ({ ...infrastructure, reader: quickReader }),
    });
    try {
      const pipeline = app.pipelines.get('desk') ?? expect.unreachable();
      await pipeline.run(new AbortController().signal);
      return (await pipeline.ledger.list({ limit: 50 })).items.map(({ state }) => state);
    } finally {
      await app[Symbol.asyncDispose]();
    }
  };
  const textFor = (kind: 'curate' | 'summarise', destination: Destination, feed: string): string => {
    const newsroom = JSON.parse(newsroomText({ kind, destination, feed }, simulator));
    if (kind === 'curate') newsroom.pipelines.desk.max_articles = 10;
    return JSON.stringify(newsroom);
  };
  const news = (feed: MadeFeed, ...titles: string[]): void => {
    for (const title of titles) feed.publish({ title, text: ['The TypeScript compiler got faster again.'] });
  };
  /** How often each article was posted. */
  const posted = (destination: Destination, titles: readonly string[]): number[] =>
    titles.map((title) => simulator[serviceOf(destination)].posted(title));

  it.each([
    ['curate', 'bot'],
    ['summarise', 'bot'],
    ['summarise', 'mastodon'],
  ] as const)('X2 X17 %s on %s sends nothing twice and loses nothing', async (kind, destination) => {
    const feed = publishNews(simulator, 'restored', 0);
    const text = textFor(kind, destination, feed.url);
    news(feed, 'Posted before');
    await run(text);
    // Written and not sent when the backup is made.
    news(feed, 'Pending then');
    const limit = simulator.injectFault({
      service: serviceOf(destination),
      how: 'rate_limit',
      match: { method: 'POST' },
    });
    await run(text);
    limit.stop();
    const backup = join(folder, 'backup');
    await createBackup({ data: data(), to: backup, program: '0', now: clock.now() });
    // Sent in two digests, which a later run would combine into one.
    news(feed, 'Posted since, one');
    await run(text);
    news(feed, 'Posted since, two');
    await run(text);
    const titles = ['Posted before', 'Pending then', 'Posted since, one', 'Posted since, two'];
    expect(posted(destination, titles)).toEqual([1, 1, 1, 1]);
    news(feed, 'Not read yet');
    later += HOUR;
    await restore({ data: data(), from: backup, program: '0', now: clock.now() });
    news(feed, 'Published after');
    const all = [...titles, 'Not read yet', 'Published after'];
    for (let starts = 0; starts < 2; starts++)
      expect(new Set(await run(text))).toEqual(new Set(['published']));
    expect(posted(destination, all)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('X2 X17 what a webhook may have sent since waits for a person, and what is newer is sent', async () => {
    const feed = publishNews(simulator, 'hook', 0);
    const text = textFor('curate', 'webhook', feed.url);
    news(feed, 'Posted before');
    await run(text);
    const backup = join(folder, 'backup');
    await createBackup({ data: data(), to: backup, program: '0', now: clock.now() });
    news(feed, 'Posted since');
    await run(text);
    later += HOUR;
    await restore({ data: data(), from: backup, program: '0', now: clock.now() });
    later += HOUR;
    news(feed, 'Published after');
    expect((await run(text)).toSorted()).toEqual(['parked', 'published', 'published']);
    expect(posted('webhook', ['Posted before', 'Posted since', 'Published after'])).toEqual([1, 1, 1]);
  });
});

describe('publishing on the embedded engine', () => suite(() => ({})));

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

requires('gcloud')('publishing on the distributed engine', () => {
  const firestore = emulatorForThisFile('firestore');
  suite(() => ({
    engine: { kind: 'distributed', project: freshProject(), firestore: { emulator: firestore.host } },
    timelines: { store: 'memory' },
  }));
});
