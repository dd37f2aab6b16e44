import type { Article } from '../article.ts';
import {
  attachmentsOf,
  bylineOf,
  canonicalOf,
  imageOf,
  isMissing,
  languageOf,
  titleOf,
  webAddress,
} from './article-facts.ts';
import { findMain } from './find-main.ts';
import { isElement, type PageDocument, type PageNode, walk } from './page-node.ts';
import { type PageSurvey, survey } from './page-survey.ts';
import { isDenseScript, linkShare, substance, textOf } from './page-text.ts';
import { parsePage } from './parse-page.ts';
import { paywallOf } from './paywall.ts';
import { publishedAt } from './published-at.ts';

export interface Page {
  readonly html: string;
  /** After redirects. */
  readonly url: string;
  readonly now: number;
}

export type Extraction =
  | { readonly kind: 'article'; readonly article: Article }
  | { readonly kind: 'elsewhere'; readonly url: string }
  | {
      readonly kind: 'unreadable';
      readonly why: 'no_text' | 'paywall' | 'not_found' | 'too_large';
      readonly detail: string;
      readonly attachments?: Article['attachments'];
    };

/** Less than this says nothing worth judging: a page that needs JavaScript, a cookie notice, a headline alone. */
const LEAST_SUBSTANCE = 140;
/** So much text is taken for the article without a second look. */
const CLEARLY_FOUND = 600;
/** Weighing ancestors takes the square of the depth; pages of people stay far below this. */
const MOST_DEPTH = 500;
/** Nearly all links: not an article, whatever it looks like. */
const A_MENU = 0.8;
const MOST_HEADINGS = 50;
const MOST_TEXT = 400_000;
/** Finds the article in a page. Pure and synchronous: run it where a hostile page does no harm. */
export function extractArticle(page: Page): Extraction {
  const dense = isDenseScript(page.html);
  const document = parsePage(page.html);
  const found = document.documentElement && survey(document.documentElement, page.url);
  if (!found) return { kind: 'unreadable', why: 'too_large', detail: 'the page has too many elements' };
  // The library takes the page apart; in the few cases that need it whole again, it is parsed again.
  const whole = once(() => bodyOf(parsePage(page.html)) ?? document);
  const main = readMain(document, found, dense, whole);
  const text = main.text.slice(0, MOST_TEXT);
  const title = titleOf(found, main.title, page.url);
  if (isMissing(found.title ?? title) && substance(text) < 1000)
    return { kind: 'unreadable', why: 'not_found', detail: 'the page says that it does not exist' };
  const paywall = paywallOf(found, text, () => textOf(whole()), page.html);
  if (paywall !== null) return { kind: 'unreadable', why: 'paywall', detail: paywall };
  if (substance(text) < LEAST_SUBSTANCE) {
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
  return {
    kind: 'article',
    article: {
      url: page.url,
      canonicalUrl: canonicalOf(found, page.url),
      title,
      byline: bylineOf(found, main.byline),
      language,
      publishedAt: publishedAt(found, language, page.now),
      text,
      headings: main.headings,
      imageUrl: imageOf(found),
      attachments: attachmentsOf(found),
    },
  };
}

interface Main {
  readonly text: string;
  readonly title: string | null;
  readonly byline: string | null;
  readonly headings: readonly string[];
}

/** The library first; where it finds little, the page as a whole without its furniture. */
function readMain(document: PageDocument, found: PageSurvey, dense: boolean, whole: () => PageNode): Main {
  if (found.depth > MOST_DEPTH)
    return {
      text: textOf(bodyOf(document) ?? document, isFurniture),
      title: null,
      byline: null,
      headings: [],
    };
  // Characters of a dense script say more than twice as much each.
  const read = findMain(document, dense ? 200 : 500);
  const content = read?.content ?? null;
  const text = content && linkShare(content) < A_MENU ? textOf(content) : '';
  const about = { title: read?.title ?? null, byline: read?.byline ?? null };
  if (content && substance(text) >= CLEARLY_FOUND) return { ...about, text, headings: headingsOf(content) };
  const everything = linkShare(whole()) < A_MENU ? textOf(whole(), isFurniture) : '';
  const missed = substance(text) < LEAST_SUBSTANCE || substance(everything) > 8 * substance(text);
  if (content && !missed) return { ...about, text, headings: headingsOf(content) };
  return { ...about, text: everything, headings: headingsOf(whole()) };
}

function isFurniture(name: string): boolean {
  return (
    name === 'nav' ||
    name === 'header' ||
    name === 'footer' ||
    name === 'aside' ||
    name === 'form' ||
    name === 'dialog'
  );
}

function headingsOf(root: PageNode): readonly string[] {
  const headings: string[] = [];
  walk(root, (node) => {
    if (!isElement(node)) return node === root ? 'inside' : 'past';
    if (!/^h[1-6]$/.test(node.localName)) return isFurniture(node.localName) ? 'past' : 'inside';
    const text = textOf(node).replace(/\s+/g, ' ');
    if (text !== '' && headings.length < MOST_HEADINGS) headings.push(text.slice(0, 300));
    return 'past';
  });
  return headings;
}

/** A page without a body of its own is given an empty one by the parser. */
function bodyOf({ body, documentElement: root }: PageDocument): PageNode | null {
  return body?.firstChild ? body : root;
}

function once<T>(read: () => T): () => T {
  let value: { readonly it: T } | null = null;
  return () => {
    value ??= { it: read() };
    return value.it;
  };
}
