import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type App, openApp } from '../../src/app/app.ts';
import type { ArticleReader } from '../../src/articles/article.ts';
import { cli } from '../../src/cli/cli.fixture.ts';
import type { Item } from '../../src/item/item.ts';
import type { Pipeline } from '../../src/pipelines/pipeline.ts';
import { FirestoreConnection } from '../../src/storage/firestore/connection.ts';
import { firestoreErrorFor } from '../../src/storage/firestore/errors.ts';
import { type CompositeIndex, indexFor } from '../../src/storage/firestore/query.ts';
import { silentLogger } from '../../src/telemetry/logger.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { type Clock, systemClock } from '../../src/time/clock.ts';
import { DAY, MINUTE } from '../../src/time/duration.ts';
import {
  newsroomConfig,
  newsroomText,
  quickReader,
  secretsOf,
  type Where,
} from '../crash/newsroom-config.ts';
import { emulatorForThisFile, freshProject } from '../emulators.ts';
import { Program } from '../program.ts';
import { requires } from '../requirements.ts';
import {
  NOTIFIED,
  OLD,
  originalId,
  originalKnows,
  problemsOf,
  REJECTED,
  writeOriginalArticles,
} from './articles.fixture.ts';
import { FirestoreRest } from './firestore-rest.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

/** The whole program with a curator, on data of the original one and beside it. */
requires('gcloud')('what the original curator left', () => {
  const firestore = emulatorForThisFile('firestore');
  const never = new AbortController().signal;
  let folder: string;
  let project: string;
  let simulator: Simulator;
  let rest: FirestoreRest;
  let later: number;
  const opened: AsyncDisposable[] = [];
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + later,
    monotonic: () => systemClock.monotonic() + later,
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-takeover-articles-'));
    project = freshProject();
    later = 0;
    rest = new FirestoreRest(firestore.host, project);
    simulator = await startSimulator({ clock, discord: { limits: false } });
  });
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Warnings about pipelines that start with an empty ledger. */
  const warnings: object[] = [];
  const warn = (text: string, facts: object = {}): void => {
    if (text === 'Pipeline starts with an empty ledger') warnings.push(facts);
  };

  // biome-ignore lint/suspicious/noExplicitAny: a configuration as its owner would change it
  type Change = (newsroom: any) => void;
  const onFirestore = (): Where => ({ engine: 'firestore', emulator: firestore.host, project });

  function written(feed: string, where: Where, change: Change = () => {}): string {
    const newsroom = JSON.parse(
      newsroomText({ kind: 'curate', destination: 'webhook', feed, where }, simulator),
    );
    newsroom.pipelines.desk.max_articles = 10;
    newsroom.pipelines.desk.min_relevance_score = 30;
    change(newsroom);
    return JSON.stringify(newsroom);
  }

  async function openText(text: string): Promise<App> {
    const app = await openApp(newsroomConfig(text, folder, secretsOf(simulator)), {
      telemetry: { ...silentTelemetry, logger: { ...silentLogger, warn } },
      version: '0',
      clock,
      passwordCost: { n: 2 ** 12, r: 8, p: 1 },
      interpose: (infrastructure) => ({ ...infrastructure, reader }),
    });
    opened.push(app);
    return app;
  }

  async function open(
    feed: string,
    { where = onFirestore(), change = (() => {}) as Change } = {},
  ): Promise<App> {
    return openText(written(feed, where, change));
  }

  async function close(app: App): Promise<void> {
    opened.splice(opened.indexOf(app), 1);
    await app[Symbol.asyncDispose]();
  }

  function pipelineOf(app: App, id = 'desk'): Pipeline {
    return app.pipelines.get(id) ?? expect.fail('no pipeline');
  }

  async function run(app: App, id = 'desk'): Promise<void> {
    expect((await pipelineOf(app, id).run(never)).ran).toBe(true);
    later += 2 * MINUTE;
  }

  const announced = (): string[] =>
    simulator.discord.messages().flatMap(({ embeds }) => embeds.flatMap(({ url }) => url ?? []));

  function feedOf(id: string, links: readonly string[]) {
    const feed = simulator.feeds.create({ id });
    for (const link of links)
      feed.publish({
        title: link.includes('/dull') ? 'An afternoon at the lake' : `TypeScript at ${link}`,
        link,
        guid: link,
      });
    return feed;
  }

  async function expectReadable(prefix = ''): Promise<void> {
    for (const collection of ['notified', 'rejected'] as const)
      for (const document of await rest.list(`${prefix}${collection}_articles`))
        expect({ id: document.id, problems: problemsOf(collection, document) }).toEqual({
          id: document.id,
          problems: [],
        });
  }

  async function itemsOf(app: App, id = 'desk'): Promise<readonly Item[]> {
    return (await pipelineOf(app, id).ledger.list({ limit: 200 })).items;
  }

  it('X22 A7 A8 A9 A14 X20 is continued over several runs as the original would have, and can be read by it', async () => {
    await writeOriginalArticles(rest, clock.now());
    const originals = [
      ...Object.values(NOTIFIED),
      ...Object.values(REJECTED).map(({ url }) => url),
      OLD.notified,
      OLD.rejected,
    ];
    const fresh = [
      'https://news.example/fresh',
      'https://news.example/fresh-slash/',
      'https://News.Example:443/fresh/raw/?utm_source=rss&b=2&a=1',
    ];
    const gone = 'https://news.example/gone/?utm_source=rss';
    const dull = 'https://news.example/dull/';
    const feed = feedOf('taken-over', [...originals, ...fresh, gone, dull]);
    const first = await open(feed.url);
    const listed = (await itemsOf(first)).length;
    expect(listed).toBe(originals.length);

    await run(first);
    expect(announced().toSorted()).toEqual(fresh.toSorted());
    expect(requestedUrls.filter((url) => originals.some((one) => one === url))).toEqual([]);
    // The original finds every one of them by its own rule.
    for (const url of fresh) expect([url, await originalKnows(rest, url)]).toEqual([url, 'notified']);
    for (const url of [gone, dull]) expect([url, await originalKnows(rest, url)]).toEqual([url, 'rejected']);
    expect((await rest.get('rejected_articles', originalId(gone)))?.data).toMatchObject({
      article_url: gone,
      reason: 'content_extraction_failed',
      relevance_score: null,
    });
    expect((await rest.get('rejected_articles', originalId(dull)))?.data).toMatchObject({
      article_url: dull,
      reason: 'no_topic_match',
      relevance_score: expect.any(Number),
    });
    await expectReadable();
    const ids = (await rest.list('notified_articles')).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(
      [...Object.values(NOTIFIED), OLD.notified, ...fresh].map(originalId).toSorted(),
    );
    expect((await itemsOf(first)).length).toBe(listed + 5);

    // A restart, then a second run with nothing new, and one in which another source gives an article in another form.
    await close(first);
    let second = await open(feed.url);
    await run(second);
    const mirror = feedOf('mirror', [
      'https://news.example/fresh/raw?a=1&b=2',
      'https://news.example/fresh/#top',
    ]);
    await close(second);
    second = await open(feed.url, {
      change: (newsroom) => {
        newsroom.sources.mirror = { ...newsroom.sources.news, feed: mirror.url };
        newsroom.pipelines.desk.sources = ['mirror', 'news'];
      },
    });
    await run(second);
    expect(announced()).toHaveLength(fresh.length);

    // Retention is by the times that both programs record.
    const swept = await pipelineOf(second).sweep({ dryRun: false });
    expect(swept).toMatchObject({ complete: true, swept: { published: 1, rejected: 1 } });
    expect(await originalKnows(rest, OLD.notified)).toBeNull();
    expect(await originalKnows(rest, OLD.rejected)).toBeNull();
    await run(second);
    await close(second);
    const third = await open(feed.url);
    // A feed that has not changed since is not read again.
    const dullToo = 'https://news.example/dull-too/';
    feed.publish({ title: 'At the lake again', link: dullToo, guid: dullToo });
    await run(third);
    expect(announced().filter((url) => url === OLD.notified)).toEqual([]);
    expect(announced().filter((url) => url === OLD.rejected)).toEqual([OLD.rejected]);

    // All originals have expired then; of the new articles only rejected ones have.
    later += 81 * DAY;
    expect(await pipelineOf(third).sweep({ dryRun: false })).toMatchObject({
      complete: true,
      swept: { published: Object.keys(NOTIFIED).length, rejected: 3 + 3 },
    });
    for (const url of fresh) expect(await originalKnows(rest, url)).toBe('notified');
    later += 2 * MINUTE;
    const before = announced().length;
    const newest = 'https://news.example/newest/';
    feed.publish({ title: 'TypeScript, the newest', link: newest, guid: newest });
    await run(third);
    expect(announced().slice(before).toSorted()).toEqual(
      [newest, ...Object.values(REJECTED).map(({ url }) => url)].toSorted(),
    );
    await expectReadable();
  });

  /** The command line, used beside the running program. */
  async function command(text: string, ...args: string[]) {
    writeFileSync(join(folder, 'kawaraban.yaml'), text);
    const result = await new Program(
      [...args, '--config', join(folder, 'kawaraban.yaml')],
      secretsOf(simulator),
      folder,
    ).ended;
    expect({ code: result.code, err: result.err }).toMatchObject({ code: 0 });
    return result.out;
  }

  it.each(['firestore', 'sqlite'] as const)(
    'A13 X2 X13 what Discord refuses is not published though the timeline has it, and retry sends it once (%s)',
    async (engine) => {
      const where: Where = engine === 'sqlite' ? { engine } : onFirestore();
      const links = ['https://news.example/one/', 'https://news.example/two'];
      const feed = feedOf('refused', links);
      simulator.injectFault({ service: 'discord', how: 'status', status: 400, times: 1 });
      let app = await open(feed.url, { where });
      await run(app);
      const refused = { state: 'failed', reason: 'delivery_refused' };
      expect(await itemsOf(app)).toMatchObject([refused, refused]);
      for (const { detail } of await itemsOf(app))
        expect(detail).toMatch(/^webhook: Discord answered 400.*; published at timeline$/);
      const deliveries = async () => {
        const all = (await pipelineOf(app).outbox.list({ limit: 20 })).deliveries;
        return Object.fromEntries(all.map(({ destination, state }) => [destination, state]));
      };
      expect(await deliveries()).toEqual({ webhook: 'refused', timeline: 'sent' });
      if (engine === 'firestore') {
        expect(await rest.list('notified_articles')).toEqual([]);
        expect(await rest.list('rejected_articles')).toEqual([]);
      }
      // Neither another run nor a restart takes it for new or sends it.
      await run(app);
      await close(app);
      app = await open(feed.url, { where });
      await run(app);
      expect(await itemsOf(app)).toMatchObject([refused, refused]);
      expect(announced()).toEqual([]);

      if (engine === 'sqlite') await close(app);
      expect(await command(written(feed.url, where), 'retry', links[0] ?? '')).toMatch(
        /1 message will be sent again/,
      );
      if (engine === 'sqlite') app = await open(feed.url, { where });
      expect(await itemsOf(app)).toHaveLength(2);
      await run(app);
      expect(announced().toSorted()).toEqual(links);
      expect(await deliveries()).toEqual({ webhook: 'sent', timeline: 'sent' });
      expect(await itemsOf(app)).toMatchObject([{ state: 'published' }, { state: 'published' }]);
      await run(app);
      expect(announced()).toHaveLength(2);
      if (engine === 'sqlite') return;
      const [message] = simulator.discord.messages();
      for (const link of links)
        expect((await rest.get('notified_articles', originalId(link)))?.data).toMatchObject({
          discord_message_id: message?.id,
        });
      expect(await rest.list('articles_candidates')).toEqual([]);
    },
  );

  it.each(['firestore', 'sqlite'] as const)(
    'A13 X13 an article is published where it was sent once a person drops the message that Discord refused (%s)',
    async (engine) => {
      const where: Where = engine === 'sqlite' ? { engine } : onFirestore();
      const feed = feedOf('dropped', ['https://news.example/dropped/']);
      simulator.injectFault({ service: 'discord', how: 'status', status: 400 });
      const app = await open(feed.url, { where });
      await run(app);
      const pipeline = pipelineOf(app);
      const { outbox } = pipeline;
      const [refused] = (await outbox.list({ states: ['refused'], limit: 5 })).deliveries;
      expect(await pipeline.decideMessage(refused?.key ?? '', 'drop', 'maria')).toBe(true);
      await run(app);
      expect(await itemsOf(app)).toMatchObject([{ state: 'published', detail: 'timeline' }]);
      expect(announced()).toEqual([]);
      if (engine === 'firestore')
        expect(await rest.list('notified_articles')).toMatchObject([{ data: { discord_message_id: null } }]);
    },
  );

  it.each(['firestore', 'sqlite'] as const)(
    'X2 X13 a refusal is no success of a summarise pipeline either, though the timeline has the item (%s)',
    async (engine) => {
      const where: Where = engine === 'sqlite' ? { engine } : onFirestore();
      const feed = feedOf('refused-summary', ['https://news.example/one/']);
      simulator.injectFault({ service: 'discord', how: 'status', status: 400 });
      const app = await openText(
        newsroomText({ kind: 'summarise', destination: 'webhook', feed: feed.url, where }, simulator),
      );
      await run(app);
      const [item] = await itemsOf(app);
      // The summary bot retries after a wait (B10).
      expect(item).toMatchObject({ state: 'deferred', reason: 'api_failed' });
      expect(item?.detail).toMatch(/^webhook: Discord answered 400/);
    },
  );

  it('A7 A13 X2 X13 what Discord accepted is notified though another destination refused it, and retry sends it there alone', async () => {
    const link = 'https://news.example/half/';
    const feed = feedOf('half', [link]);
    const change: Change = (newsroom) => {
      newsroom.publishers.mastodon = {
        kind: 'mastodon',
        instance: simulator.urls.mastodon,
        token: { env: 'MASTODON' },
      };
      newsroom.pipelines.desk.publish = ['webhook', 'mastodon'];
    };
    simulator.injectFault({
      service: 'mastodon',
      how: 'status',
      status: 422,
      times: 1,
      match: { method: 'POST' },
    });
    let app = await open(feed.url, { change });
    await run(app);
    const [message] = simulator.discord.messages();
    const recorded = { id: originalId(link), data: { discord_message_id: message?.id } };
    for (let starts = 0; starts < 2; starts++) {
      expect(await itemsOf(app)).toMatchObject([
        {
          state: 'failed',
          reason: 'delivery_refused',
          detail: expect.stringMatching(/^mastodon: .*published at webhook$/),
        },
      ]);
      const { ledger } = pipelineOf(app);
      expect((await ledger.list({ states: ['failed'], limit: 5 })).items).toHaveLength(1);
      expect((await ledger.counts()).byState).toMatchObject({ failed: 1, published: 0, accepted: 0 });
      expect((await ledger.counts()).byReason).toMatchObject({ delivery_refused: 1 });
      expect(await rest.list('notified_articles')).toMatchObject([recorded]);
      expect(await rest.list('articles_candidates')).toEqual([]);
      await run(app);
      await close(app);
      app = await open(feed.url, { change });
    }
    await command(written(feed.url, onFirestore(), change), 'retry', link);
    await run(app);
    expect(simulator.mastodon.statuses()).toHaveLength(1);
    expect(announced()).toEqual([link]);
    expect(await itemsOf(app)).toMatchObject([{ state: 'published' }]);
    expect(await rest.list('notified_articles')).toMatchObject([recorded]);
    expect(await rest.list('articles_candidates')).toEqual([]);
    await expectReadable();
  });

  it('A7 A13 an article that has no message on Discord has no ID of one: not that of a drop, nor an invented one', async () => {
    const feed = feedOf('drops', ['https://news.example/drop']);
    const change: Change = (newsroom) => {
      newsroom.pipelines.desk.publish = ['timeline'];
    };
    await run(await open(feed.url, { change }));
    const [dropped] = await rest.list('notified_articles');
    expect(dropped).toMatchObject({ id: 'https:--news.example-drop', data: { discord_message_id: null } });

    const other = feedOf('lost', ['https://news.example/lost']);
    simulator.injectFault({ service: 'discord', how: 'lost_reply', times: 1 });
    const app = await open(other.url);
    await run(app);
    expect((await itemsOf(app)).find(({ state }) => state === 'parked')).toMatchObject({
      reason: 'delivery_unknown',
    });
    await command(written(other.url, onFirestore()), 'resolve', 'https://news.example/lost', '--as', 'sent');
    expect(await rest.get('notified_articles', 'https:--news.example-lost')).toMatchObject({
      data: { discord_message_id: null },
    });
    await expectReadable();
    await run(app);
    expect((await itemsOf(app)).map(({ state }) => state)).toEqual(['published', 'published']);
  });

  it('X22 A9 A11 articles of an earlier version, recorded under the canonical form, are known and listed once', async () => {
    const raw = 'https://News.example/early/?utm_source=rss';
    const feed = feedOf('early', [raw]);
    const app = await open(feed.url);
    await run(app);
    const [recorded] = await rest.list('notified_articles');
    expect(recorded?.id).toBe(originalId(raw));
    await close(app);
    // As an earlier version wrote it.
    const { key: _key, ...ledger } = (recorded?.data.ledger ?? {}) as Record<string, unknown>;
    const canonical = 'https://news.example/early';
    await rest.delete('notified_articles', originalId(raw));
    await rest.delete('articles_remembered', 'other-forms');
    await rest.set('notified_articles', originalId(canonical), {
      ...recorded?.data,
      notified_at: new Date(String(recorded?.data.notified_at)),
      article_url: canonical,
      ledger,
    });
    const next = await open(feed.url);
    await run(next);
    expect(announced()).toEqual([raw]);
    expect(await itemsOf(next)).toHaveLength(1);
    expect((await pipelineOf(next).ledger.counts()).byState).toMatchObject({ published: 1, waiting: 0 });
  });

  it('A9 A10 articles whose IDs would be the same are two documents, in every form of their URLs', async () => {
    const links = [
      'https://news.example/a/b/',
      'https://news.example/a-b-',
      'https://news.example/a/b-?utm_source=x',
    ];
    const feed = feedOf('collide', links);
    await run(await open(feed.url));
    expect(announced()).toHaveLength(3);
    const documents = await rest.list('notified_articles');
    expect(documents.map(({ data }) => data.article_url).toSorted()).toEqual(links.toSorted());
    const again = await open(feed.url);
    await run(again);
    expect(announced()).toHaveLength(3);
    expect(await itemsOf(again)).toHaveLength(3);
  });

  it('X22 A9 a second pipeline has collections of its own of the same form', async () => {
    await writeOriginalArticles(rest, clock.now());
    const links = [NOTIFIED.slash, 'https://news.example/second/'];
    const feed = feedOf('two', links);
    const change: Change = (newsroom) => {
      newsroom.pipelines.evening = { ...newsroom.pipelines.desk };
    };
    const queried = vi.spyOn(FirestoreConnection.prototype, 'query');
    const counted = vi.spyOn(FirestoreConnection.prototype, 'count');
    const app = await open(feed.url, { change });
    await run(app);
    expect(announced()).toEqual([links[1]]);
    await run(app, 'evening');
    expect(announced().slice(1).toSorted()).toEqual(links.toSorted());
    for (const url of links) expect(await originalKnows(rest, url, 'evening-')).toBe('notified');
    await expectReadable('evening-');
    await close(app);
    const next = await open(feed.url, { change });
    await run(next, 'evening');
    expect(announced()).toHaveLength(3);
    later += 91 * DAY;
    expect(await pipelineOf(next, 'evening').sweep({ dryRun: false })).toMatchObject({
      swept: { published: 2 },
    });
    later += 2 * MINUTE;
    await run(next, 'evening');
    expect(announced()).toHaveLength(3);
    const { ledger, outbox } = pipelineOf(next, 'evening');
    await ledger.list({ sourceId: 'news', limit: 5 });
    await ledger.list({ states: ['failed'], limit: 5 });
    await outbox.list({ states: ['refused'], limit: 5 });
    await outbox.list({ destination: 'webhook', states: ['sent'], limit: 5 });
    await outbox.counts();
    for await (const _record of ledger.dump());

    // Every query has its index in the file that the command writes, and doctor reports a missing one.
    const forms = [...queried.mock.calls, ...counted.mock.calls].map(([form]) => form);
    const needed = forms
      .filter(({ collection }) => collection.startsWith('evening-'))
      .flatMap((form) => indexFor(form) ?? []);
    expect(needed.length).toBeGreaterThan(4);
    const text = written(feed.url, onFirestore(), change);
    const { indexes } = JSON.parse(await command(text, 'indexes')) as { indexes: CompositeIndex[] };
    for (const index of needed) expect(indexes).toContainEqual(index);
    expect(indexes.some(({ collectionGroup }) => collectionGroup === 'notified_articles')).toBe(true);
    expect(indexes.some(({ collectionGroup }) => collectionGroup.startsWith('desk-'))).toBe(false);
    expect(indexesFindings(await doctor(text))).toMatchObject([{ state: 'good' }]);
    queried.mockImplementation((form) => {
      if (!['evening-articles_outbox', 'reader_entries'].includes(form.collection) || indexFor(form) === null)
        return Promise.resolve([]);
      const cause = new Error('9 FAILED_PRECONDITION: The query requires an index.');
      const facts = { code: 'FAILED_PRECONDITION', operation: 'query', collection: form.collection } as const;
      return Promise.reject(firestoreErrorFor(facts, cause));
    });
    expect(indexesFindings(await doctor(text))).toMatchObject([
      {
        state: 'bad',
        detail: expect.stringMatching(
          /^missing: evening-articles_outbox \(tags, nth\).*reader_entries \(tokens, published_at, entry_id\)/,
        ),
      },
    ]);
    vi.restoreAllMocks();
  });

  interface Finding {
    readonly what: string;
    readonly state: string;
    readonly detail: string;
    readonly cure?: string;
  }

  async function doctor(text: string): Promise<readonly Finding[]> {
    const file = join(folder, 'kawaraban.yaml');
    writeFileSync(file, text);
    const { out } = await cli(['doctor', '--json', '--config', file], {
      cwd: folder,
      env: secretsOf(simulator),
    });
    return (JSON.parse(out) as { findings: Finding[] }).findings;
  }

  const indexesFindings = (all: readonly Finding[]) => all.filter(({ what }) => what === 'Firestore indexes');

  it.each(['firestore', 'sqlite'] as const)(
    'X22 X2 a pipeline under a new ID reports that its ledger is empty, and continues with the old one where it is named (%s)',
    async (engine) => {
      const where: Where = engine === 'sqlite' ? { engine } : onFirestore();
      const link = 'https://news.example/renamed/';
      const feed = feedOf('renamed', [link]);
      const first = await open(feed.url, { where });
      await run(first);
      expect(announced()).toEqual([link]);
      await first.pipelineSettings.change('desk', { minScore: 12 }, 'ann');
      await close(first);

      const renamed =
        (settings: object): Change =>
        (newsroom) => {
          newsroom.pipelines = { morning: { ...newsroom.pipelines.desk, ...settings } };
        };
      const starts = async (change: Change): Promise<readonly Finding[]> =>
        (await doctor(written(feed.url, where, change))).filter(({ what }) => what === 'Pipeline morning');
      expect(await starts(renamed({}))).toMatchObject([
        {
          state: 'doubtful',
          detail: expect.stringContaining('desk'),
          cure: expect.stringContaining('renamed_from: desk'),
        },
      ]);
      expect(warnings.splice(0)).toEqual([]);
      await close(await open(feed.url, { where, change: renamed({}) }));
      expect(warnings.splice(0)).toMatchObject([
        { pipeline: 'morning', detail: expect.stringContaining('desk') },
      ]);
      const trial = written(feed.url, where, renamed({}));
      writeFileSync(join(folder, 'kawaraban.yaml'), trial);
      const result = await cli(['run', 'morning', '--dry-run', '--config', join(folder, 'kawaraban.yaml')], {
        cwd: folder,
        env: secretsOf(simulator),
      });
      expect(result.err).toContain('renamed_from: desk');
      expect(await starts(renamed({ renamed_from: 'dsk' }))).toMatchObject([
        { state: 'doubtful', detail: expect.stringContaining('dsk') },
      ]);

      const change = renamed({ renamed_from: 'desk' });
      expect(await starts(change)).toEqual([]);
      const next = await open(feed.url, { where, change });
      expect(warnings).toEqual([]);
      expect(await itemsOf(next, 'morning')).toMatchObject([{ url: link, state: 'published' }]);
      // What was changed on the page stays changed.
      expect((await next.pipelineSettings.effective('morning')).minScore).toBe(12);
      const news = 'https://news.example/news/';
      feed.publish({ title: 'TypeScript, the news', link: news, guid: news });
      await run(next, 'morning');
      expect(announced()).toEqual([link, news]);
      if (engine === 'firestore')
        expect((await rest.list('notified_articles')).map(({ id }) => id)).toEqual([
          originalId(news),
          originalId(link),
        ]);
    },
  );

  /** Pages of the simulated world; requests are recorded. */
  const requestedUrls: string[] = [];
  const reader: ArticleReader = {
    ...quickReader,
    async read(url, ...more) {
      requestedUrls.push(url);
      if (url.includes('/gone'))
        return { outcome: 'unreadable', why: 'not_found', detail: '404', retryable: false };
      const read = await quickReader.read(url, ...more);
      if (read.outcome !== 'article' || !url.includes('/dull')) return read;
      const text = 'A quiet afternoon at the lake, with boats and birds and a picnic. '.repeat(20);
      return { ...read, article: { ...read.article, title: 'At the lake', text } };
    },
  };
});
