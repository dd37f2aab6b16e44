import { xml } from '../feeds/format.ts';

export interface ArticlePage {
  /** Its own address: the canonical link. */
  readonly url: string;
  readonly site: string;
  readonly language: string;
  readonly title: string;
  readonly text: readonly string[];
  /** Paragraphs below a heading of their own. */
  readonly background?: readonly string[];
  readonly publishedAt: number;
  readonly byline?: string;
  readonly charset?: string;
  readonly documents?: readonly { readonly name: string; readonly href: string }[];
  /** Links below the article. */
  readonly related?: readonly { readonly title: string; readonly href: string }[];
  readonly paywalled?: boolean;
}

/** A page as newspapers serve them: the article, and everything around it that is not the article. */
export function articlePage(page: ArticlePage): string {
  const words = page.language === 'ja' ? JAPANESE : ENGLISH;
  const date = new Date(page.publishedAt).toISOString();
  return `<!doctype html>
<html lang="${page.language}">
<head>
<meta charset="${page.charset ?? 'utf-8'}">
<title>${xml(page.title)} | ${xml(page.site)}</title>
<link rel="canonical" href="${xml(page.url)}">
<meta property="og:type" content="article">
<meta property="og:title" content="${xml(page.title)}">
<meta property="og:site_name" content="${xml(page.site)}">
<meta property="article:published_time" content="${date}">
${page.byline === undefined ? '' : `<meta name="author" content="${xml(page.byline)}">`}
<script type="application/ld+json">${jsonLd(page, date)}</script>
<style>body{font-family:Georgia,serif;max-width:42em;margin:2em auto;line-height:1.6}nav ul{display:flex;gap:1em;list-style:none;padding:0}</style>
</head>
<body>
<header><a href="/">${xml(page.site)}</a><nav><ul>${words.sections.map((name) => `<li><a href="#">${name}</a></li>`).join('')}</ul></nav></header>
<aside class="cookie-banner">${words.cookies}</aside>
<main>
<article>
<h1>${xml(page.title)}</h1>
<p class="byline">${page.byline === undefined ? '' : `<span rel="author">${xml(words.by(page.byline))}</span> · `}<time datetime="${date}">${date.slice(0, 10)}</time></p>
${body(page, words)}
${documents(page, words)}
</article>
</main>
<aside class="related"><h2>${words.related}</h2><ul>${(page.related ?? []).map((link) => `<li><a href="${xml(link.href)}">${xml(link.title)}</a></li>`).join('')}</ul></aside>
<aside class="newsletter"><h2>${words.newsletter}</h2><form><input type="email"><button>OK</button></form></aside>
<footer>${words.footer}</footer>
</body>
</html>
`;
}

function body(page: ArticlePage, words: Words): string {
  const paragraphs = (texts: readonly string[]): string =>
    texts.map((text) => `<p>${xml(text)}</p>`).join('\n');
  const background = page.background?.length
    ? `<h2>${words.background}</h2>\n${paragraphs(page.background)}`
    : '';
  if (!page.paywalled) return `${paragraphs(page.text)}\n${background}`;
  const teaser = (page.text[0] ?? '').slice(0, 60);
  return `<p>${xml(teaser)}…</p><div class="paywall" data-testid="paywall"><p>${words.paywall}</p><a href="#">${words.subscribe}</a></div>`;
}

function documents(page: ArticlePage, words: Words): string {
  if (!page.documents?.length) return '';
  const links = page.documents.map(
    ({ name, href }) => `<li><a href="${xml(href)}">${xml(name)}（PDF）</a></li>`,
  );
  return `<section class="documents"><h2>${words.documents}</h2><ul>${links.join('')}</ul></section>`;
}

function jsonLd(page: ArticlePage, date: string): string {
  return JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'NewsArticle',
    headline: page.title,
    datePublished: date,
    inLanguage: page.language,
    isAccessibleForFree: !page.paywalled,
    ...(page.byline === undefined ? {} : { author: { '@type': 'Person', name: page.byline } }),
  }).replaceAll('<', '\\u003c');
}

interface Words {
  readonly sections: readonly string[];
  readonly cookies: string;
  readonly by: (name: string) => string;
  readonly related: string;
  readonly newsletter: string;
  readonly footer: string;
  readonly paywall: string;
  readonly subscribe: string;
  readonly documents: string;
  readonly background: string;
}

const ENGLISH: Words = {
  sections: ['Home', 'Politics', 'Business', 'Technology', 'Culture', 'About us'],
  cookies: 'We use cookies to remember that you saw this banner. Accept or decline.',
  by: (name) => `By ${name}`,
  related: 'Read on',
  newsletter: 'Our letter, every Friday',
  footer: 'All rights reserved. Contact, imprint, terms of use.',
  paywall: 'This article is for subscribers. Subscribe to continue reading.',
  subscribe: 'Subscribe now',
  documents: 'Documents',
  background: 'Background',
};

const JAPANESE: Words = {
  sections: ['トップ', '政治', '経済', '技術', '文化', '会社案内'],
  cookies: '当サイトではクッキーを使用しています。同意する・同意しない',
  by: (name) => `文・${name}`,
  related: 'あわせて読みたい',
  newsletter: '毎週金曜日のお便り',
  footer: '無断転載を禁じます。お問い合わせ・利用規約',
  paywall: 'この記事は会員限定です。続きを読むには購読の手続きが必要です。',
  subscribe: '購読する',
  documents: '資料',
  background: '背景',
};
