import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text as textOf } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { writeArticle } from '../simulator/texts/article.ts';
import { type App, openApp } from '../src/app/app.ts';
import { parseConfig } from '../src/config/config.ts';
import { silentTelemetry } from '../src/telemetry/telemetry.ts';
import { DAY, HOUR } from '../src/time/duration.ts';
import { skewedClock } from './crash/skewed-clock.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Promises whose other tests cover a part: these test the whole program. */
describe('promises through the program', () => {
  let folder: string;
  let simulator: Simulator;
  let offsetMs: number;
  const open: AsyncDisposable[] = [];
  const never = new AbortController().signal;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-connected-'));
    simulator = await startSimulator();
    offsetMs = 0;
    open.push(simulator);
  });
  afterEach(async () => {
    for (const part of open.splice(0).reverse()) await part[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(
    name: string,
    yaml: string,
    source = '',
    more = '',
    allowed = "['127.0.0.1']",
  ): Promise<App> {
    const text = `
data: ${join(folder, name)}
network: { allow: ${allowed}, host_spacing: 0s }
${more}
sources:
  herald: { feed: '${simulator.urls.feeds}/byte-herald/feed.xml', first_contact: { newest: 10 } }
  talks: { youtube: '@datatalks', feed_url: '${simulator.urls.youtube}' }
  ${source}
pipelines:
${yaml}`;
    const loaded = parseConfig(text, join(folder, `${name}.yaml`), { KEY: simulator.gemini.key });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const clock = skewedClock(() => offsetMs);
    const app = await openApp(loaded.config, { telemetry: silentTelemetry, version: '0', clock });
    open.push(app);
    return app;
  }

  async function run(app: App, id = 'p') {
    const result = await app.pipelines.get(id)?.run(never);
    if (result?.ran !== true) throw new Error('it did not run');
    return result.report;
  }

  const items = async (app: App) => (await app.pipelines.get('p')?.ledger.list({ limit: 100 }))?.items ?? [];

  const curator = (settings: string): string => `
  p:
    kind: curate
    sources: [herald]
    interests: [{ topic: databases, aliases: [database, SQL] }, { topic: AI models, aliases: [AI] }]
    first_contact: { newest: 10 }
    publish: [timeline]
    ${settings}`;

  it('A3 A4 X8 the best by score are chosen, as many as configured, and none below the minimum score', async () => {
    const app = await start(
      'best',
      curator('min_relevance_score: 40\n    max_articles: 2\n    min_articles: 1'),
    );
    await run(app);
    const all = await items(app);
    const scores = (state: string): number[] =>
      all.filter((item) => item.state === state).map(({ verdict }) => verdict?.score ?? -1);
    const published = scores('published');
    expect(published.length).toBeGreaterThanOrEqual(1);
    expect(published.length).toBeLessThanOrEqual(2);
    expect(Math.min(...published)).toBeGreaterThanOrEqual(Math.max(40, ...scores('accepted')));
    for (const score of scores('rejected')) expect(score).toBeLessThan(40);
    for (const { verdict } of all.filter((item) => item.verdict !== null))
      expect(verdict).toMatchObject({
        judge: 'local',
        topics: expect.any(Array),
        reason: expect.any(String),
      });

    const few = await start(
      'few',
      curator('min_relevance_score: 40\n    min_articles: 10\n    max_articles: 10'),
    );
    await run(few);
    expect((await items(few)).filter(({ state }) => state === 'published')).toEqual([]);
  });

  it('X20 a swept item is not news when its source still lists it', async () => {
    const app = await start(
      'swept',
      curator('min_relevance_score: 0\n    min_articles: 1\n    max_articles: 10'),
    );
    expect((await run(app)).admitted).toBe(10);
    const published = (await items(app)).filter(({ state }) => state === 'published').length;
    expect(published).toBeGreaterThan(0);
    offsetMs = 400 * DAY;
    await app.retention.sweep({ dryRun: false }, never);
    const drops = async () => await app.newsroom.timelines.page('timeline:local', { limit: 100 });
    const before = JSON.stringify(await drops());
    await run(app);
    const again = (await items(app)).filter(({ state }) => state === 'published');
    expect(again).toEqual([]);
    expect(JSON.stringify(await drops())).toBe(before);
  });

  it('B10 B11 B13 an item whose page fails is deferred for longer each time, and fails after the limit', async () => {
    simulator.injectFault({ service: 'pages', how: 'status', status: 503, times: 'always' });
    const app = await start(
      'fails',
      `
  p:
    kind: summarise
    sources: [herald]
    first_contact: { newest: 1 }
    retry_limit: 2
    backoff: { first: 1h, factor: 3, most: 1d }
    publish: [timeline]`,
    );
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 3; attempt++) {
      await run(app);
      const [item] = (await items(app)).filter(({ state }) => state !== 'baseline');
      if (attempt === 3) expect(item?.state).toBe('failed');
      else {
        expect(item).toMatchObject({ state: 'deferred', reason: 'download_failed', attempts: attempt });
        waits.push((item?.dueAt ?? 0) - (item?.checkedAt ?? 0));
      }
      offsetMs += DAY;
    }
    expect(waits).toEqual([HOUR, 3 * HOUR]);
  });

  it('D11 the command of a process pipeline gets the video as JSON, and its exit code decides', async () => {
    const app = await start(
      'command',
      `
  p:
    kind: process
    sources: [talks]
    processor: { command: [sh, -c, 'cat > got.json; grep -q title got.json'], folder: '${folder}' }
    publish: [timeline]`,
    );
    const { admitted } = await run(app);
    const stop = new AbortController();
    const running = app.run(stop.signal);
    try {
      const published = async () => (await items(app)).filter(({ state }) => state === 'published').length;
      await expect.poll(published, { timeout: 60_000, interval: 100 }).toBe(admitted);
    } finally {
      stop.abort();
      await running;
    }
    expect(JSON.parse(readFileSync(join(folder, 'got.json'), 'utf8'))).toMatchObject({
      title: expect.any(String),
    });
  });

  it('B1 B2 B3 B4 B5 B6 B7 B9 B12 B16 X1 the table of the summary bot records what happened to each item', async () => {
    const feed = simulator.feeds.create({ id: 'bot' });
    const { paragraphs, background } = writeArticle('en', 'typescript', 'bot');
    const text = [...paragraphs, ...background];
    const later = feed.publish({ title: 'An article for later', text });
    const valuable = feed.publish({ title: 'The TypeScript compiler got faster', text });
    const notReady = feed.publish({
      title: 'Third meeting of the committee',
      text: ['agenda', 'minutes', 'slides', 'recording'].map(
        (part) => `The ${part} of the third meeting of the committee will be published on this page later.`,
      ),
    });
    const notValuable = feed.publish({
      title: 'Scheduled maintenance',
      text: ['pages', 'forms', 'archive'].map(
        (part) => `Scheduled maintenance: because of maintenance work the ${part} cannot be read on Monday.`,
      ),
    });
    const app = await start(
      'bot',
      `
  p:
    kind: summarise
    sources: [bot]
    language: en
    max_per_run: 1
    first_contact: { newest: 10 }
    publish: [timeline]`,
      `bot: { feed: '${feed.url}', first_contact: { newest: 10 } }`,
    );
    const query = (sql: string): Record<string, unknown>[] => {
      const db = new DatabaseSync(join(folder, 'bot', 'pipeline-p.db'), { readOnly: true });
      try {
        return db.prepare(sql).all();
      } finally {
        db.close();
      }
    };
    const rows = () => new Map(query('SELECT * FROM items').map((row) => [row.url, row]));
    await run(app);
    const first = rows();
    expect(Object.keys(first.get(valuable) ?? {})).toEqual([
      'id',
      'url',
      'title',
      'published_at',
      'status',
      'reason',
      'retry_count',
      'created_at',
      'last_checked_at',
    ]);
    expect(first.get(later)).toMatchObject({ status: 0, retry_count: 0 });
    expect(first.get(later)?.last_checked_at).toBe(first.get(later)?.created_at);
    expect(first.get(valuable)).toMatchObject({ status: 3, reason: 0, retry_count: 0 });
    expect(first.get(notReady)).toMatchObject({ status: 1, reason: 2, retry_count: 1 });
    expect(first.get(notValuable)).toMatchObject({ status: 1, reason: 1, retry_count: 1 });
    const states = new Map((await items(app)).map(({ url, state }) => [url, state]));
    expect([later, valuable, notReady, notValuable].map((url) => states.get(url))).toEqual([
      'waiting',
      'published',
      'deferred',
      'deferred',
    ]);
    const indexes = query(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'items'`);
    expect(indexes.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'idx_items_url',
        'idx_items_status_last_checked_at',
        'idx_items_status_published_at',
      ]),
    );

    offsetMs = 2 * DAY;
    await run(app);
    // The oldest `last_checked_at` comes first, and one item is all that a run publishes.
    expect(rows().get(later)).toMatchObject({ status: 3, reason: 0 });
    expect(rows().get(notReady)).toEqual(first.get(notReady));
    await run(app);
    const second = rows();
    expect(second.size).toBe(4);
    expect(second.get(valuable)).toEqual(first.get(valuable));
    expect(second.get(notReady)).toMatchObject({ status: 1, reason: 2, retry_count: 2 });
    const checked = Date.parse(`${second.get(notReady)?.last_checked_at}`.replace(' ', 'T'));
    expect(checked - Date.parse(`${first.get(notReady)?.last_checked_at}`.replace(' ', 'T'))).toBeGreaterThan(
      DAY,
    );
  });

  it('B15 B17 X24 the documents of a page reach Gemini as files, within the limits of the settings', async () => {
    const bodies: string[] = [];
    const proxy = createServer((request, response) => {
      const forward = async (): Promise<void> => {
        const body = await textOf(request);
        bodies.push(body);
        const answer = await fetch(`${simulator.urls.gemini}${request.url}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-goog-api-key': simulator.gemini.key },
          body,
        });
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        response.end(await answer.text());
      };
      void forward();
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    open.push({
      async [Symbol.asyncDispose]() {
        proxy.closeAllConnections();
        await new Promise((resolve) => proxy.close(resolve));
      },
    });
    const { port } = proxy.address() as AddressInfo;
    /** How many documents each request to Gemini had. */
    const documentsPerQuestion = async (name: string, attachments: string): Promise<number[]> => {
      bodies.length = 0;
      const app = await start(
        name,
        `
  p:
    kind: summarise
    sources: [ministry]
    judge: gemini
    max_per_run: 3
    attachments: { ${attachments} }
    first_contact: { newest: 10 }
    publish: [timeline]
judges:
  gemini: { kind: gemini, model: gemini-2.5-flash, key: { env: KEY }, base_url: 'http://127.0.0.1:${port}/v1beta', limits: { calls_per_minute: 1000 } }`,
        `ministry: { feed: '${simulator.urls.feeds}/shomusho/feed.xml', first_contact: { newest: 10 } }`,
      );
      await run(app);
      expect(bodies.length).toBeGreaterThan(0);
      return bodies.map((body) => body.split('application/pdf').length - 1);
    };
    expect(Math.max(...(await documentsPerQuestion('files', '')))).toBe(2);
    expect(Math.max(...(await documentsPerQuestion('one-file', 'count: 1')))).toBe(1);
    expect(Math.max(...(await documentsPerQuestion('small-files', 'size: 1KB')))).toBe(0);
    const paths = simulator.journal
      .entries('pages')
      .flatMap(({ path }) => (path.endsWith('.pdf') ? path : []));
    const sizes = await Promise.all(
      paths.map(async (path) => (await (await fetch(`${simulator.urls.pages}${path}`)).bytes()).length),
    );
    const largest = `${Math.ceil(Math.max(...sizes) / 1024)}KB`;
    const limited = await documentsPerQuestion('few-bytes', `size: ${largest}, total: ${largest}`);
    expect(Math.max(...limited)).toBe(1);
  });

  it('X6 no request is sent to a loopback address that the settings do not allow', async () => {
    const { feeds, youtube } = simulator.urls;
    const hosts = [feeds, youtube].map((url) => new URL(url).host);
    const app = await start('closed', curator('min_relevance_score: 0'), '', '', JSON.stringify(hosts));
    expect((await run(app)).admitted).toBe(10);
    // The feed is allowed, the pages that it links to are not.
    expect(simulator.journal.entries('feeds')).not.toEqual([]);
    expect(simulator.journal.entries('pages')).toEqual([]);
    expect((await items(app)).filter(({ verdict }) => verdict !== null)).toEqual([]);
  });

  it('D13 completed videos are kept by default, and swept where the settings say so', async () => {
    const videos = (retention: string): string => `
  p:
    kind: process
    sources: [talks]
    processor: { command: ['true'] }
    publish: []
    ${retention}`;
    const work = async (app: App): Promise<number> => {
      const { admitted } = await run(app);
      const stop = new AbortController();
      const running = app.run(stop.signal);
      const done = async () => (await items(app)).filter(({ state }) => state === 'published').length;
      await expect.poll(done, { timeout: 60_000, interval: 100 }).toBe(admitted);
      stop.abort();
      await running;
      return admitted;
    };
    const [keeping, sweeping] = [
      await start('keeping', videos('')),
      await start('sweeping', videos('retention: { completed: 365d }')),
    ];
    const kept = await work(keeping);
    const swept = await work(sweeping);
    expect(kept).toBeGreaterThan(0);
    offsetMs += 366 * DAY;
    for (const app of [keeping, sweeping]) await app.retention.sweep({ dryRun: false }, never);
    expect(await items(keeping)).toHaveLength(kept);
    expect(swept).toBe(kept);
    expect(await items(sweeping)).toEqual([]);
  });

  it('A2 X3 one story under several URLs and in two feeds is one message, and a high priority counts more', async () => {
    const { paragraphs, background } = writeArticle('en', 'typescript', 'one-story');
    const text = [...paragraphs, ...background];
    const title = 'TypeScript compiler is rewritten for speed by its own team';
    const ours = simulator.feeds.create({ id: 'ours' });
    const theirs = simulator.feeds.create({ id: 'theirs' });
    const link = ours.publish({ title, text });
    theirs.publish({ title, link: `${link}?utm_source=theirs#top` });
    theirs.publish({ title, text });
    const scores: number[] = [];
    for (const priority of ['high', 'low']) {
      const app = await start(
        `priority-${priority}`,
        `
  p:
    kind: curate
    sources: [ours, theirs]
    interests: [{ topic: TypeScript, priority: ${priority} }, { topic: gardening }]
    min_relevance_score: 0
    min_articles: 1
    first_contact: { newest: 10 }
    publish: [timeline]`,
        `ours: { feed: '${ours.url}', first_contact: { newest: 10 } }
  theirs: { feed: '${theirs.url}', first_contact: { newest: 10 } }`,
      );
      await run(app);
      const all = await items(app);
      expect(all).toHaveLength(2);
      const first = all.find(({ url }) => url.startsWith(link)) ?? expect.fail('not admitted');
      expect(await app.pipelines.get('p')?.ledger.sightings(first.key)).toHaveLength(2);
      scores.push(first.verdict?.score ?? -1);
      const page = await app.newsroom.timelines.page('timeline:local', {});
      expect(page.ok && page.page.entries).toHaveLength(1);
    }
    expect(scores[0]).toBeGreaterThan(scores[1] ?? 100);
  });

  it('C10 C11 C14 C15 C17 the settings of the timelines apply: fan-out, cap, eviction and pages', async () => {
    const app = await start(
      'timelines',
      curator(''),
      '',
      `timelines: { cap: 20, idle_after: 1h, fan_out: { active_only_above: 1, merge_above: 2, active_within: 10m } }`,
    );
    const { social, engine } = app;
    const { store } = engine.timelines;
    const add = async (name: string): Promise<string> =>
      (await social.addUser({ name, displayName: name, kind: 'person' })).id;
    const [few, many, ann, ben, cat] = await Promise.all(['few', 'many', 'ann', 'ben', 'cat'].map(add));
    if (!few || !many || !ann || !ben || !cat) throw new Error('no people');
    for (const follower of [ann, ben, cat]) await social.follow(follower, many);
    await social.follow(ann, few);
    const post = async (userId: string): Promise<string> =>
      (await social.post({ userId, visibility: 'public', text: 'x' })).drop.id;
    const home = `timeline:home:${ann}` as const;
    const read = async (ask: { limit?: number; maxId?: string } = {}) => {
      const answer = await app.newsroom.timelines.page(home, ask);
      if (!answer.ok) throw new Error('no page');
      return answer.page;
    };
    const POLL = { timeout: 30_000, interval: 50 };
    await read();
    const posted: string[] = [];
    for (let n = 0; n < 45; n++) posted.push(await post(n % 3 === 0 ? many : few));
    const newest = posted.toReversed();
    const stored = async () => (await store.page(home, { limit: 100 }))?.entries.map(({ id }) => id) ?? [];
    // An author with more followers than `merge_above` is not fanned out on write, but merged on read.
    await expect.poll(stored, POLL).toContain(posted.findLast((_, n) => n % 3 !== 0));
    const written = await stored();
    expect(written.length).toBeLessThanOrEqual(20);
    for (const [n, id] of posted.entries()) if (n % 3 === 0) expect(written).not.toContain(id);
    await expect
      .poll(async () => (await read()).entries.map(({ id }) => id), POLL)
      .toEqual(newest.slice(0, 20));
    const pages: string[] = [];
    let next: string | undefined;
    do {
      const { entries, older } = await read({ limit: 7, ...(next !== undefined && { maxId: next }) });
      pages.push(...entries.map(({ id }) => id));
      next = entries.length === 7 ? (older ?? undefined) : undefined;
    } while (next !== undefined);
    expect(pages).toEqual(newest);

    offsetMs = 2 * HOUR;
    expect(await store.size(home)).toBeNull();
    const meanwhile = await post(few);
    await expect.poll(async () => (await read()).entries[0]?.id, POLL).toBe(meanwhile);
    expect(await store.size(home)).toBe(20);
  });
});
