import { extractArticle } from '../src/articles/extract-article.ts';
import { sanitiseArticle } from '../src/articles/sanitise.ts';

/** Seed inputs. */
export const seeds: readonly string[] = [
  `<html lang="en"><head><title>T</title><link rel=canonical href=/a></head><body><article>${'<p>The city said on Monday, that it stays open.</p>'.repeat(8)}<a href="x.pdf">x</a></article></body></html>`,
  '<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2026-01-01"}</script><p>text',
  '<table><tr><td><div><ul><li><svg><g><title>x</title></g></svg>',
  '<meta http-equiv=refresh content="0;url=/x"><base href="//h/">',
  '図書館は、夜まで開く。'.repeat(30),
];

/** Any page has an outcome, every link in it is HTTP or HTTPS, and nothing of it runs when it is shown. */
export function target(data: Uint8Array | string): void {
  const html = typeof data === 'string' ? data : Buffer.from(data).toString('utf8');
  const shown = sanitiseArticle(html, { baseUrl: 'https://site.example/a/b' });
  if (/<(?:script|style|iframe|svg|math|form|input|object|embed)\b|<[^>]*\s(?:on\w+|style)=/i.test(shown))
    throw new Error('markup that is not safe to show');
  const found = extractArticle({ html, url: 'https://site.example/a/b', now: Date.UTC(2026, 0, 2) });
  if (found.kind !== 'article') return;
  const { canonicalUrl, imageUrl, attachments } = found.article;
  for (const link of [canonicalUrl, imageUrl, ...attachments.map(({ url }) => url)])
    if (link !== null && !/^https?:\/\//.test(link)) throw new Error('a link that is not of the web');
}
