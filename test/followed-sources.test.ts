import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MadeFeed } from '../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import type { Infrastructure } from '../src/app/infrastructure.ts';
import type { RunningServer } from '../src/server/http/server.ts';
import type { ShownDrop } from '../src/server/http/timeline-routes.ts';
import type { SocialStore } from '../src/social/social-store.ts';
import type { SourceStatus } from '../src/sources/source-status.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { MINUTE } from '../src/time/duration.ts';
import { newsroomConfig, quickReader } from './crash/newsroom-config.ts';
import { skewedClock } from './crash/skewed-clock.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { requires } from './requirements.ts';
import { StreamReader } from './stream-reader.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const POLL = { interval: 50 };
/** Every feed has this item from the start: following its source shows it at once (R5). */
const BEFORE = 'What was there before';

/** Two pipelines that choose nothing read two feeds. Followers of a feed see its news all the same. */
function describeFollowedSources(engine: string, engineSettings: () => object): void {
  describe(`sources that people follow, on ${engine}`, () => {
    let folder: string;
    let simulator: Simulator;
    let feeds: Record<'herald' | 'wire' | 'unused', MadeFeed>;
    let settings: object;
    let later = 0;
    const clock = skewedClock(() => later);
    let app: App;
    let server: RunningServer;
    let ann: Person;
    let ben: Person;
    const readers: StreamReader[] = [];
    /** Infrastructure of the next start. */
    let interpose: (infrastructure: Infrastructure) => Infrastructure;

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kawaraban-followed-'));
      simulator = await startSimulator({ clock });
      feeds = {
        herald: simulator.feeds.create({ id: 'herald' }),
        wire: simulator.feeds.create({ id: 'wire' }),
        unused: simulator.feeds.create({ id: 'unused' }),
      };
      for (const feed of Object.values(feeds)) feed.publish({ title: BEFORE });
      settings = engineSettings();
      interpose = (infrastructure) => infrastructure;
      await start();
      ann = await Person.join('ann', await app.auth.accounts.ownerLink());
      ben = await Person.join('ben', await app.auth.accounts.invite());
      await read();
    });
    afterEach(async () => {
      for (const reader of readers.splice(0)) reader.close();
      await stop();
      await simulator[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    async function start(): Promise<void> {
      const pipeline = {
        kind: 'curate',
        sources: ['herald', 'wire'],
        interests: [{ topic: 'a topic without articles' }],
        min_relevance_score: 100,
        publish: [],
        every: '10000h',
      };
      const text = JSON.stringify({
        data: './data',
        ...settings,
        network: { allow: ['127.0.0.1'], host_spacing: '0s' },
        server: { port: 0, rate_limit: { per_address: 100_000 } },
        sources: {
          herald: { feed: feeds.herald.url, name: 'The Herald', every: '1s' },
          wire: { feed: feeds.wire.url, every: '1s' },
          // In no pipeline.
          unused: { feed: feeds.unused.url, every: '1s' },
        },
        pipelines: { morning: pipeline, evening: pipeline },
      });
      app = await openApp(newsroomConfig(text, folder, {}), {
        telemetry: silentTelemetry,
        version: '0',
        clock,
        passwordCost: { n: 2 ** 12, r: 8, p: 1 },
        interpose: (infrastructure) => ({ ...interpose(infrastructure), reader: quickReader }),
      });
      server = await app.serve();
    }

    async function stop(): Promise<void> {
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    }

    /** Every source is read, by both pipelines. */
    async function read(): Promise<void> {
      for (const pipeline of app.pipelines.values()) {
        later += MINUTE;
        await pipeline.run(new AbortController().signal);
      }
    }

    class Person {
      readonly #headers: Readonly<Record<string, string>>;
      private constructor(headers: Readonly<Record<string, string>>) {
        this.#headers = headers;
      }

      static async join(name: string, link: { readonly token: string } | null): Promise<Person> {
        const response = await fetch(`${server.url}/api/v1/welcome`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ link: link?.token, name, password: 'a long enough password' }),
        });
        const { csrfToken } = (await response.json()) as { csrfToken: string };
        const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
        return new Person({ cookie, 'x-csrf-token': csrfToken });
      }

      async request<T>(path: string, method = 'GET'): Promise<T> {
        const response = await fetch(`${server.url}/api/v1${path}`, { method, headers: this.#headers });
        expect(response.status, `${method} ${path}`).toBe(200);
        return (await response.json()) as T;
      }

      async source(id: string): Promise<SourceStatus> {
        const { sources } = await this.request<{ sources: SourceStatus[] }>('/sources');
        const found = sources.find((source) => source.id === id);
        if (found === undefined) throw new Error(`no source ${id}`);
        return found;
      }

      async follow(id: string, on = true): Promise<void> {
        const { userId } = await this.source(id);
        await this.request(`/users/${userId}/follow`, on ? 'PUT' : 'DELETE');
      }

      async titles(timeline = 'home'): Promise<string[]> {
        return (await this.drops(timeline)).map(({ title }) => title ?? '');
      }

      async drops(timeline = 'home'): Promise<readonly ShownDrop[]> {
        return (await this.request<{ drops: ShownDrop[] }>(`/timelines/${timeline}`)).drops;
      }

      async listen(): Promise<StreamReader> {
        const reader = await StreamReader.open(`${server.url}/events/timeline/home`, this.#headers);
        readers.push(reader);
        await expect.poll(() => reader.lastId, POLL).not.toBe('');
        return reader;
      }
    }

    it('X13 news of a source appears once in the homes of its followers, live, and in no other home', async () => {
      expect(await ann.source('herald')).toMatchObject({ name: 'The Herald', userId: expect.any(String) });
      await ann.follow('herald');
      await expect.poll(() => ann.titles(), POLL).toEqual([BEFORE]);
      const [annHears, benHears] = await Promise.all([ann.listen(), ben.listen()]);
      const url = feeds.herald.publish({ title: 'Something new', summary: 'In a few words.' });
      feeds.wire.publish({ title: 'Not followed' });
      await read();
      await read();
      await expect.poll(() => ann.titles(), POLL).toEqual(['Something new', BEFORE]);
      const [drop] = await ann.drops();
      expect(drop).toMatchObject({
        url,
        text: 'In a few words.',
        visibility: 'followers',
        pipeline: null,
        author: { name: 'herald', displayName: 'The Herald', kind: 'source' },
      });
      await expect.poll(() => annHears.drops, POLL).toEqual([drop?.id]);
      expect(benHears.drops).toEqual([]);
      for (const timeline of ['home', 'local', 'global']) expect(await ben.titles(timeline)).toEqual([]);

      await ann.follow('herald', false);
      await expect.poll(() => ann.titles(), POLL).toEqual([]);
      feeds.herald.publish({ title: 'Too late' });
      await read();
      const { userId } = await ann.source('herald');
      expect(await app.social.getDropsByUserId(userId ?? '', { limit: 10 })).toHaveLength(2);
    });

    it('X23 a source that no pipeline uses is polled, and its news reaches its followers once', async () => {
      await ann.follow('unused');
      const over = new AbortController();
      const running = app.run(over.signal);
      try {
        // At first contact the newest count as news.
        await expect.poll(() => ann.titles(), POLL).toEqual([BEFORE]);
        feeds.unused.publish({ title: 'Something new' });
        later += MINUTE;
        const both = ['Something new', BEFORE];
        await expect.poll(() => ann.titles(), POLL).toEqual(both);
        feeds.unused.publish({ title: 'And more' });
        later += MINUTE;
        await expect.poll(() => ann.titles(), POLL).toEqual(['And more', ...both]);
        const { record, pipelines } = await ann.source('unused');
        expect(pipelines).toEqual([]);
        expect(record).toMatchObject({ failuresInARow: 0, nextAt: expect.any(Number) });
        // Each item once, however often it was listed.
        expect(record?.itemsSeen).toBe(3);
        expect(await ben.titles()).toEqual([]);
      } finally {
        over.abort();
        await running;
      }
    });

    it('an item that another source had first is still news to those who follow only this one', async () => {
      await ann.follow('wire');
      const link = feeds.herald.publish({ title: 'An item of two sources' });
      await read();
      await expect.poll(() => ann.titles(), POLL).toEqual([BEFORE]);
      feeds.wire.publish({ title: 'An item of two sources', link });
      await read();
      await read();
      await expect.poll(() => ann.titles(), POLL).toEqual(['An item of two sources', BEFORE]);
    });

    it('a crash between posting and admitting loses nothing and posts nothing twice', async () => {
      await ann.follow('herald');
      await stop();
      interpose = (infrastructure) => withLedgers(infrastructure, 'admit');
      await start();
      feeds.herald.publish({ title: 'In the middle' });
      await read();
      await expect.poll(() => ann.titles(), POLL).toEqual(['In the middle', BEFORE]);
      for (const { ledger } of app.pipelines.values())
        expect((await ledger.list({ limit: 10 })).items.map(({ title }) => title)).not.toContain(
          'In the middle',
        );
      await stop();
      interpose = (infrastructure) => infrastructure;
      await start();
      await read();
      for (const { ledger } of app.pipelines.values())
        expect((await ledger.list({ limit: 10 })).items.map(({ title }) => title)).toContain('In the middle');
      await expect.poll(() => ann.titles(), POLL).toEqual(['In the middle', BEFORE]);
      const { userId } = await ann.source('herald');
      expect(await app.social.getDropsByUserId(userId ?? '', { limit: 10 })).toHaveLength(2);
    });

    it('drops that cannot be posted block no pipeline, and are posted with the next arrival', async () => {
      await ann.follow('herald');
      await stop();
      let unavailable = true;
      interpose = (infrastructure) => withSocial(infrastructure, () => unavailable);
      await start();
      feeds.herald.publish({ title: 'While the post office was closed' });
      await read();
      for (const { ledger } of app.pipelines.values())
        expect((await ledger.list({ limit: 1 })).items[0]?.title).toBe('While the post office was closed');
      expect(await ann.titles()).toEqual([BEFORE]);
      unavailable = false;
      // From a source without followers.
      feeds.wire.publish({ title: 'Anything' });
      await read();
      await expect.poll(() => ann.titles(), POLL).toEqual(['While the post office was closed', BEFORE]);
    });
  });
}

/** Makes one method of every ledger fail. */
function withLedgers(infrastructure: Infrastructure, broken: 'admit'): Infrastructure {
  const { engine } = infrastructure;
  const pipelineStores: typeof engine.pipelineStores = async (pipeline) => {
    const stores = await engine.pipelineStores(pipeline);
    const fails = (name: string | symbol): boolean => name === broken;
    if ('curator' in stores) return { ...stores, ledger: failing(stores.ledger, fails) };
    return { ...stores, ledger: failing(stores.ledger, fails) };
  };
  return { ...infrastructure, engine: overriding(engine, { pipelineStores }) };
}

function withSocial(infrastructure: Infrastructure, unavailable: () => boolean): Infrastructure {
  const social: SocialStore = failing(
    infrastructure.engine.social,
    (name) => unavailable() && name === 'post',
  );
  return { ...infrastructure, engine: overriding(infrastructure.engine, { social }) };
}

function failing<T extends object>(whole: T, fails: (name: string | symbol) => boolean): T {
  return new Proxy(whole, {
    get: (_, name) => {
      const value: unknown = Reflect.get(whole, name, whole);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) =>
        fails(name) ? Promise.reject(new Error('unavailable')) : Reflect.apply(value, whole, given);
    },
  });
}

function overriding<T extends object>(whole: T, parts: Partial<T>): T {
  return new Proxy(whole, {
    get: (_, name) => {
      if (Object.hasOwn(parts, name)) return Reflect.get(parts, name);
      const value: unknown = Reflect.get(whole, name, whole);
      return typeof value === 'function' ? value.bind(whole) : value;
    },
  });
}

describeFollowedSources('the embedded engine', () => ({}));

requires('gcloud')('with the emulator', () => {
  const emulator = emulatorForThisFile('firestore');
  describeFollowedSources('the distributed engine', () => ({
    engine: { kind: 'distributed', project: freshProject(), firestore: { emulator: emulator.host } },
    timelines: { store: 'memory' },
  }));
});
