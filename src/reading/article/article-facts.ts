import type { Article } from '../article.ts';
import type { PageSurvey } from './page-survey.ts';

/** The facts of an article that stand around its text. Links come out whole, and only those of the web. */
export function titleOf(page: PageSurvey, found: string | null, url: string): string {
  const title =
    page.meta.get('og:title') ||
    page.linkedData.headline ||
    page.meta.get('twitter:title') ||
    found ||
    page.title ||
    page.firstHeading;
  return title ? title.replace(/\s+/g, ' ').trim() : url;
}

export function isMissing(title: string): boolean {
  return /^(error )?404\b|^(page )?not found\b|ページが(見つかり|見つから|存在し)|お探しのページ/i.test(
    title,
  );
}

export function bylineOf(page: PageSurvey, found: string | null): string | null {
  const author = page.meta.get('author') ?? page.meta.get('article:author') ?? page.meta.get('dc.creator');
  const named = page.linkedData.author ?? (author !== undefined && !/^https?:/.test(author) ? author : null);
  return (named || found || page.author)?.replace(/\s+/g, ' ').trim().slice(0, 200) || null;
}

export function languageOf(page: PageSurvey, text: string): string | null {
  const said =
    page.language || page.linkedData.language || page.meta.get('og:locale') || page.meta.get('language');
  try {
    const [tag] = said ? Intl.getCanonicalLocales(said.trim().replaceAll('_', '-')) : [];
    if (tag !== undefined && tag !== 'und') return tag;
  } catch {
    // Not a language tag; the letters tell.
  }
  if (/[\u3040-\u30ff]/.test(text)) return 'ja';
  return /[\uac00-\ud7af]/.test(text) ? 'ko' : null;
}

/** A site that names its front page as the canonical address of everything is mistaken. */
export function canonicalOf(page: PageSurvey, url: string): string | null {
  const written = page.canonicalHref ?? page.meta.get('og:url') ?? null;
  const canonical = written === null || written.trim() === '' ? null : webAddress(written, page.base);
  if (canonical === null) return null;
  const isFrontPage = (address: URL): boolean => address.pathname === '/' && address.search === '';
  return isFrontPage(new URL(canonical)) && !isFrontPage(new URL(url)) ? null : canonical;
}

export function imageOf(page: PageSurvey): string | null {
  const written =
    page.meta.get('og:image') ||
    page.meta.get('og:image:url') ||
    page.meta.get('twitter:image') ||
    page.linkedData.image;
  return written ? webAddress(written, page.base) : null;
}

export function attachmentsOf(page: PageSurvey): Article['attachments'] {
  const byUrl = new Map<string, string>();
  for (const { href, name } of page.documentLinks) {
    const url = webAddress(href, page.base);
    if (url !== null && !byUrl.get(url)) byUrl.set(url, name || fileName(url));
  }
  return [...byUrl].map(([url, name]) => ({ url, name }));
}

function fileName(url: string): string {
  const last = new URL(url).pathname.split('/').pop() ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

export function webAddress(href: string, base: string): string | null {
  const url = URL.parse(href.trim(), base);
  if (
    !url ||
    (url.protocol !== 'http:' && url.protocol !== 'https:') ||
    url.username !== '' ||
    url.password !== ''
  )
    return null;
  url.hash = '';
  return url.href;
}
