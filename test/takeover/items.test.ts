import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { MadeFeed } from '../../simulator/feeds/custom-feed.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type App, openApp } from '../../src/app/app.ts';
import type { ArticleReader } from '../../src/articles/article.ts';
import type { Pipeline } from '../../src/pipelines/pipeline.ts';
import type { RunReport } from '../../src/scheduler/run-report.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { DAY, MINUTE } from '../../src/time/duration.ts';
import { newsroomConfig, newsroomText, quickReader, secretsOf } from '../crash/newsroom-config.ts';
import { skewedClock } from '../crash/skewed-clock.ts';
import { Program } from '../program.ts';
import { requires } from '../requirements.ts';
import { sqlite3 } from './sqlite3-tool.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

/** 61 rows as the original program writes them: every status and reason in every form of a time. */
const ORIGINAL = readFileSync(join(import.meta.dirname, 'items', 'original.sql'), 'utf8');
const GONE = 'https://www.soumu.example/gone.html';
/** As Go's `time.Time` is written. */
const GO_TIME = '2025-01-02 09:30:00.123456789 +0900 JST m=+0.5';

/** The rows of the fixture by their number, with what its generator gave them. */
const ROWS = Array.from({ length: 60 }, (_, index) => {
  const n = index + 1;
  const kinds = [
    'new',
    'deferred',
    'deferred',
    'deferred',
    'deferred',
    'deferred',
    'pending',
    'pending',
    'done',
    'done',
  ];
  return { n, kind: kinds[index % 10], published: (n * 37) % 60, checked: (n * 23) % 60 };
});
const numbers = (rows: readonly { readonly n: number }[]): number[] => rows.map(({ n }) => n);
/** B6: what the original program claims, in this order. */
const CLAIM_ORDER = [
  ...numbers(ROWS.filter(({ kind }) => kind === 'pending').toSorted((a, b) => a.published - b.published)),
  ...numbers(
    ROWS.filter(({ kind }) => kind === 'new' || kind === 'deferred').toSorted(
      (a, b) => a.checked - b.checked,
    ),
  ),
];

/** Some pages are unavailable. */
const reader: ArticleReader = {
  ...quickReader,
  read: async (url, signal) =>
    url.includes('gone')
      ? { outcome: 'unreadable', why: 'not_found', detail: '404', retryable: true }
      : quickReader.read(url, signal),
};

requires('sqlite3')('a file of the original summary bot', () => {
  let folder: string;
  let file: string;
  let simulator: Simulator;
  let feed: MadeFeed;
  let later: number;
  const clock = skewedClock(() => later);
  const opened: AsyncDisposable[] = [];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kawaraban-rows-'));
    mkdirSync(join(folder, 'data'));
    file = join(folder, 'data', 'pipeline-desk.db');
    sqlite3(file, ORIGINAL);
    later = 0;
    simulator = await startSimulator({ clock, mastodon: { limits: false } });
    feed = simulator.feeds.create({ id: 'taken-over' });
  });
  afterEach(async () => {
    await close();
    await simulator[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  async function close(): Promise<void> {
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
  }

  interface Settings {
    sources: { news: { first_contact?: unknown } };
    pipelines: { desk: Record<string, unknown> };
  }

  function written(change: (newsroom: Settings) => void = () => {}): string {
    const newsroom: Settings = JSON.parse(
      newsroomText({ kind: 'summarise', destination: 'mastodon', feed: feed.url }, simulator),
    );
    newsroom.pipelines.desk.publish = ['mastodon'];
    change(newsroom);
    return JSON.stringify(newsroom);
  }

  async function open(text = written()): Promise<Pipeline> {
    await close();
    const app: App = await openApp(newsroomConfig(text, folder, secretsOf(simulator)), {
      telemetry: silentTelemetry,
      version: '0',
      clock,
      interpose: (infrastructure) => ({ ...infrastructure, reader }),
    });
    opened.push(app);
    return app.pipelines.get('desk') ?? expect.fail('no pipeline');
  }

  async function run(pipeline: Pipeline): Promise<RunReport> {
    later += 2 * MINUTE;
    const result = await pipeline.run(new AbortController().signal);
    if (!result.ran) throw new Error(result.why);
    return result.report;
  }

  const publish = (link: string, title: string, guid = link): void =>
    void feed.publish({
      link,
      title,
      guid,
      summary: 'The TypeScript compiler got faster.',
      publishedAt: clock.now(),
    });
  const originals = (): { id: number; url: string; title: string }[] =>
    sqlite3(file, 'SELECT id, url, title FROM items ORDER BY id') as never;
  /** The addresses in the posts, in the order of posting. */
  const posted = (): string[] =>
    simulator.mastodon
      .statuses()
      .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
      .map(({ text }) => /https:\/\/\S+/.exec(text)?.[0] ?? text);
  const postedNumbers = (): number[] => posted().map((url) => Number(/01kiban(\d\d)/.exec(url)?.[1] ?? 0));
  const row = (where: string): Record<string, unknown> | undefined =>
    sqlite3(file, `SELECT * FROM items WHERE ${where}`)[0];

  it('X22 B3 B4 B5 B6 B11 B12 is continued over several runs as the original program would, beside that program', async () => {
    const rows = originals();
    const urlOf = (n: number): string => rows[n - 1]?.url ?? '';
    for (const { url, title } of rows) publish(url, title);
    // An item that shares its link with one that is posted, and one that is new.
    publish(urlOf(19), '別の報道発表', 'another-guid');
    publish('https://www.soumu.example/fresh/?utm_source=rss', '新着');
    let pipeline = await open();
    expect((await pipeline.ledger.counts()).byState).toMatchObject({
      waiting: 6,
      deferred: 31,
      accepted: 12,
      published: 6,
      failed: 6,
    });
    expect((await pipeline.ledger.list({ limit: 100 })).items).toHaveLength(61);

    await run(pipeline);
    // The unavailable page has the oldest check of all: it is tried first, for the last time.
    expect(row(`url = '${GONE}'`)).toMatchObject({ status: 3, reason: 6, retry_count: 11 });
    expect(postedNumbers()).toEqual(CLAIM_ORDER.slice(0, 20));

    // The original program runs beside it, while this one is stopped …
    const [byOther] = CLAIM_ORDER.slice(-1);
    await close();
    const columns = '(url, title, published_at, status, reason, retry_count, created_at, last_checked_at)';
    const time = `'${GO_TIME}'`;
    sqlite3(
      file,
      `INSERT INTO items ${columns} VALUES ('https://www.soumu.example/inserted/', '追加', ${time}, 0, NULL, 0, ${time}, ${time});
       INSERT INTO items ${columns} VALUES ('https://www.soumu.example/later/', '投稿済み', ${time}, 3, 0, 0, ${time}, ${time});
       UPDATE items SET status = 3, reason = 0, last_checked_at = ${time} WHERE id = ${byOther};
       DELETE FROM items WHERE id = 9;`,
    );
    publish('https://www.soumu.example/later/', '投稿済み');
    pipeline = await open();
    await run(pipeline);
    expect(posted().filter((url) => url.includes('/inserted/'))).toHaveLength(1);

    // … and while it runs.
    sqlite3(
      file,
      `INSERT INTO items ${columns} VALUES ('https://www.soumu.example/odd/', '不正', ${time}, 7, NULL, 0, ${time}, ${time});
       INSERT INTO items ${columns} VALUES ('https://www.soumu.example/pending/', '要約待ち', ${time}, 2, NULL, 0, ${time}, ${time});`,
    );
    publish('https://www.soumu.example/fresh2', '新着 2');
    publish(urlOf(29), '後から同じリンク', 'third-guid');
    const { notes } = await run(pipeline);
    expect(notes.join()).toContain('(https://www.soumu.example/odd/): status is "7", and not 0, 1, 2 or 3');
    for (let more = 0; more < 3; more++) await run(pipeline);

    const open48 = CLAIM_ORDER.filter((n) => n !== byOther).map(urlOf);
    const expected = [
      ...open48,
      // Deleted by the other program, and in the feed: new for the original program too.
      urlOf(9),
      urlOf(19),
      urlOf(29),
      'https://www.soumu.example/fresh/?utm_source=rss',
      'https://www.soumu.example/fresh2',
      'https://www.soumu.example/inserted/',
      'https://www.soumu.example/pending/',
    ];
    expect(posted().toSorted()).toEqual(expected.toSorted());

    // Nothing is left to do, and what is listed is what the table says.
    const table = sqlite3(file, 'SELECT status, count(*) AS n FROM items WHERE status <= 3 GROUP BY status');
    expect(table).toEqual([{ status: 3, n: 68 }]);
    const items = (await pipeline.ledger.list({ limit: 100 })).items;
    expect(items).toHaveLength(68);
    expect((await pipeline.ledger.counts()).byState).toMatchObject({ published: 61, failed: 7 });

    // Swept, with a tombstone.
    later += 5_000 * DAY;
    const keep = { published: DAY, failed: DAY };
    await pipeline.ledger.sweep({ keep, keepTombstones: 10_000 * DAY, dryRun: false });
    expect(sqlite3(file, 'SELECT url FROM items')).toEqual([{ url: 'https://www.soumu.example/odd/' }]);
    publish('https://www.soumu.example/after-the-sweep', '新着 3');
    await run(pipeline);
    expect(posted().filter((url) => !expected.includes(url))).toEqual([
      'https://www.soumu.example/after-the-sweep',
    ]);
  });

  it('B1 B2 B3 B4 B5 B8 X22 the original program can read what is written: types, values, URLs, indexes', async () => {
    for (const { url, title } of originals()) publish(url, title);
    publish('https://www.Soumu.example:443/new/?utm_source=rss#top', '新着');
    publish('https://www.Soumu.example:443/new/?utm_source=rss#top', '同じリンク', 'second');
    const pipeline = await open(
      written((newsroom) => Object.assign(newsroom.pipelines.desk, { max_per_run: 1 })),
    );
    await run(pipeline);
    const all = sqlite3(
      file,
      `SELECT *, typeof(id) || ',' || typeof(url) || ',' || typeof(title) || ',' || typeof(published_at) || ',' || typeof(status)
         || ',' || typeof(reason) || ',' || typeof(retry_count) || ',' || typeof(created_at) || ',' || typeof(last_checked_at) AS types,
         datetime(published_at) AS p, datetime(created_at) AS c, datetime(last_checked_at) AS l FROM items ORDER BY id`,
    );
    expect(all).toHaveLength(63);
    for (const one of all) {
      expect(one.types).toMatch(/^integer,text,text,text,integer,(integer|null),integer,text,text$/);
      for (const time of [one.published_at, one.created_at, one.last_checked_at])
        expect(time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\+00:00$/);
      expect([one.p, one.c, one.l].every((time) => typeof time === 'string')).toBe(true);
    }
    const link = 'https://www.Soumu.example:443/new/?utm_source=rss#top';
    expect(all.slice(-2).map(({ url, status, reason }) => [url, status, reason])).toEqual([
      [`${link}#item=second`, 0, null],
      [link, 0, null],
    ]);
    const first = ROWS.find(({ n }) => n === CLAIM_ORDER[0]);
    expect(row(`id = ${first?.n}`)).toMatchObject({
      status: 3,
      reason: 0,
      published_at: expect.stringContaining(
        `2025-01-02 0${Math.floor((4 + (first?.published ?? 0)) / 60) + 3}:`,
      ),
    });
    const indexes = sqlite3(
      file,
      `SELECT name FROM pragma_index_list('items') WHERE origin = 'c' ORDER BY name`,
    );
    expect(indexes.map(({ name }) => name)).toEqual([
      'idx_items_status_last_checked_at',
      'idx_items_status_published_at',
      'idx_items_url',
    ]);
    // The original program's own way of adding an item: it does not add a known one again.
    const add = `INSERT OR IGNORE INTO items (url, title, published_at, status, reason, retry_count, created_at, last_checked_at)
      VALUES ('${link}', 'x', '${GO_TIME}', 0, NULL, 0, '${GO_TIME}', '${GO_TIME}'); SELECT changes() AS n`;
    expect(sqlite3(file, add)).toEqual([{ n: 0 }]);
  });

  it('X22 X12 B1 doctor and run report which row cannot be used and why, and process the others', async () => {
    const time = `'${GO_TIME}'`;
    sqlite3(
      file,
      `DELETE FROM items; INSERT INTO items (url, title, published_at, status, reason, retry_count, created_at, last_checked_at)
       VALUES ('https://www.soumu.example/odd', 'x', 'tomorrow', 0, NULL, 0, ${time}, ${time})`,
    );
    feed.publish({ title: 'About TypeScript', text: ['The TypeScript compiler got faster again.'] });
    const port = { server: { port: 0, grpc: { port: 0 } } };
    writeFileSync(join(folder, 'kawaraban.yaml'), JSON.stringify({ ...JSON.parse(written()), ...port }));
    const runProgram = (...args: string[]) => new Program(args, secretsOf(simulator), folder).ended;
    const problem = 'row 62 of items (https://www.soumu.example/odd)';
    const ran = await runProgram('run', 'desk');
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(ran.out).toContain(`Cannot use ${problem}: published_at is "tomorrow", and no time.`);
    expect(ran.out).toContain('1 new item');
    const doctor = await runProgram('doctor', '--offline');
    expect(doctor.code).toBe(1);
    expect(doctor.out).toContain(
      `Ledger of desk: ${problem} cannot be used: published_at is "tomorrow", and no time`,
    );
    const items = await runProgram('items', '--json');
    expect(items.code).toBe(0);
    expect(items.out).not.toContain('/odd');
    expect(row('id = 62')).toMatchObject({ published_at: 'tomorrow', status: 0 });
  });

  it('X22 B19 a feed most of whose items the original program recorded is no first contact', async () => {
    const rows = originals().slice(0, 40);
    for (let n = 0; n < 12; n++) publish(`https://www.soumu.example/since/${n}`, `その後 ${n}`);
    for (const { url, title } of rows) publish(url, title);
    const pipeline = await open(
      written((newsroom) => {
        delete newsroom.sources.news.first_contact;
        delete newsroom.pipelines.desk.first_contact;
      }),
    );
    await run(pipeline);
    const since = sqlite3(file, `SELECT status FROM items WHERE url LIKE '%/since/%'`);
    expect(since.map(({ status }) => status)).toEqual(Array(12).fill(0));
  });
});
