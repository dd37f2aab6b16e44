import type { UnreadableReason } from './article.ts';

export interface HostilePage {
  readonly name: string;
  readonly status?: number;
  readonly type?: string;
  readonly html: string;
  /** Why it is unreadable, or what its text must contain. */
  readonly expected: { readonly why: UnreadableReason } | { readonly holds: string };
}

const sentence =
  'The library will stay open until nine in the evening, the city said on Monday, and readers welcomed the news. ';
const paragraph = `<p>${sentence.repeat(3)}</p>`;
export const article = `<article><h1>Library stays open</h1>${paragraph.repeat(6)}</article>`;
const teaser = `<article><h1>Library stays open</h1>${paragraph}</article>`;
const page = (body: string, head = '<title>Library stays open</title>'): string =>
  `<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`;
const linkedData = (value: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const readable = { holds: 'stay open until nine in the evening' };

/** Pages as publishers and attackers serve them, each with the outcome it must have. */
export const hostilePages: readonly HostilePage[] = [
  { name: 'an article', html: page(article), expected: readable },
  // Not found, or not public.
  { name: 'not found', status: 404, html: page(article), expected: { why: 'not_found' } },
  { name: 'gone', status: 410, html: '', expected: { why: 'not_found' } },
  {
    name: 'not found, said with 200',
    html: page('<p>Sorry.</p>', '<title>404 Not Found</title>'),
    expected: { why: 'not_found' },
  },
  {
    name: 'not found in Japanese, said with 200',
    html: page('<p>トップページへ戻る</p>', '<title>ページが見つかりません｜新聞</title>'),
    expected: { why: 'not_found' },
  },
  {
    name: 'an article about 404',
    html: page(article, '<title>404 days without rain</title>'),
    expected: readable,
  },
  { name: 'unauthorised', status: 401, html: page(article), expected: { why: 'paywall' } },
  { name: 'payment required', status: 402, html: page(article), expected: { why: 'paywall' } },
  { name: 'forbidden', status: 403, html: page(article), expected: { why: 'paywall' } },
  {
    name: 'JSON-LD says that it is not free',
    html: page(teaser, linkedData({ '@type': 'NewsArticle', isAccessibleForFree: 'False' })),
    expected: { why: 'paywall' },
  },
  {
    name: 'JSON-LD says that a part is not free',
    html: page(
      teaser,
      linkedData({
        '@graph': [{ '@type': 'NewsArticle', hasPart: [{ isAccessibleForFree: false, cssSelector: '.x' }] }],
      }),
    ),
    expected: { why: 'paywall' },
  },
  {
    name: 'not free, and yet all there',
    html: page(
      article,
      linkedData({ '@type': 'NewsArticle', isAccessibleForFree: false }).repeat(1),
    ).replaceAll('</article>', `${paragraph.repeat(6)}</article>`),
    expected: readable,
  },
  {
    name: 'a locked tier',
    html: page(teaser, '<meta property="article:content_tier" content="locked">'),
    expected: { why: 'paywall' },
  },
  {
    name: 'a teaser and an offer',
    html: page(`${teaser}<div>Subscribe to continue reading. Already a subscriber? Sign in.</div>`),
    expected: { why: 'paywall' },
  },
  {
    name: 'a paywall by its class name',
    html: page(
      '<div class="article paywall"><p>The library will stay open, the city said on Monday, but more is not told here.</p></div>',
    ),
    expected: { why: 'paywall' },
  },
  {
    name: 'an article that talks about paywalls',
    html: page(article.replace('Library', 'Paywall')),
    expected: readable,
  },
  // The server.
  { name: 'a server error', status: 500, html: page(article), expected: { why: 'server_error' } },
  { name: 'too many requests', status: 429, html: '', expected: { why: 'server_error' } },
  { name: 'a bad request', status: 400, html: '', expected: { why: 'server_error' } },
  { name: 'a request that took too long', status: 408, html: '', expected: { why: 'timeout' } },
  // Not a page.
  { name: 'a PDF', type: 'application/pdf', html: '%PDF-1.4', expected: { why: 'not_html' } },
  { name: 'a PDF that says it is a page', html: '%PDF-1.4 and more', expected: { why: 'not_html' } },
  { name: 'a picture', type: 'image/png', html: '\x89PNG', expected: { why: 'not_html' } },
  { name: 'JSON', type: 'application/json', html: '{"a":1}', expected: { why: 'not_html' } },
  { name: 'plain text', type: 'text/plain', html: sentence.repeat(5), expected: { why: 'not_html' } },
  {
    name: 'a feed',
    type: 'application/xml',
    html: '<?xml version="1.0"?><rss><title>x</title></rss>',
    expected: { why: 'not_html' },
  },
  { name: 'a page that says it is plain text', type: 'text/plain', html: page(article), expected: readable },
  { name: 'a page without a type', type: '', html: page(article), expected: readable },
  {
    name: 'XHTML',
    type: 'application/xhtml+xml',
    html: `<?xml version="1.0"?>${page(article)}`,
    expected: readable,
  },
  // Nothing to read.
  { name: 'nothing', html: '', expected: { why: 'no_text' } },
  { name: 'white space', html: ' \n\t ', expected: { why: 'no_text' } },
  {
    name: 'an application that needs JavaScript',
    html: page(
      '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/a.js"></script>',
    ),
    expected: { why: 'no_text' },
  },
  { name: 'a headline alone', html: page('<h1>Library stays open</h1>'), expected: { why: 'no_text' } },
  {
    name: 'frames',
    html: '<html><frameset><frame src="a.html"></frameset></html>',
    expected: { why: 'no_text' },
  },
  {
    name: 'a list of links',
    html: page(`<nav>${'<a href="/x">Another story</a> '.repeat(200)}</nav>`),
    expected: { why: 'no_text' },
  },
  {
    name: 'scripts alone',
    html: page(`<script>${'var a = "text text text";'.repeat(500)}</script>`),
    expected: { why: 'no_text' },
  },
  // Broken markup that people read without noticing.
  { name: 'no root element', html: `<title>x</title>${article}`, expected: readable },
  {
    name: 'nothing closed',
    html: `<html><body><div><h1>Library<p>${sentence.repeat(5)}<p>${sentence.repeat(5)}`,
    expected: readable,
  },
  { name: 'a root without a body', html: `<html><t><p>${sentence.repeat(5)}`, expected: readable },
  { name: 'text without elements', html: sentence.repeat(10), expected: readable },
  {
    name: 'everything in one div with breaks',
    html: page(`<div>${`${sentence}<br><br>`.repeat(12)}</div>`),
    expected: readable,
  },
  { name: 'everything in a form', html: page(`<form>${article}</form>`), expected: readable },
  {
    name: 'zero bytes in the text',
    html: page(article).replaceAll('the', '\0the'),
    expected: { holds: 'stay open until nine' },
  },
  {
    name: 'a comment without end',
    html: `${page(article).replace('</body></html>', '')}<!-- ${'x'.repeat(100_000)}`,
    expected: readable,
  },
  {
    name: 'JSON-LD that is none',
    html: page(article, '<script type="application/ld+json">{"@type": oops</script>'),
    expected: readable,
  },
  {
    name: 'JSON-LD in a circle of depths',
    html: page(
      article,
      `<script type="application/ld+json">${'[{"@graph":'.repeat(3000)}1${'}]'.repeat(3000)}</script>`,
    ),
    expected: readable,
  },
  {
    name: 'a base that is no address',
    html: page(article, '<base href="javascript:alert(1)">'),
    expected: readable,
  },
  {
    name: 'a refresh to itself',
    html: page('', '<meta http-equiv="refresh" content="0; url=/">'),
    expected: { why: 'no_text' },
  },
  {
    name: 'a refresh to the inside',
    html: page('', '<meta http-equiv="refresh" content="0; url=http://10.0.0.1/">'),
    expected: { why: 'blocked_address' },
  },
  {
    name: 'a refresh to an article',
    html: page('', '<meta http-equiv="refresh" content="0; url=\'/article\'">'),
    expected: readable,
  },
  // Hostile.
  { name: 'five thousand levels', html: `${'<div>'.repeat(5000)}${article}`, expected: readable },
  { name: 'twenty thousand list levels', html: `${'<ul><li>'.repeat(10_000)}${article}`, expected: readable },
  { name: 'a deep drawing', html: page(`<svg>${'<g>'.repeat(20_000)}</svg>${article}`), expected: readable },
  { name: 'elements without end', html: page('<i>x</i>'.repeat(100_000)), expected: { why: 'too_large' } },
  {
    name: 'an element with endless attributes',
    html: page(`<a ${'x=y '.repeat(100_000)}>x</a>${article}`),
    expected: readable,
  },
  { name: 'a word without end', html: page(`<p>${'a'.repeat(2_000_000)}</p>`), expected: { holds: 'aaaa' } },
];
