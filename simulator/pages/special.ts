import { type Encoding, encode } from '../feeds/encode.ts';
import type { Ask, Reply } from '../net/exchange.ts';
import { html, plainError, redirect } from '../net/reply.ts';
import { writeArticle } from '../texts/article.ts';
import { type ArticlePage, articlePage } from './article-page.ts';
import { pdf } from './pdf.ts';

/** Pages for one purpose each, at fixed addresses below `/special/`. */
export const SPECIAL_PAGES = [
  'article.html',
  'article-ja.html',
  'article-sjis.html',
  'article-eucjp.html',
  'paywall.html',
  'no-text.html',
  'slow.html',
  'error.html',
  'gone.html',
  'notes.txt',
  'picture.png',
  'report.pdf',
  'report-ja.pdf',
  'broken.pdf',
  'documents.html',
  'for-later.html',
  'redirect/3',
  'loop',
  'huge.html',
  'huge.pdf',
  'bomb.html',
] as const;

/** The response for one of them, or `null` for an unknown name. */
export function specialPage(ask: Ask, base: string): Reply | null {
  const name = ask.path.slice('/special/'.length);
  const url = `${base}${ask.path}`;
  const [word, rest] = name.split('/');
  switch (word) {
    case 'article.html':
      return html(articlePage(english(url)));
    case 'article-ja.html':
      return html(articlePage(japanese(url)));
    case 'article-sjis.html':
      return inEncoding(japanese(url), 'shift_jis', ask);
    case 'article-eucjp.html':
      return inEncoding(japanese(url), 'euc-jp', ask);
    case 'paywall.html':
      return html(articlePage({ ...english(url), paywalled: true }));
    case 'no-text.html':
      return html(articlePage({ ...english(url), text: [], background: [] }));
    case 'slow.html':
      return { ...html(articlePage(english(url))), delayMs: Number(ask.query.get('ms') ?? 3000) };
    case 'error.html':
      return plainError(Number(ask.query.get('status') ?? 500));
    case 'gone.html':
      return plainError(410);
    case 'notes.txt':
      return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'Only notes, no page.\n' };
    case 'picture.png':
      return { status: 200, headers: { 'content-type': 'image/png' }, body: PICTURE };
    case 'report.pdf':
      return asPdf(pdf(english(url).title, english(url).text));
    case 'report-ja.pdf':
      return asPdf(pdf(japanese(url).title, japanese(url).text));
    case 'broken.pdf':
      return asPdf(Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Catalog'));
    case 'documents.html':
      return html(articlePage({ ...japanese(url), documents: [...DOCUMENTS] }));
    case 'for-later.html':
      return html(
        articlePage({ ...japanese(url), text: ['会議の資料は、後日掲載します。'], background: [] }),
      );
    case 'redirect':
      return chain(Number(rest), base);
    case 'loop':
      return redirect(`${base}/special/loop`, 302);
    case 'huge.html':
      return html(articlePage({ ...english(url), text: [filled(ask)], background: [] }));
    case 'huge.pdf':
      return asPdf(Buffer.concat([pdf('Huge', ['Huge.']), Buffer.from(filled(ask))]));
    case 'bomb.html':
      return html(`<!doctype html><title>Deep</title>${'<div>'.repeat(100_000)}deep`);
    default:
      return null;
  }
}

function english(url: string): ArticlePage {
  const { title, paragraphs, background, byline } = writeArticle('en', 'databases', 'special');
  return {
    url,
    site: 'Special Pages',
    language: 'en',
    title,
    text: paragraphs,
    background,
    byline,
    publishedAt: DAY_ONE,
  };
}

function japanese(url: string): ArticlePage {
  const { title, paragraphs, background, byline } = writeArticle('ja', 'databases', 'special');
  return {
    url,
    site: '特別なページ',
    language: 'ja',
    title,
    text: paragraphs,
    background,
    byline,
    publishedAt: DAY_ONE,
  };
}

const DAY_ONE = Date.UTC(2026, 0, 5, 3);

const DOCUMENTS = [
  { name: '資料1　概要', href: '/special/report-ja.pdf' },
  { name: '資料2　英文', href: 'report.pdf' },
] as const;

/** `?in=header` names the encoding in the header, `?in=meta` in the page alone. */
function inEncoding(page: ArticlePage, encoding: Encoding, ask: Ask): Reply {
  const body = encode(articlePage({ ...page, charset: encoding }), encoding);
  const type = ask.query.get('in') === 'meta' ? 'text/html' : `text/html; charset=${encoding}`;
  return { status: 200, headers: { 'content-type': type }, body };
}

function asPdf(body: Buffer): Reply {
  return { status: 200, headers: { 'content-type': 'application/pdf' }, body };
}

/** So many hops, then the article. */
function chain(hops: number, base: string): Reply {
  if (!Number.isInteger(hops) || hops < 0) return plainError(404);
  if (hops === 0) return redirect(`${base}/special/article.html`, 301);
  return redirect(`${base}/special/redirect/${hops - 1}`, hops % 2 === 0 ? 301 : 302);
}

const LARGEST = 64 * 1024 * 1024;

function filled(ask: Ask): string {
  const bytes = Math.min(LARGEST, Number(ask.query.get('bytes') ?? 5_000_000) || 0);
  return 'All work and no play makes a page too large. '.repeat(Math.ceil(bytes / 45)).slice(0, bytes);
}

/** One transparent pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
