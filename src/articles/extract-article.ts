import type { Article } from './article.ts';
import {
  attachmentsOf,
  bylineOf,
  canonicalOf,
  imageOf,
  isMissing,
  languageOf,
  publishedAt,
  titleOf,
  webAddress,
} from './article-metadata.ts';
import { linesNear } from './article-range.ts';
import { readMain } from './main-text.ts';
import { parsePage } from './page.ts';
import { surveyPage } from './page-survey.ts';
import { paywallOf } from './paywall.ts';
import { hasSubstance } from './substance.ts';

export interface Page {
  readonly html: string;
  /** After redirects. */
  readonly url: string;
  readonly now: number;
  /** Whether the article as HTML is wanted, too. */
  readonly withHtml?: boolean;
}

export type Extraction =
  | {
      readonly kind: 'article';
      readonly article: Omit<Article, 'html'>;
      /** Unsafe, and only where it was asked for; relative addresses are resolved by `base`. */
      readonly markup?: { readonly html: string; readonly base: string };
    }
  | { readonly kind: 'elsewhere'; readonly url: string }
  | {
      readonly kind: 'unreadable';
      readonly why: 'no_text' | 'paywall' | 'not_found' | 'too_large';
      readonly detail: string;
      readonly attachments?: Article['attachments'];
    };

const MAX_TEXT_LENGTH = 400_000;

/** Finds the article in a page. Pure and synchronous: run it where a hostile page does no harm. */
export function extractArticle(page: Page): Extraction {
  const document = parsePage(page.html);
  const found = document.documentElement && surveyPage(document.documentElement, page.url);
  if (!found) return { kind: 'unreadable', why: 'too_large', detail: 'the page has too many elements' };
  const main = readMain(page.html, document, found, {
    title: titleOf(found, null, page.url),
    author: bylineOf(found, null, () => []),
  });
  const text = main.text.slice(0, MAX_TEXT_LENGTH);
  const title = titleOf(found, main.title, page.url);
  if (isMissing(found.title ?? title) && !hasSubstance(text, 1000))
    return { kind: 'unreadable', why: 'not_found', detail: 'the page reports that it does not exist' };
  const paywall = paywallOf(found, text, main.analysis);
  if (paywall !== null) return { kind: 'unreadable', why: 'paywall', detail: paywall };
  if (!hasSubstance(text, main.minSubstance)) {
    const next = found.refreshTo === null ? null : webAddress(found.refreshTo, found.base);
    if (next !== null && next !== page.url) return { kind: 'elsewhere', url: next };
    return {
      kind: 'unreadable',
      why: 'no_text',
      detail: 'the page has no article text',
      attachments: attachmentsOf(found),
    };
  }
  const language = languageOf(found, text);
  const lines = () => linesNear(main.analysis, title, text);
  return {
    kind: 'article',
    article: {
      url: page.url,
      canonicalUrl: canonicalOf(found, page.url),
      title,
      byline: bylineOf(found, main.byline, lines),
      language,
      publishedAt: publishedAt(found, page.url, language, lines, page.now),
      text,
      headings: main.headings,
      imageUrl: imageOf(found),
      attachments: attachmentsOf(found),
    },
    ...(page.withHtml === true && { markup: { html: main.markup(), base: found.base } }),
  };
}
