import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFetcher } from '../fetch/create-fetcher.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { systemClock } from '../time/clock.ts';
import type { Article, ArticleOutcome, ArticleReader } from './article.ts';
import { createArticleReader } from './article-reader.ts';
import { IsolatedThread } from './isolated/isolated-thread.ts';
import { article, hostilePages } from './pages.testdata.ts';

interface Served {
  readonly status?: number | undefined;
  readonly type?: string | undefined;
  readonly body: string | Uint8Array | null;
}

let served: Readonly<Record<string, Served>> = {};
let server: Server;
let origin: string;
let fetcher: Fetcher;
let isolated: IsolatedThread;
let reader: ArticleReader;

beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = served[request.url ?? ''] ?? { status: 404, body: '' };
    if (answer.body === null) return;
    const type = answer.type ?? 'text/html';
    response.writeHead(answer.status ?? 200, type === '' ? {} : { 'content-type': type });
    response.end(answer.body);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  fetcher = createFetcher({
    clock: systemClock,
    log: silentLogger,
    allow: ['127.0.0.1'],
    resolve: async () => ['127.0.0.1'],
    limits: { spacingMs: 0, breakerFailures: 1000, totalMs: 120_000 },
  });
  isolated = new IsolatedThread({ clock: systemClock });
  reader = createArticleReader({ fetcher, isolated, clock: systemClock, extractMs: 120_000 });
});
afterAll(async () => {
  await isolated[Symbol.asyncDispose]();
  await fetcher[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

function read(path: string, pages: Readonly<Record<string, Served>>): Promise<ArticleOutcome> {
  served = pages;
  return reader.read(`${origin}${path}`);
}

async function readArticle(path: string, body: string | Uint8Array): Promise<Article> {
  const outcome = await read(path, { [path]: { body } });
  if (outcome.outcome !== 'article') throw new Error(`${outcome.why}: ${outcome.detail}`);
  return outcome.article;
}

const testdata = (name: string): Uint8Array =>
  readFileSync(new URL(`testdata/pages/${name}`, import.meta.url));

describe('articles as HTML', () => {
  const page = `<!doctype html><html><head><title>Harbour</title><base href="/news/"></head><body>
    <nav><a href="/">Home</a></nav><article><h1>Harbour</h1>${`<p>${'The harbour stays open this winter, the council said. '.repeat(6)}</p>`.repeat(4)}
    <figure><img src="data:image/gif;base64,R0" data-src="pier.jpg" alt="The pier"><figcaption>The pier</figcaption></figure>
    <pre><code class="language-ts">if (open)\n  enter();</code></pre>
    <table><tr><th>Nine</th><td>Ten</td></tr></table>
    <p onclick="x()">${'The library stays open, the city said, and readers welcomed it. '.repeat(4)}<a href="more">More</a></p>
    <script>alert(1)</script><iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ" title="A film"></iframe>
    </article><footer>All rights reserved</footer></body></html>`;

  it('R10 are sanitised, with code, tables and pictures', async () => {
    served = { '/harbour': { body: page } };
    const read = await reader.read(`${origin}/harbour`, undefined, { html: true });
    const html = (read.outcome === 'article' && read.article.html) || '';
    expect(html).toContain('<pre><code class="language-ts">if (open)\n  enter();</code></pre>');
    expect(html).toMatch(/<table>(?:<tbody>)?<tr><th>Nine<\/th><td>Ten<\/td><\/tr>/);
    expect(html).toContain(`<img src="${origin}/news/pier.jpg" alt="The pier"`);
    expect(html).toContain('<figcaption>The pier</figcaption>');
    expect(html).toContain(`href="${origin}/news/more"`);
    expect(html).toContain('>A film</a>');
    expect(html).not.toMatch(/<script|onclick|All rights reserved|>Home</);
  });

  it.each([
    ['that shows its text by a script', (text: string) => `<div style="display:none"><p>${text}</p></div>`],
    ['nested too deep', (text: string) => `${'<div>'.repeat(600)}<p>${text}`],
  ])('R10 of a page %s are its text without menus', async (_, write) => {
    const text = 'The harbour stays open this winter, the council said. '.repeat(20).trim();
    served = { '/other': { body: `<nav>Menu</nav>${write(text)}</div><footer>Foot</footer>` } };
    const read = await reader.read(`${origin}/other`, undefined, { html: true });
    const html = (read.outcome === 'article' && read.article.html) || '';
    expect(html).toContain(`<p>${text}</p>`);
    expect(html).not.toMatch(/Menu|Foot/);
  });

  it('R10 are made on request only', async () => {
    expect(await readArticle('/harbour', page)).not.toHaveProperty('html');
  });
});

describe('pages as they are served', () => {
  for (const [index, { name, status, type, html, expected }] of hostilePages.entries())
    it(`A8 ${name}`, async () => {
      served = { '/': { status, type, body: html }, '/article': { body: article } };
      // A host of its own: a rate limit suspends the host.
      const outcome = await reader.read(origin.replace('127.0.0.1', `page-${index}.example`));
      expect(outcome).toMatchObject(
        'why' in expected
          ? { outcome: 'unreadable', why: expected.why, detail: expect.stringMatching(/./) }
          : { outcome: 'article', article: { text: expect.stringContaining(expected.holds) } },
      );
    });

  it('A8 a server that is down may be retried later', async () => {
    expect(await read('/', { '/': { status: 503, body: '' } })).toMatchObject({
      why: 'server_error',
      retryable: true,
    });
  });

  it('A8 a page that never arrives is a timeout, to be retried', async () => {
    const impatient = createFetcher({
      clock: systemClock,
      log: silentLogger,
      allow: ['127.0.0.1'],
      limits: { totalMs: 300 },
    });
    served = { '/': { body: null } };
    const outcome = await createArticleReader({ fetcher: impatient, isolated, clock: systemClock }).read(
      origin,
    );
    expect(outcome).toMatchObject({ outcome: 'unreadable', why: 'timeout', retryable: true });
    await impatient[Symbol.asyncDispose]();
  });

  it('A8 a page beyond the limit is too large', async () => {
    const narrow = createArticleReader({ fetcher, isolated, clock: systemClock, maxBytes: 1_000_000 });
    served = { '/': { body: 'x'.repeat(1_000_001) } };
    expect(await narrow.read(origin)).toMatchObject({ why: 'too_large', retryable: false });
  });

  it.each([
    ['http://10.0.0.1/', 'blocked_address', false],
    ['http://127.0.0.1:1/', 'unreachable', true],
    ['nonsense', 'unreachable', false],
  ])('A8 %s is %s', async (url, why, retryable) => {
    expect(await reader.read(url)).toMatchObject({ outcome: 'unreadable', why, retryable });
  });

  it('an aborting caller gets its own reason', async () => {
    const reason = new Error('enough');
    served = { '/': { body: null } };
    await expect(reader.read(`${origin}/`, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('A8 a page that is too expensive to parse is aborted, and the next one is read', async () => {
    const impatient = createArticleReader({ fetcher, isolated, clock: systemClock, extractMs: 500 });
    served = { '/hard': { body: `<p>${'&amp;'.repeat(700_000)}` }, '/easy': { body: article } };
    const hard = impatient.read(`${origin}/hard`);
    const easy = reader.read(`${origin}/easy`);
    expect(await hard).toMatchObject({ outcome: 'unreadable', why: 'too_large' });
    expect(await easy).toMatchObject({ outcome: 'article' });
  });
});

describe('Japanese pages', () => {
  const PARTS = [
    '午後九時まで延長すると発表した',
    '本格的に続けるかどうかを決める',
    '懸念を示している',
    '足を運ぶきっかけになる',
  ];

  it.each(['japanese-utf8.html', 'japanese-sjis.html', 'japanese-eucjp.html'])(
    'A8 %s, whole and without furniture',
    async (name) => {
      const found = await readArticle('/news/20260115.html?utm_source=x', testdata(name));
      for (const part of PARTS) expect(found.text).toContain(part);
      expect(found.text).not.toContain('アクセスランキング');
      expect(found.text).not.toContain('スポーツ');
      expect(found.text).not.toContain('無断転載');
      expect(found).toMatchObject({
        title: '図書館、夜九時まで開館へ',
        byline: '河原 花子',
        language: 'ja',
        publishedAt: Date.UTC(2026, 0, 15, 9, 30),
        canonicalUrl: `${origin}/news/20260115.html`,
        imageUrl: `${origin}/img/a.jpg`,
        headings: expect.arrayContaining(['資料']),
      });
    },
  );

  it('B15 the documents of a page: whole addresses, in order, without the footer’s', async () => {
    const found = await readArticle('/news/20260115.html', testdata('japanese-sjis.html'));
    expect(found.attachments).toEqual([
      { url: `${origin}/news/docs/plan.pdf`, name: '延長計画（PDF）' },
      { url: `${origin}/docs/%E4%BA%88%E7%AE%97.PDF?v=2`, name: '予算案' },
    ]);
  });

  it('A8 a short notice is an article', async () => {
    const found = await readArticle('/n', testdata('japanese-short.html'));
    expect(found.text).toContain('設備の点検のため');
    expect(found.text).toContain('通常どおり開館する予定です');
    expect(found.text).not.toContain('アクセスランキング');
  });

  it('A8 a page of tables and breaks, in Shift_JIS without a label', async () => {
    const found = await readArticle('/press/1.html', testdata('japanese-tables-br.html'));
    for (const part of PARTS) expect(found.text).toContain(part);
    expect(found.attachments.map(({ name }) => name)).toEqual(['別紙１', '別紙２']);
  });

  it('A8 the rest for members only is a paywall', async () => {
    const outcome = await read('/n', { '/n': { body: testdata('japanese-paywall.html') } });
    expect(outcome).toMatchObject({ outcome: 'unreadable', why: 'paywall', retryable: false });
  });

  it('A8 a Japanese article is not lost beside a list full of Latin commas', async () => {
    const clause =
      '<p>東京都は、十五日、新しい図書館の開館時間を、四月から、平日の夜九時まで、延ばすと発表した。</p>';
    const list = '<p>News, sports, weather, life, food, travel, money, art, film, books, music, games.</p>';
    const found = await readArticle(
      '/n',
      `<html><body><div><div><div>${clause.repeat(5)}</div></div></div><div><div><div>${list.repeat(4)}</div></div></div></body></html>`,
    );
    expect(found.text).toContain('東京都は、十五日、新しい図書館の開館時間を');
  });

  it('ruby annotations do not break words', async () => {
    const found = await readArticle('/n', testdata('japanese-ruby.html'));
    expect(found.text).toContain('図書館の開館時間が変わります。');
  });
});

describe('the metadata of an article', () => {
  const page = (head: string, body = article): string =>
    `<html><head><title>T | Site</title>${head}</head><body>${body}</body></html>`;

  it.each([
    ['<link rel="canonical" href="/a/1">', '/x', '/a/1'],
    ['<link rel="alternate canonical" href="b?id=2#top">', '/x/y', '/x/b?id=2'],
    ['<base href="/deep/"><link rel="canonical" href="c">', '/x', '/deep/c'],
    ['<meta property="og:url" content="/og">', '/x', '/og'],
    ['<link rel="canonical" href="/">', '/x', null],
    ['<link rel="canonical" href="javascript:alert(1)">', '/x', null],
    ['<link rel="canonical" href="">', '/x', null],
    ['<link rel="canonical" href="http://[">', '/x', null],
    ['', '/x', null],
  ])('X3 canonical link %s', async (head, path, canonical) => {
    const found = await readArticle(path, page(head));
    expect(found.canonicalUrl).toBe(canonical === null ? null : `${origin}${canonical}`);
  });

  it.each([
    ['<html lang="en-GB">', 'en-GB'],
    ['<html lang="ja_JP">', 'ja-JP'],
    ['<html lang="???">', null],
    ['<html><meta property="og:locale" content="fr_FR">', 'fr-FR'],
    ['<html><meta http-equiv="content-language" content="de">', 'de'],
  ])('language of %s', async (head, language) => {
    expect((await readArticle('/x', `${head}<body>${article}</body></html>`)).language).toBe(language);
  });

  it('title, byline, headings and image', async () => {
    const found = await readArticle(
      '/x/y',
      page(
        '<meta property="og:image" content="../i.png"><script type="application/ld+json">{"@type":"NewsArticle","headline":"The headline","author":[{"name":"Ann"},{"name":"Bo"}]}</script>',
        article.replace('</article>', '<h2>What comes <em>next</em></h2><p>More of it.</p></article>'),
      ),
    );
    expect(found).toMatchObject({
      title: 'The headline',
      byline: 'Ann, Bo',
      imageUrl: `${origin}/i.png`,
      headings: ['Library stays open', 'What comes next'],
      url: `${origin}/x/y`,
    });
    expect(found.text).toMatch(/news\.\n\nThe library/);
  });

  it.each(['2026-11-18', '2026年11月18日'])('the date %s is no byline', async (date) => {
    const found = await readArticle('/x', page(`<meta name="author" content="${date}">`, article));
    expect(found.byline).toBeNull();
  });

  it('documents in frames, by their type, once each', async () => {
    const found = await readArticle(
      '/x/y',
      page(
        '',
        `<nav><a href="/menu.pdf">m</a></nav>${article}<a href="/a.pdf#page=2"></a><a href="/a.pdf">A again</a><a type="application/pdf" href="/get?id=1">By type</a><iframe src="b.PDF"></iframe><a href="mailto:x.pdf">no</a><a href="/a.pdfx">no</a>`,
      ),
    );
    expect(found.attachments).toEqual([
      { url: `${origin}/a.pdf`, name: 'a.pdf' },
      { url: `${origin}/get?id=1`, name: 'By type' },
      { url: `${origin}/x/b.PDF`, name: 'b.PDF' },
    ]);
  });
});
