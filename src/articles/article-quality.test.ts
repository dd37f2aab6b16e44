import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fetcher } from '../fetch/fetcher.ts';
import { systemClock } from '../time/clock.ts';
import type { Article, ArticleOutcome, ArticleReader } from './article.ts';
import { createArticleReader } from './article-reader.ts';
import { IsolatedThread } from './isolated/isolated-thread.ts';
import { laidOut } from './layouts.testdata.ts';

let isolated: IsolatedThread;
let reader: ArticleReader;
let served = '';

beforeAll(() => {
  isolated = new IsolatedThread({ clock: systemClock });
  const fetcher: Pick<Fetcher, 'fetch'> = {
    fetch: async ({ url }) => ({
      outcome: 'response',
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: Buffer.from(served),
      url,
      movedTo: null,
      retryAt: null,
    }),
  };
  reader = createArticleReader({
    fetcher: fetcher as Fetcher,
    isolated,
    clock: systemClock,
    extractMs: 120_000,
  });
});
afterAll(() => isolated[Symbol.asyncDispose]());

function read(html: string, path = '/a.html'): Promise<ArticleOutcome> {
  served = html;
  return reader.read(`https://news.example${path}`);
}

async function article(html: string, path?: string): Promise<Article> {
  const outcome = await read(html, path);
  if (outcome.outcome !== 'article') throw new Error(`${outcome.why}: ${outcome.detail}`);
  return outcome.article;
}

const SENTENCE = 'The harbour stays open this winter, the council said on Monday after a long debate. ';
const 文 = '港湾局は十八日、夜間の連絡船を来年四月に再開すると発表した。';
const paragraphs = (count: number, text = SENTENCE.repeat(2)): string => `<p>${text}</p>`.repeat(count);
const page = (body: string, head = '', language = 'en'): string =>
  `<!doctype html><html lang="${language}"><head><title>Harbour stays open</title>${head}</head><body>${body}</body></html>`;
const linkedData = (value: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const notFree = linkedData({ '@type': 'NewsArticle', isAccessibleForFree: false });

describe('paywalls', () => {
  it.each([
    ['an aside', `<article>${paragraphs(2)}</article><aside><p>Already a subscriber? Sign in.</p></aside>`],
    [
      'a bar above',
      `<div class="login-bar"><p>Subscribe to continue reading.</p></div><article>${paragraphs(2)}</article>`,
    ],
    [
      'a side column',
      `<div class="main">${paragraphs(2)}</div><div class="sidebar"><p>This article is for subscribers.</p></div>`,
    ],
    [
      'the footer',
      `<article>${paragraphs(2)}</article><footer><p>Register to continue reading.</p></footer>`,
    ],
    [
      'labels of other articles',
      `<article>${paragraphs(2, 文.repeat(3))}</article><ul>${'<li><a href="/1">会員限定記事 路面電車の延伸案を市議会が可決、着工は来年の春になる見通し</a></li>'.repeat(4)}</ul>`,
    ],
    [
      'a box in Japanese',
      `<article>${paragraphs(2, 文.repeat(3))}</article><div id="side"><p>この記事は会員限定です。</p></div>`,
    ],
  ])('Q8 a phrase in %s does not condemn a free article', async (_, body) => {
    expect((await read(page(body))).outcome).toBe('article');
  });

  it.each([
    ['long enough', paragraphs(8), notFree],
    [
      'as long as it says',
      paragraphs(3),
      linkedData({ '@type': 'NewsArticle', isAccessibleForFree: false, wordCount: 95 }),
    ],
    ['metered', paragraphs(8), '<meta property="article:content_tier" content="metered">'],
    ['Japanese', paragraphs(6, 文.repeat(3)), notFree],
  ])('Q8 text that is there is read though it is marked as not free: %s', async (_, body, head) => {
    expect((await read(page(`<article>${body}</article>`, head))).outcome).toBe('article');
  });

  it.each([
    ['a teaser that is marked', `<article>${paragraphs(2)}</article>`, notFree],
    ['a text that is cut', `<article>${paragraphs(7)}<p>The harbour stays…</p></article>`, notFree],
    [
      'fewer words than it says',
      `<article>${paragraphs(8)}</article>`,
      linkedData({ '@type': 'NewsArticle', isAccessibleForFree: false, wordCount: 900 }),
    ],
    ['an offer below', `<article>${paragraphs(2)}<div>Subscribe to continue reading.</div></article>`, ''],
    ['the rest for members', `<article>${paragraphs(3, 文)}<p>残り1,240文字</p></article>`, ''],
  ])('Q8 %s is a paywall', async (_, body, head) => {
    expect(await read(page(body, head))).toMatchObject({ outcome: 'unreadable', why: 'paywall' });
  });
});

describe('layouts', () => {
  const lines = (text: string): readonly string[] =>
    text
      .split(/\n+/)
      .map((line) => line.trim().replace(/^・/, ''))
      .filter((line) => line !== '');
  for (const { name, html, text } of laidOut) {
    const id = /, short,|before the page|too early/.test(name) ? 'Q9' : 'Q11';
    it(`${id} ${name}`, async () => {
      expect(lines((await article(html)).text)).toEqual(lines(text));
    });
  }

  it.each([
    ['a byte order mark', '\ufeff'],
    ['a comment with a root', '<!--[if IE]><html class="ie"><![endif]-->'],
    [
      'a notice',
      '<br />\n<b>Notice</b>: Undefined index: id in <b>/www/index.php</b> on line <b>3</b><br />\n',
    ],
    ['a style', '<style>.a { color: red }</style><script>var a = "<p>";</script>'],
    ['an XML declaration', '<?xml version="1.0"?>\n'],
  ])('Q9 %s before the page changes nothing', async (_, junk) => {
    const html = page(
      `<nav><a href="/">Home</a></nav><article>${paragraphs(4)}</article>`,
      '<meta name="author" content="Ann Lee">',
    );
    expect(await article(junk + html)).toEqual(await article(html));
  });

  it('Q9 a text before a second root is kept', async () => {
    const found = await article(`<div><p>${SENTENCE.repeat(12)}</p></div>${page('<p>Foot</p>')}`);
    expect(found.text).toContain('the council said on Monday');
  });

  it('Q11 an anchor that was left open is no list of links', async () => {
    const found = await article(page(`<a name="top"><div>${paragraphs(6)}</div>`));
    expect(found.text.match(/the council said/g)).toHaveLength(12);
  });

  it('Q11 the linked data decide between two texts', async () => {
    const other = '<p>We use cookies to improve your experience, and so do our many partners.</p>';
    const body = SENTENCE.repeat(4).trim();
    const found = await article(
      page(
        `<div class="a">${other.repeat(12)}</div><div class="b"><p>${body}</p></div>`,
        linkedData({ '@type': 'NewsArticle', articleBody: body }),
      ),
    );
    expect(found.text).toContain('the council said on Monday');
  });

  it('Q11 the article as HTML comes from the same reading as its text', async () => {
    const short = laidOut.find(({ name }) => name.startsWith('teasers') && name.endsWith('short, en'));
    served = short?.html ?? '';
    const read = await reader.read('https://news.example/a', undefined, { html: true });
    const html = (read.outcome === 'article' && read.article.html) || '';
    expect(html).toContain('The branch in the upper town is open as usual');
    expect(html).not.toContain('Members spoke until midnight');
  });
});

describe('authors and dates', () => {
  const day = Date.UTC(2026, 10, 18);
  const japaneseDay = day - 9 * 3_600_000;
  const english = (top: string, head = '', below = ''): string =>
    page(`<article><h1>Harbour stays open</h1>${top}${paragraphs(4)}${below}</article>`, head);
  const japanese = (top: string, below = ''): string =>
    page(
      `<div class="main"><h1>Harbour stays open</h1>${top}${paragraphs(4, 文.repeat(3))}${below}</div>`,
      '',
      'ja',
    );
  const graph = linkedData({
    '@graph': [
      { '@type': 'WebSite', name: 'Gazette' },
      {
        '@type': ['NewsArticle'],
        author: [{ '@id': '#ann' }, { '@type': 'Person', givenName: 'Bo', familyName: 'Ek' }],
        datePublished: '2026-11-18',
      },
      { '@type': 'Person', '@id': '#ann', name: 'Ann Lee' },
    ],
  });

  it.each([
    ['a graph with references', english('', graph), 'Ann Lee, Bo Ek', day],
    [
      'meta elements',
      english(
        '',
        '<meta name="parsely-author" content="Ann Lee"><meta name="parsely-pub-date" content="2026-11-18">',
      ),
      'Ann Lee',
      day,
    ],
    [
      'microdata',
      english(
        '<span itemprop="author" itemscope><span itemprop="name">Ann Lee</span></span><span itemprop="datePublished" content="2026-11-18">today</span>',
      ),
      'Ann Lee',
      day,
    ],
    [
      'a time in the article, not one beside it',
      english('<time datetime="2026-11-18">Wed</time>').replace(
        '<article>',
        '<aside><time datetime="2026-11-10">Tue</time></aside><article>',
      ),
      null,
      day,
    ],
    ['one line', english('<p class="info">By Ann Lee | November 18, 2026 | Print</p>'), 'Ann Lee', day],
    ['lines', english('<p>By Ann Lee</p><p>18 November 2026</p>'), 'Ann Lee', day],
    ['lines below', english('', '', '<p>Published on Nov. 18, 2026</p>'), null, day],
    [
      'full-width digits',
      japanese('<p>２０２６年１１月１８日</p><p>文＝河原花子</p>'),
      '河原花子',
      japaneseDay,
    ],
    ['an era', japanese('<div>令和8年11月18日</div><div>執筆者：河原 花子</div>'), '河原 花子', japaneseDay],
    ['a reporter', japanese('<p>2026.11.18</p><p>社会部 河原花子記者</p>'), '河原花子', japaneseDay],
    ['a signature', japanese('<p>2026/11/18</p>', `<p>${文}【河原花子】</p>`), '河原花子', japaneseDay],
    [
      'the editors',
      japanese('<p>公開日：2026年11月18日</p><p>かわら版編集部</p>'),
      'かわら版編集部',
      japaneseDay,
    ],
    [
      'a change is only the second best',
      japanese('<p class="update">更新日：2026年11月20日</p><p class="date">2026年11月18日</p>'),
      null,
      japaneseDay,
    ],
  ])('Q10 by %s', async (_, html, byline, publishedAt) => {
    expect(await article(html)).toMatchObject({ byline, publishedAt });
  });

  it.each([
    ['/2026/11/18/harbour.html', day],
    ['/news/20261118-harbour', day],
    ['/news/2026-11-18/1', day],
    ['/news/12345678', null],
    ['/item/99202611', null],
    ['/item/c20261118e7f', null],
  ])('Q10 the date in %s is the last resort', async (path, publishedAt) => {
    expect((await article(english(''), path)).publishedAt).toBe(publishedAt);
  });
});
