import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MadeFeed } from '../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type App, openApp } from '../src/app/app.ts';
import type { ArticleReader } from '../src/articles/article.ts';
import type { Item, Verdict } from '../src/item/item.ts';
import { type ModelServer, startModelServer } from '../src/judge/contract/model-server.ts';
import { json } from '../src/judge/contract/sample-answers.ts';
import { interestsOf } from '../src/judge/interests.ts';
import { createLocalJudge } from '../src/judge/local/local-judge.ts';
import { openaiDialect } from '../src/judge/openai/dialect.fixture.ts';
import { NO_REACTIONS } from '../src/learning/reaction-store.ts';
import { MAX_RAISED_PER_SOURCE } from '../src/learning/taste.ts';
import type { RunningServer } from '../src/server/http/server.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { DAY, HOUR, MINUTE } from '../src/time/duration.ts';
import { newsroomConfig } from './crash/newsroom-config.ts';
import { skewedClock } from './crash/skewed-clock.ts';
import { emulatorForThisFile, freshProject } from './emulators.ts';
import { forThisFile, startRedis } from './redis.ts';
import { requires } from './requirements.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

interface Rule {
  readonly points: number;
  readonly label: string;
  readonly text: string;
  readonly textJa: string;
}

interface ShownEntry {
  readonly id: number;
  readonly title: string;
  readonly learned?: { readonly points: number; readonly rules: readonly Rule[] };
  readonly why?: readonly {
    readonly score: number;
    readonly text: string;
    readonly learned?: { readonly base: number; readonly points: number; readonly rules: readonly Rule[] };
  }[];
}

interface Learned {
  readonly available: boolean;
  readonly enabled: boolean;
  readonly reactions: readonly { readonly id: string; readonly kind: string; readonly title: string }[];
}

/** Every article has this text: the judge gives all of them the same score. */
const TEXT = `Quokkaware had a release. ${'The weather stayed calm over the harbour. '.repeat(20)}`;
const INTERESTS = [{ topic: 'Quokkaware' }];
const articles: ArticleReader = {
  warmUp: async () => {},
  read: async (url) => ({
    outcome: 'article',
    article: {
      url,
      title: '',
      text: TEXT,
      language: 'en',
      headings: [],
      attachments: [],
      canonicalUrl: null,
      byline: null,
      publishedAt: null,
      imageUrl: null,
    },
  }),
};

async function scoreOfJudge(): Promise<number> {
  const article = { url: '', title: 'Rust on chips', text: TEXT, headings: [] };
  const judged = await createLocalJudge().evaluate(article, interestsOf(INTERESTS));
  if (judged.outcome !== 'judged') throw new Error('not judged');
  return judged.value.score;
}

const RUST = ['Rust closures', 'Rust in kernels', 'Moving to Rust', 'Rust time series'];

/** Three feeds, one pipeline. Its minimum score is a little above what the judge gives. */
function describeLearning(
  engine: 'the embedded engine' | 'Firestore and Redis',
  engineSettings: () => object,
): void {
  describe(`learning, on ${engine}`, () => {
    let simulator: Simulator;
    let feeds: Record<'herald' | 'wire' | 'lab', MadeFeed>;
    let later = 0;
    const clock = skewedClock(() => later);
    let base = 0;
    let folders: string[] = [];
    const opened: { app: App; server: RunningServer }[] = [];
    let app: App;
    let ann: Caller;
    let ben: Caller;
    let guest: Caller;

    beforeEach(async () => {
      later = 0;
      base = await scoreOfJudge();
      simulator = await startSimulator({ clock });
      feeds = {
        herald: simulator.feeds.create({ id: 'herald' }),
        wire: simulator.feeds.create({ id: 'wire' }),
        lab: simulator.feeds.create({ id: 'lab' }),
      };
    });
    afterEach(async () => {
      for (const { app: each, server } of opened.splice(0)) {
        await server[Symbol.asyncDispose]();
        await each[Symbol.asyncDispose]();
      }
      await simulator[Symbol.asyncDispose]();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
      folders = [];
    });

    async function open(more: object = {}, pipeline: object = {}): Promise<App> {
      const folder = mkdtempSync(join(tmpdir(), 'kawaraban-learning-'));
      folders.push(folder);
      const text = JSON.stringify({
        data: './data',
        ...engineSettings(),
        network: { allow: ['127.0.0.1'], host_spacing: '0s' },
        server: { port: 0, rate_limit: { per_address: 100_000, per_person: 100_000 } },
        identity: { same_story: { enabled: false } },
        sources: Object.fromEntries(
          Object.entries(feeds).map(([id, { url }]) => [id, { feed: url, name: id, every: '1s' }]),
        ),
        pipelines: {
          daily: {
            kind: 'curate',
            sources: ['herald', 'wire', 'lab'],
            interests: INTERESTS,
            min_relevance_score: base + 4,
            min_articles: 10,
            max_articles: 10,
            first_contact: { newest: 100 },
            publish: [],
            every: '10000h',
            ...pipeline,
          },
        },
        ...more,
      });
      app = await openApp(newsroomConfig(text, folder, {}), {
        telemetry: silentTelemetry,
        version: '0',
        clock,
        passwordCost: { n: 2 ** 12, r: 8, p: 1 },
        interpose: (infrastructure) => ({ ...infrastructure, reader: articles }),
      });
      const server = await app.serve();
      opened.push({ app, server });
      ann = await Caller.join(server, 'ann', await app.auth.accounts.ownerLink());
      ben = await Caller.join(server, 'ben', await app.auth.accounts.invite());
      guest = new Caller(server, {});
      return app;
    }

    /** Reads all sources and runs the pipeline. */
    async function run(by = MINUTE): Promise<void> {
      later += by;
      for (const pipeline of app.pipelines.values()) await pipeline.run(new AbortController().signal);
    }

    async function itemOf(title: string): Promise<Item> {
      const page = await app.pipelines.get('daily')?.ledger.list({ limit: 100, text: title });
      const found = page?.items.find((item) => item.title === title);
      if (found === undefined) throw new Error(`no item "${title}"`);
      return found;
    }

    async function verdictOf(title: string): Promise<Verdict> {
      const { verdict } = await itemOf(title);
      if (verdict === null) throw new Error(`"${title}" was not judged`);
      return verdict;
    }

    class Caller {
      readonly #server: RunningServer;
      readonly #headers: Readonly<Record<string, string>>;
      constructor(server: RunningServer, headers: Readonly<Record<string, string>>) {
        this.#server = server;
        this.#headers = headers;
      }

      static async join(
        server: RunningServer,
        name: string,
        link: { readonly token: string } | null,
      ): Promise<Caller> {
        const response = await fetch(`${server.url}/api/v1/welcome`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ link: link?.token, name, password: 'a long enough password' }),
        });
        const { csrfToken } = (await response.json()) as { csrfToken: string };
        const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
        return new Caller(server, { cookie, 'x-csrf-token': csrfToken });
      }

      async send(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
        const response = await fetch(`${this.#server.url}/api/v1${path}`, {
          method,
          headers: { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        return { status: response.status, body: text === '' ? null : JSON.parse(text) };
      }

      async get<T>(path: string): Promise<T> {
        const { status, body } = await this.send('GET', path);
        expect(status, `GET ${path}`).toBe(200);
        return body as T;
      }

      async list(query = ''): Promise<{ entries: readonly ShownEntry[]; next: string | null }> {
        return this.get(`/reader/entries?limit=200&${query}`);
      }

      async titles(query = ''): Promise<string[]> {
        return (await this.list(query)).entries.map(({ title }) => title);
      }

      async entry(title: string): Promise<ShownEntry> {
        const found = (await this.list()).entries.find((each) => each.title === title);
        return this.get(`/reader/entries/${found?.id}`);
      }

      /** Returns the token that takes it back. */
      async react(kind: string, ...titles: string[]): Promise<string | null> {
        const { entries } = await this.list();
        const ids = titles.map((title) => entries.find((each) => each.title === title)?.id);
        const { status, body } = await this.send('POST', '/reader/state', { kind, ids });
        expect(status).toBe(200);
        return (body as { undo: string | null }).undo;
      }

      async undo(token: string | null): Promise<void> {
        expect((await this.send('POST', '/reader/undo', { token })).status).toBe(204);
      }

      learned(): Promise<Learned> {
        return this.get('/reader/learning');
      }
    }

    /** Four articles about Rust and others, from several feeds. */
    async function publishFirst(): Promise<void> {
      const at = clock.now() - 5 * HOUR;
      for (const [n, title] of RUST.entries())
        (n % 2 === 0 ? feeds.herald : feeds.wire).publish({ title, publishedAt: at + n });
      for (const [n, title] of ['Tea in Uji', 'Tram timetable', 'Harbour lights'].entries())
        feeds.lab.publish({ title, publishedAt: at + 10 + n });
      await run();
    }

    it('Q20 Q21 Q22 stars move the verdicts of a pipeline, each says why, and taking them back ends it', async () => {
      await open();
      await publishFirst();
      expect(await verdictOf('Rust closures')).toMatchObject({ score: base });
      const tokens = [
        await ann.react('star', ...RUST.slice(0, 2)),
        await ben.react('star', ...RUST.slice(2)),
      ];
      feeds.lab.publish({ title: 'Rust on chips' });
      feeds.lab.publish({ title: 'Rice harvest' });
      await run();
      const moved = await verdictOf('Rust on chips');
      expect(moved.learned).toMatchObject({ base, rules: [{ label: 'Rust', reactions: { star: 4 } }] });
      expect(moved.score).toBe(base + (moved.learned?.points ?? 0));
      expect((await itemOf('Rust on chips')).state).toBe('accepted');
      expect(await verdictOf('Rice harvest')).not.toHaveProperty('learned');
      expect((await itemOf('Rice harvest')).state).toBe('rejected');

      // Each place that explains a verdict names the rule; a guest is not told what people like.
      const rule = `+${moved.learned?.points}: 4 starred about Rust`;
      const { key } = await itemOf('Rust on chips');
      const told = async (viewer: 'owner' | 'guest') =>
        (await app.newsroom.explain('daily', key, viewer))?.told.map(({ text }) => text).join('\n');
      expect(await told('owner')).toContain(`Reactions moved it from ${base} to ${moved.score} (${rule}).`);
      expect(await told('guest')).not.toContain('starred');
      const [why] = (await ann.entry('Rust on chips')).why ?? [];
      expect(why?.learned?.rules[0]).toMatchObject({
        text: rule,
        textJa: expect.stringContaining('4件にスター'),
      });
      expect(why?.text).toContain(rule);
      for (const other of [ben, guest])
        expect((await other.entry('Rust on chips')).why?.[0]).not.toHaveProperty('learned');

      // What was rejected lately is decided again, without the judge. Its own star is no rule for it.
      expect((await itemOf('Rust closures')).state).toBe('accepted');
      expect((await verdictOf('Rust closures')).learned?.rules[0]?.reactions).toEqual({ star: 3 });
      await ann.undo(tokens[0] ?? null);
      await ben.undo(tokens[1] ?? null);
      expect((await ann.learned()).reactions).toEqual([]);
      await run();
      for (const title of ['Rust on chips', 'Rust closures']) {
        expect((await itemOf(title)).state).toBe('rejected');
        expect(await verdictOf(title)).toMatchObject({ score: base });
        expect(await verdictOf(title)).not.toHaveProperty('learned');
      }
    });

    it('Q20 Q21 the order "for you" shows what a person likes first, and says why; others see their own', async () => {
      await open();
      await publishFirst();
      const byTime = await ann.titles();
      expect(await ann.titles('order=for_you')).toEqual(byTime);
      expect(await guest.titles('order=for_you')).toEqual(byTime);
      const undo = await ann.react('more', 'Rust closures', 'Rust in kernels');
      await ann.react('less', 'Harbour lights');
      await ann.react('finished', 'Tea in Uji');
      feeds.herald.publish({ title: 'Harbour news', publishedAt: clock.now() - HOUR });
      feeds.lab.publish({ title: 'Rust on chips', publishedAt: clock.now() - 4 * HOUR });
      await run();
      const { entries } = await ann.list('order=for_you');
      expect(entries[0]?.title).toMatch(/Rust/);
      const chips = entries.find(({ title }) => title === 'Rust on chips');
      expect(chips?.learned?.rules[0]?.text).toMatch(/^\+\d+: you wanted more like 2 about Rust$/);
      expect(chips?.learned?.rules[0]?.textJa).toContain('もっと見たい');
      expect((await ann.entry('Rust on chips')).learned).toEqual(chips?.learned);
      // Reactions to an article are no rules for that article itself.
      const closures = entries.find(({ title }) => title === 'Rust closures');
      expect(closures?.learned?.rules[0]?.text).toMatch(/^\+\d+: you wanted more like 1 about Rust$/);
      expect((await ann.entry('Rust closures')).learned).toEqual(closures?.learned);
      expect(entries.map(({ title }) => title).indexOf('Harbour news')).toBeGreaterThan(
        entries.map(({ title }) => title).indexOf('Rust on chips'),
      );
      expect(await ben.titles('order=for_you')).toEqual(await ben.titles());
      expect(await ben.entry('Rust on chips')).not.toHaveProperty('learned');

      // Pages continue where the last one ended, also while articles are read.
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const page: { entries: readonly ShownEntry[]; next: string | null } = await ann.get(
          `/reader/entries?view=unread&order=for_you&limit=2${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        );
        found.push(...page.entries.map(({ title }) => title));
        await ann.react('read', ...page.entries.map(({ title }) => title));
        cursor = page.next;
      } while (cursor !== null);
      expect(found).toEqual(entries.map(({ title }) => title));
      expect((await ann.send('GET', '/reader/entries?order=for_you&cursor=x')).status).toBe(400);

      await ann.undo(undo);
      const after = (await ann.list('order=for_you')).entries.find(({ title }) => title === 'Rust on chips');
      expect(after?.learned?.rules.filter(({ label }) => label === 'Rust') ?? []).toEqual([]);
    });

    it('Q22 reactions are listed and removed one by one or all at once; the account takes them along', async () => {
      await open();
      await publishFirst();
      await ben.react('star', 'Rust closures', 'Rust in kernels');
      await ben.react('more', 'Tea in Uji');
      await ben.react('finished', 'Tram timetable');
      const { reactions, ...settings } = await ben.learned();
      expect(settings).toEqual({ available: true, enabled: true });
      expect(reactions.map(({ kind, title }) => `${kind} ${title}`).toSorted()).toEqual([
        'finished Tram timetable',
        'more Tea in Uji',
        'star Rust closures',
        'star Rust in kernels',
      ]);
      await ben.react('unstar', 'Rust closures');
      const tea = reactions.find(({ kind }) => kind === 'more');
      expect((await ben.send('DELETE', `/reader/learning/${tea?.id}`)).status).toBe(204);
      expect((await ben.send('DELETE', `/reader/learning/${tea?.id}`)).status).toBe(404);
      expect((await ann.send('DELETE', `/reader/learning/${reactions[0]?.id}`)).status).toBe(404);
      expect((await ben.learned()).reactions.map(({ title }) => title)).toEqual([
        'Tram timetable',
        'Rust in kernels',
      ]);
      expect((await ben.send('DELETE', '/reader/learning')).status).toBe(204);
      expect((await ben.learned()).reactions).toEqual([]);
      expect(await ben.titles('view=starred')).toEqual(['Rust in kernels']);

      expect((await ben.send('PUT', '/reader/learning', { enabled: false })).status).toBe(204);
      await ben.react('more', 'Tea in Uji');
      expect(await ben.learned()).toEqual({ available: true, enabled: false, reactions: [] });
      await ben.send('PUT', '/reader/learning', { enabled: true });
      await ben.react('more', 'Tea in Uji');
      expect((await guest.send('GET', '/reader/learning')).status).toBe(401);
      expect((await guest.send('POST', '/reader/state', { kind: 'more', ids: [1] })).status).toBe(401);

      const { userId = '' } = (await app.auth.accounts.list()).find(({ name }) => name === 'ben') ?? {};
      expect((await app.engine.reactions.of(userId)).reactions).toHaveLength(1);
      expect((await ann.send('DELETE', `/people/${userId}`)).status).toBe(204);
      expect(await app.engine.reactions.of(userId)).toEqual(NO_REACTIONS);
    });

    it('Q22 without reactions, verdicts are exactly those without learning; it can be off', async () => {
      const stable = async (title: string) => {
        const { madeAt: _, ...verdict } = await verdictOf(title);
        return JSON.stringify(verdict);
      };
      await open();
      await publishFirst();
      const learning = await Promise.all(RUST.map(stable));
      await open({ learning: false });
      await run();
      expect(await Promise.all(RUST.map(stable))).toEqual(learning);
      await ann.react('star', ...RUST);
      expect(await ann.learned()).toEqual({ available: false, enabled: true, reactions: [] });

      await open({}, { learning: false });
      await run();
      await ann.react('star', ...RUST);
      expect((await ann.learned()).reactions).toHaveLength(4);
      feeds.lab.publish({ title: 'Rust on chips' });
      await run();
      expect(await verdictOf('Rust on chips')).toMatchObject({ score: base });
      expect(await verdictOf('Rust on chips')).not.toHaveProperty('learned');
    });

    it('Q23 a feed that is stuffed with what people like raises only a few of its articles', async () => {
      await open({}, { min_relevance_score: 100 });
      await publishFirst();
      await ann.react('star', ...RUST);
      for (let n = 0; n < 12; n++)
        feeds.lab.publish({ title: `Rust Rust Rust offer ${n}`, publishedAt: clock.now() - n * DAY });
      feeds.herald.publish({ title: 'Rust on chips' });
      await run();
      const page = await app.pipelines.get('daily')?.ledger.list({ limit: 100, text: 'offer' });
      const raised = page?.items.filter(({ verdict }) => (verdict?.learned?.points ?? 0) > 0);
      expect(page?.items).toHaveLength(12);
      expect(raised).toHaveLength(MAX_RAISED_PER_SOURCE);
      expect((await verdictOf('Rust on chips')).learned?.points).toBeGreaterThan(0);
      const listed = (await ann.list('order=for_you')).entries.filter(({ title }) => title.includes('offer'));
      expect(listed.filter(({ learned }) => (learned?.points ?? 0) > 0)).toHaveLength(MAX_RAISED_PER_SOURCE);
      // Without anybody's reaction a feed says nothing.
      await ann.send('DELETE', '/reader/learning');
      await run();
      const after = await app.pipelines.get('daily')?.ledger.list({ limit: 100, text: 'Rust' });
      expect(after?.items.filter(({ verdict }) => verdict?.learned !== undefined)).toEqual([]);
    });

    it('Q23 the limit of a source and day holds over several runs, also for what was published', async () => {
      await open({}, { min_articles: 1, publish: ['timeline'] });
      await publishFirst();
      await ann.react('star', ...RUST);
      const raised = async () => {
        const page = await app.pipelines.get('daily')?.ledger.list({ limit: 100, text: 'Rust offer' });
        return page?.items.filter(({ verdict }) => (verdict?.learned?.points ?? 0) > 0) ?? [];
      };
      // The judge is asked in the middle of a day, so that all articles arrive on one.
      later += DAY - (clock.now() % DAY) + 6 * HOUR;
      for (let n = 0; n < MAX_RAISED_PER_SOURCE; n++) feeds.lab.publish({ title: `Rust offer ${n}` });
      await run();
      expect((await raised()).map(({ state }) => state)).toEqual(
        Array(MAX_RAISED_PER_SOURCE).fill('published'),
      );
      for (let n = 10; n < 14; n++) feeds.lab.publish({ title: `Rust offer ${n}` });
      await run();
      expect(await raised()).toHaveLength(MAX_RAISED_PER_SOURCE);
    });

    it('Q20 hiding a ranked story counts, until it is shown again', async () => {
      await open({ stories: { enabled: true, source: 'verdicts' } });
      await publishFirst();
      await app.stories?.sync(new AbortController().signal);
      const { stories } = await ann.get<{ stories: { id: number; title: string }[] }>(
        '/stories?timespan=Week&limit=50',
      );
      const hidden = stories.find(({ title }) => title === 'Tea in Uji');
      await ann.send('POST', '/hidden', { id: hidden?.id });
      expect((await ann.learned()).reactions).toMatchObject([{ kind: 'hide', title: 'Tea in Uji' }]);
      await ann.send('DELETE', '/hidden', { id: hidden?.id });
      expect((await ann.learned()).reactions).toEqual([]);
    });

    it('Q24 a model gets the reactions of earlier days as fenced examples, and is asked once a day at most', async () => {
      const server: ModelServer = await startModelServer(openaiDialect);
      const summary =
        'The boats came home early, and a release of the known program was made in the calm harbour.';
      server.answer(() => json({ score: 80, topics: ['Quokkaware'], summary, reason: 'It names it.' }));
      try {
        await open(
          { judges: { model: { kind: 'openai', base_url: server.origin, model: 'm' } } },
          { judge: 'model' },
        );
        await publishFirst();
        const before = server.asked.at(-1);
        expect(before?.instructions).not.toContain('READERS LIKED');
        await ann.react('star', 'Rust closures');
        await ann.react('less', 'Tea in Uji');
        feeds.lab.publish({ title: 'Same day' });
        await run();
        expect(withoutFence(server.asked.at(-1)?.instructions)).toBe(withoutFence(before?.instructions));
        feeds.lab.publish({ title: 'Next day' });
        await run(DAY);
        const question = server.asked.at(-1);
        expect(question?.instructions).toContain('READERS LIKED');
        expect(question?.instructions).not.toContain('Rust closures');
        expect(question?.data).toMatch(
          /<<<READERS LIKED (\w+)>>>\n- Rust closures\n<<<END READERS LIKED \1>>>/,
        );
        expect(question?.data).toMatch(/<<<READERS DISLIKED (\w+)>>>\n- Tea in Uji\n/);
        expect((await verdictOf('Next day')).learned).toMatchObject({ examples: 2, points: 0 });
        const asked = server.asked.length;
        await ann.react('star', 'Rust in kernels');
        await run();
        expect(server.asked).toHaveLength(asked);
      } finally {
        await server[Symbol.asyncDispose]();
      }
    });
  });
}

/** The name of the fence is another one in each question. */
function withoutFence(instructions: string | undefined): string | undefined {
  return instructions?.replace(/\b[0-9a-f]{24}\b/g, 'FENCE');
}

describeLearning('the embedded engine', () => ({}));

requires('gcloud', 'redis-server')('with Redis and the emulator', () => {
  const emulator = emulatorForThisFile('firestore');
  const redis = forThisFile(() => startRedis());
  describeLearning('Firestore and Redis', () => ({
    engine: {
      kind: 'distributed',
      project: freshProject(),
      firestore: { emulator: emulator.host },
      redis: { nodes: [redis().address], prefix: `${randomUUID()}:` },
    },
  }));
});
