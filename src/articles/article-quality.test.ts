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

/** Sentences that differ: repeated ones would not show what is missing. */
const ENGLISH = [
  'The harbour stays open this winter, the council said on Monday after a long debate.',
  'Ferries will run at night as well, the head of the office told reporters in the town hall.',
  'Several groups had raised concerns about the cost, which is put at two million a year.',
  'Residents welcomed the decision, since many of them work shifts and came home late.',
  'The new timetable begins in April, and tickets will be sold on the phone by then.',
  'The council will look at the figures after a year and decide again about the money.',
];
const GERMAN = [
  'Der Hafen bleibt im Winter offen, teilte die Stadt am Montag nach langer Debatte mit.',
  'Die Fähren fahren künftig auch nachts, sagte der Leiter des Amtes vor Journalisten.',
  'Mehrere Fraktionen hatten Bedenken wegen der Kosten, die bei zwei Millionen Euro liegen.',
  'Anwohner begrüßten den Beschluss, viele von ihnen arbeiten im Schichtdienst und kamen spät heim.',
  'Der neue Fahrplan gilt ab April, Fahrkarten sind dann auch auf dem Telefon zu kaufen.',
  'Nach einem Jahr sieht sich der Rat die Zahlen an und entscheidet neu über das Geld.',
];
const JAPANESE = [
  '港湾局は十八日、夜間の連絡船を来年四月に再開すると発表した。運航は五年ぶりになる。',
  '市議会では費用を心配する声もあったが、長い議論のあと、賛成多数で予算案が可決された。',
  '住民の多くは夜勤のある職場に通っており、帰りの足がないことが長年の悩みだったという。',
  '新しい時刻表は四月から始まり、切符は携帯電話でも買えるようになる見通しだ。',
  '市は一年後に利用者の数を確かめ、続けるかどうかをあらためて判断することにしている。',
];
const told = (sentences: readonly string[]): string => sentences.map((text) => `<p>${text}</p>`).join('');
const link = (text: string): string => `<a href="/other/story.html">${text}</a>`;

describe('what stands around and within an article', () => {
  const TITLE = '<h1>Harbour stays open</h1>';
  const cases: readonly (readonly [fault: string, body: string, kept: readonly string[], head?: string])[] = [
    [
      'teasers above the headline',
      `<div class="articleContent"><h3>Pictures</h3><p>Our best photographs of the day, and what they show. ${link('Slideshow')}</p><h3>Royal visit</h3><p>The town waits for the guests. ${link('Slideshow')}</p>${TITLE}${told(ENGLISH)}</div>`,
      ENGLISH,
    ],
    [
      'one teaser below lists of links',
      `<div>${TITLE}${told(ENGLISH)}<ul>${`<li>${link('A story about something else')}</li>`.repeat(4)}</ul><h3>${link('Winter market opens with fewer stalls')}</h3><p>Traders blame the rent, but visitors will not notice.</p></div>`,
      ENGLISH,
    ],
    [
      'captions that end with a credit',
      `<div>${TITLE}<div><img src="/a.jpg"><span>A ferry leaves the port in the morning. Photo: Ann Lee</span></div>${told(ENGLISH.slice(0, 3))}<p>The old pier in winter (Ben Marsh / Harbour Gazette)</p>${told(ENGLISH.slice(3))}</div>`,
      ENGLISH,
    ],
    [
      'German captions',
      `<div>${TITLE}${told(GERMAN.slice(0, 3))}<p>Blick auf das Becken (Foto: Stadtarchiv)</p>${told(GERMAN.slice(3))}</div>`,
      GERMAN,
    ],
    [
      'Japanese captions',
      `<div>${TITLE}<div>港を出る連絡船＝十八日、河原花子撮影</div>${told(JAPANESE)}</div>`,
      JAPANESE,
    ],
    [
      'captions in inline elements',
      `<div>${TITLE}<div><img src="/a.jpg"><span class="caption">港を出る連絡船</span></div>${told(JAPANESE)}</div>`,
      JAPANESE,
    ],
    [
      'lines that are one link',
      `<div>${TITLE}${told(ENGLISH.slice(0, 2))}<p>PHOTOS: ${link('The harbour through the years')}</p>${told(ENGLISH.slice(2, 4))}<p>${link('Winter market opens with fewer stalls')}</p>${told(ENGLISH.slice(4))}</div>`,
      ENGLISH,
    ],
    [
      'labels before the first paragraph',
      `<div>${TITLE}<div>Text size</div><div>Ann Lee</div><div>x</div>${told(ENGLISH)}</div>`,
      ENGLISH,
    ],
    [
      'a long notice of rights',
      `<div>${TITLE}${told(ENGLISH)}<p>Copyright 2026 Harbour Gazette. All rights reserved. This material may not be published, broadcast, rewritten or redistributed. The news agency contributed to this report.</p></div>`,
      ENGLISH,
    ],
    [
      'a biography',
      `<div>${TITLE}${told(ENGLISH)}<p>Ann Lee has written about the port since 2011. She lives near it with two cats.</p></div>`,
      ENGLISH,
      '<meta name="author" content="Ann Lee">',
    ],
    [
      'rules below the comments',
      `<div>${TITLE}${told(ENGLISH)}<div class="comments"><h3>Comments (2)</h3><p>About time, I have waited for this for years!</p></div><div id="guidelines">Comments are checked before they appear. We make no promise that they are true.</div></div>`,
      ENGLISH,
    ],
    [
      'where an article appeared first, a newsletter, and a credit with bars',
      `<div>${TITLE}<p>Ann Lee | Harbour Gazette | Getty Images</p>${told(ENGLISH.slice(0, 3))}<p>Get ${link('Tide Table')}, our daily newsletter.</p>${told(ENGLISH.slice(3))}<p>This article originally appeared on Tidewater.com.</p></div>`,
      ENGLISH,
    ],
    [
      'the source of a picture and an invitation below the text',
      `<div>${TITLE}${told(ENGLISH)}<p>Photo source: Ann Lee from the harbour</p><p>Do you want to hear from the port? ${link('Sign up here')}</p></div>`,
      ENGLISH,
    ],
    [
      'settings of a script',
      `<div>${TITLE}${told(ENGLISH)}<div>{ "modules": [{"name": "video"}], "id": "2162757", "type": "story", "more": "yes. no. maybe." }</div></div>`,
      ENGLISH,
    ],
    [
      'a licence below the text',
      `<div>${TITLE}${told(GERMAN)}<p>Sofern nicht anders angegeben, stehen die Inhalte dieser Seite unter einer ${link('freien Lizenz')}.</p></div>`,
      GERMAN,
    ],
    [
      'a folded part of a dialog',
      `<div id="cookie-consent"><div class="content"><div class="accordion-content" style="display:none">${told(GERMAN)}${told(GERMAN)}</div></div></div><div class="entry-content">${TITLE}${told(ENGLISH)}</div>`,
      ENGLISH,
    ],
    [
      'a newsletter without a name',
      `<article>${TITLE}${told(ENGLISH.slice(0, 3))}<div class="nb"><div><h3>Get our morning newsletter</h3></div><p>The news that matters, before breakfast. It is free.</p></div>${told(ENGLISH.slice(3))}</article>`,
      ENGLISH,
    ],
    [
      'a German blog',
      `<div id="primary"><article>${TITLE}<div>${told(GERMAN)}<div><h3>Teilen mit:</h3><ul><li>${link('Klick, um zu teilen')}</li></ul></div></div><div>Dieser Eintrag wurde veröffentlicht in ${link('Allgemein')} und verschlagwortet mit ${link('Hafen')}.</div></article><div><h2>2 Gedanken zu „Harbour stays open“</h2><p>Sehr schöner Bericht, danke dafür! Ich wohne gleich nebenan.</p><h3>Hinterlasse eine Antwort</h3><p>Diese Website verwendet Akismet, um Spam zu reduzieren.</p></div></div>`,
      GERMAN,
    ],
    [
      'sources and further reading',
      `<div>${TITLE}${told(GERMAN)}<p>Quellenangaben:</p><ul><li>${link('Studie zum Hafen')}</li><li>${link('Bericht der Stadt')}</li></ul><h3>Weiterführende Informationen</h3><ul><li>${link('Das Gebiet am Fluss')}</li><li>${link('Förderung')}</li></ul></div>`,
      GERMAN,
    ],
  ];
  it.each(cases.map(([fault, body, kept, head = '']) => ({ fault, body, kept, head })))(
    'Q11 leaves out $fault',
    async ({ body, kept, head }) => {
      expect((await article(page(body, head))).text.split(/\n+/)).toEqual(kept);
    },
  );

  const inside: readonly (readonly [what: string, body: string, kept: readonly string[]])[] = [
    [
      'an introduction that stands outside of the text',
      `<article><header>${TITLE}<p class="teaser">${ENGLISH[0]}</p></header><div class="article-body">${told(ENGLISH.slice(1))}</div></article>`,
      ENGLISH,
    ],
    [
      'a long introduction that is called a teaser and leads nowhere',
      `<div class="main"><h3>Harbour stays open</h3><div class="teaser-text"><p>${ENGLISH.join(' ')}</p></div><div class="news-text">${told(ENGLISH)}${told(ENGLISH)}</div></div>`,
      [ENGLISH.join(' '), ...ENGLISH, ...ENGLISH],
    ],
    [
      'a subtitle',
      `<main>${TITLE}<h2>Ferries will soon run by night as well as by day</h2><aside class="c-body"><p>Ann Lee</p></aside><div class="article-body">${told(ENGLISH)}</div></main>`,
      ['Ferries will soon run by night as well as by day', ...ENGLISH],
    ],
    [
      'short lines that follow a longer one',
      `<article>${TITLE}<div class="entry-content"><p>Place: the old hall at the harbour, 12 Pier Street</p><p>Chair: Ben Marsh</p>${told(ENGLISH)}</div></article>`,
      ['Place: the old hall at the harbour, 12 Pier Street', 'Chair: Ben Marsh', ...ENGLISH],
    ],
    [
      'an address at the end',
      `<div class="entry-content">${TITLE}${told(ENGLISH)}<p><a href="/ferry">https://harbour.example/petition/ferry</a></p></div>`,
      [...ENGLISH, 'https://harbour.example/petition/ferry'],
    ],
    [
      'a short text with a longer column beside it',
      `<div><div class="post">${TITLE}<div class="post-entry"><p>${ENGLISH[0]}</p><p>The night ferry had been stopped five years ago for want of money</p><p>:-)</p></div></div><h2>Say something</h2><form><p>Name (required)</p></form><div id="sidebar"><h2>Latest notes</h2><ul><li>${'A warning: the plugin of this column is too old to be shown here. '.repeat(15)}</li></ul></div></div>`,
      [ENGLISH[0] ?? '', 'The night ferry had been stopped five years ago for want of money', ':-)'],
    ],
    [
      'a greeting before the text',
      `<div class="entry">${TITLE}<p>Dear neighbours,</p>${told(ENGLISH)}</div>`,
      ['Dear neighbours,', ...ENGLISH],
    ],
    [
      'the title of a list before the text',
      `<div class="entry">${TITLE}<p>We offer:</p><ul>${ENGLISH.map((text) => `<li>${text}</li>`).join('')}</ul></div>`,
      ['We offer:', ...ENGLISH],
    ],
    [
      'a list of links that is announced within the text',
      `<div class="entry">${TITLE}${told(ENGLISH.slice(0, 3))}<h4>What the port does:</h4><ul>${['Ferries by night', 'Repairs of small boats', 'Tickets on the phone'].map((text) => `<li>${link(text)}</li>`).join('')}</ul>${told(ENGLISH.slice(3))}</div>`,
      [
        ...ENGLISH.slice(0, 3),
        'What the port does:',
        'Ferries by night',
        'Repairs of small boats',
        'Tickets on the phone',
        ...ENGLISH.slice(3),
      ],
    ],
    [
      'a part of the text that is titled like comments',
      `<div class="entry">${TITLE}${told(ENGLISH.slice(0, 2))}<h3>Comments</h3><p>${ENGLISH[2]}</p><h3>What comes next</h3>${told(ENGLISH.slice(3))}</div>`,
      [...ENGLISH.slice(0, 2), 'What comes next', ...ENGLISH.slice(3)],
    ],
    [
      'more information that leads nowhere',
      `<div class="entry">${TITLE}${told(GERMAN.slice(0, 4))}<h3>Weitere Informationen</h3>${told(GERMAN.slice(4))}</div>`,
      [...GERMAN.slice(0, 4), 'Weitere Informationen', ...GERMAN.slice(4)],
    ],
    [
      'the main part, not a notice below it',
      `<div id="page"><div id="main">${TITLE}<div class="player-description" id="meta-information">${told(ENGLISH.slice(0, 4))}</div></div></div><div id="foot"><div><p>The port is not responsible, in any way, for pages of others, and never has been. Nor is the town.</p><p>This page looks best with style sheets, which your browser seems to lack, or has switched off. You can still read most of it.</p></div></div>`,
      ENGLISH.slice(0, 4),
    ],
    [
      'all tabs of a text',
      `<div class="content">${TITLE}${[0, 2, 4].map((from) => `<div class="panel"><h4><a href="#t${from}">Part ${from} of the plan</a></h4><div class="panel-body">${told(ENGLISH.slice(from, from + 2).map((text) => `${text} ${text}`))}</div></div>`).join('')}</div>`,
      [0, 2, 4].flatMap((from) => [
        `Part ${from} of the plan`,
        ...ENGLISH.slice(from, from + 2).map((text) => `${text} ${text}`),
      ]),
    ],
    [
      'a single sentence, without the menus around it',
      `<ul class="m">${`<li>Menu ${link('Another part of the town')}</li>`.repeat(9)}</ul><article>${TITLE}<div class="entry-content"><p>${ENGLISH[0]}</p></div></article>`,
      ENGLISH.slice(0, 1),
    ],
    [
      'the slides of a show that tell the story',
      `<div class="article_body">${TITLE}<p>${ENGLISH.join(' ')}</p><ul>${[0, 1, 2].map((n) => `<li class="item slideshow_one"><img src="/${n}.jpg"><h3>Part ${n} of the plan</h3><div>${`The plan says in part ${n} that more ferries are needed by spring. `.repeat(4).trim()}</div></li>`).join('')}</ul></div>`,
      [
        ENGLISH.join(' '),
        ...[0, 1, 2].flatMap((n) => [
          `Part ${n} of the plan`,
          `The plan says in part ${n} that more ferries are needed by spring. `.repeat(4).trim(),
        ]),
      ],
    ],
    [
      'a paragraph in an element that is named as a label',
      `<div class="entry">${TITLE}${told(ENGLISH.slice(0, 4))}<div class="recipe-meta"><p>${ENGLISH[4]} ${ENGLISH[5]}</p></div>${told(ENGLISH)}</div>`,
      [...ENGLISH.slice(0, 4), `${ENGLISH[4]} ${ENGLISH[5]}`, ...ENGLISH],
    ],
    [
      'a sentence that is a heading at the end',
      `<div class="entry">${TITLE}${told(ENGLISH)}<h3>All of you are welcome!</h3></div>`,
      [...ENGLISH, 'All of you are welcome!'],
    ],
    [
      'answers that a click unfolds',
      `<div class="entry-content">${TITLE}${told(ENGLISH.slice(0, 3))}${ENGLISH.slice(3)
        .map(
          (text, n) =>
            `<h3>Question ${n}?</h3><div class="accordion-content" aria-hidden="true"><p>${text}</p></div>`,
        )
        .join('')}</div>`,
      [...ENGLISH.slice(0, 3), ...ENGLISH.slice(3).flatMap((text, n) => [`Question ${n}?`, text])],
    ],
    [
      'the paragraphs above the tabs of a text',
      `<div id="page-content">${TITLE}<p>${ENGLISH[0]} ${ENGLISH[1]}</p><p>${ENGLISH[1]} ${ENGLISH[2]}</p><div class="tabs-content"><div id="tab-1">${told(ENGLISH.slice(2).map((text) => text.repeat(3)))}</div><div id="tab-2" style="display:none">${told(ENGLISH.slice(2).map((text) => `Then as now: ${text.repeat(3)}`))}</div></div></div>`,
      [
        `${ENGLISH[0]} ${ENGLISH[1]}`,
        `${ENGLISH[1]} ${ENGLISH[2]}`,
        ...ENGLISH.slice(2).map((text) => text.repeat(3)),
        ...ENGLISH.slice(2).map((text) => `Then as now: ${text.repeat(3)}`),
      ],
    ],
    [
      'an article in several elements',
      `<main>${TITLE}<div class="t">${told(ENGLISH.slice(0, 2))}</div><div class="ad">Advertisement</div><div class="t">${told(ENGLISH.slice(2, 4))}</div><div class="t">${told(ENGLISH.slice(4))}</div></main>`,
      ENGLISH,
    ],
    [
      'lists, tables, quotations, code and questions',
      `<div>${TITLE}${told(ENGLISH.slice(0, 2))}<ul><li>Ferry to the north</li></ul><table><tr><td>North</td><td>3 pounds</td></tr></table><blockquote><p>We waited long</p></blockquote><pre>{ "line": 1 }</pre><p><b>Why now?</b></p>${told(ENGLISH.slice(2))}</div>`,
      [
        ...ENGLISH.slice(0, 2),
        'Ferry to the north',
        'North 3 pounds',
        'We waited long',
        '{ "line": 1 }',
        'Why now?',
        ...ENGLISH.slice(2),
      ],
    ],
    [
      'links that an article is about',
      `<div>${TITLE}<p>${SENTENCE}</p>${ENGLISH.map((text, index) => `<p>${link(`Finding number ${index} of the week`)}</p><p>${text.repeat(4)}</p>`).join('')}</div>`,
      [
        SENTENCE.trim(),
        ...ENGLISH.flatMap((text, index) => [`Finding number ${index} of the week`, text.repeat(4)]),
      ],
    ],
    [
      'a recipe of short lines, without the shares below it',
      `<div class="entry-content">${TITLE}<p>Preparation: 30 minutes<br>(and 15 minutes in the oven)</p><p>200 g of sugar<br>300 g of flour<br>1 egg</p><p>Stir all of it to a smooth dough.</p><p>Lay out a tray with paper.</p><div class="sharedaddy"><h3>Share this:</h3><ul><li>${link('Twitter')}</li></ul></div></div>`,
      [
        'Preparation: 30 minutes',
        '(and 15 minutes in the oven)',
        '200 g of sugar',
        '300 g of flour',
        '1 egg',
        'Stir all of it to a smooth dough.',
        'Lay out a tray with paper.',
      ],
    ],
  ];
  it.each(inside)('Q11 keeps %s', async (_, body, kept) => {
    expect((await article(page(body))).text.split(/\n+/).map((line) => line.trim())).toEqual(kept);
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

  it('Q9 a notice is no short article', async () => {
    const notice = '<p>Please switch on JavaScript in your browser to read this page.</p>';
    expect(await read(page(`<article><h1>Harbour stays open</h1>${notice}</article>`))).toMatchObject({
      outcome: 'unreadable',
      why: 'no_text',
    });
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
