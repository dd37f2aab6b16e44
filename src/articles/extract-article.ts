import { Readability } from '@mozilla/readability';
import { textToHtml } from '../feeds/text-html.ts';
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
import {
  isElement,
  linkShare,
  markupOf,
  type PageDocument,
  type PageElement,
  type PageNode,
  parsePage,
  textOf,
  walk,
} from './page.ts';
import { type PageSurvey, surveyPage } from './page-survey.ts';
import { isDenseScript, substance } from './substance.ts';

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

/** Shorter texts are not worth judging: a page that needs JavaScript, a cookie notice, a headline alone. */
const MIN_SUBSTANCE = 140;
/** A text of this length is taken for the article without further checks. */
const SUFFICIENT_SUBSTANCE = 600;
/** Scoring ancestors is quadratic in the depth; real pages stay far below this. */
const MAX_DEPTH = 500;
/** A higher share of links means a list or menu, not an article. */
const MAX_LINK_SHARE = 0.8;
const MAX_HEADINGS = 50;
const MAX_TEXT_LENGTH = 400_000;
/** Finds the article in a page. Pure and synchronous: run it where a hostile page does no harm. */
export function extractArticle(page: Page): Extraction {
  const dense = isDenseScript(page.html);
  const document = parsePage(page.html);
  const found = document.documentElement && surveyPage(document.documentElement, page.url);
  if (!found) return { kind: 'unreadable', why: 'too_large', detail: 'the page has too many elements' };
  // The library modifies the page; the few cases that need all of it parse it again.
  const fullPage = lazily(() => bodyOf(parsePage(page.html)) ?? document);
  const main = readMain(document, found, dense, fullPage);
  const text = main.text.slice(0, MAX_TEXT_LENGTH);
  const title = titleOf(found, main.title, page.url);
  if (isMissing(found.title ?? title) && substance(text) < 1000)
    return { kind: 'unreadable', why: 'not_found', detail: 'the page reports that it does not exist' };
  const paywall = paywallOf(found, text, () => textOf(fullPage()), page.html);
  if (paywall !== null) return { kind: 'unreadable', why: 'paywall', detail: paywall };
  if (substance(text) < MIN_SUBSTANCE) {
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
    ...(page.withHtml === true && { markup: { html: main.markup(), base: found.base } }),
  };
}

interface ExtractedMain {
  readonly text: string;
  readonly markup: () => string;
  readonly title: string | null;
  readonly byline: string | null;
  readonly headings: readonly string[];
}

/** The result of the library; if that is short, the whole page without its boilerplate. */
function readMain(
  document: PageDocument,
  found: PageSurvey,
  dense: boolean,
  fullPage: () => PageNode,
): ExtractedMain {
  if (found.depth > MAX_DEPTH) {
    const text = textOf(bodyOf(document) ?? document, isBoilerplate);
    return { text, markup: () => textToHtml(text), title: null, byline: null, headings: [] };
  }
  // Characters of a dense script carry more than twice as much information each.
  const read = findMainContent(document, dense ? 200 : 500);
  const content = read?.content ?? null;
  const text = content && linkShare(content) < MAX_LINK_SHARE ? textOf(content) : '';
  const about = { title: read?.title ?? null, byline: read?.byline ?? null };
  if (content && substance(text) >= SUFFICIENT_SUBSTANCE)
    return { ...about, text, markup: () => markupOf(content), headings: headingsOf(content) };
  const everything = linkShare(fullPage()) < MAX_LINK_SHARE ? textOf(fullPage(), isBoilerplate) : '';
  const missed = substance(text) < MIN_SUBSTANCE || substance(everything) > 8 * substance(text);
  if (content && !missed)
    return { ...about, text, markup: () => markupOf(content), headings: headingsOf(content) };
  return {
    ...about,
    text: everything,
    markup: () => markupOf(fullPage(), isBoilerplate),
    headings: headingsOf(fullPage()),
  };
}

function isBoilerplate(name: string): boolean {
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
    if (!/^h[1-6]$/.test(node.localName)) return isBoilerplate(node.localName) ? 'past' : 'inside';
    const text = textOf(node).replace(/\s+/g, ' ');
    if (text !== '' && headings.length < MAX_HEADINGS) headings.push(text.slice(0, 300));
    return 'past';
  });
  return headings;
}

/** A page without a body of its own is given an empty one by the parser. */
function bodyOf({ body, documentElement: root }: PageDocument): PageNode | null {
  return body?.firstChild ? body : root;
}

function lazily<T>(read: () => T): () => T {
  let value: { readonly it: T } | null = null;
  return () => {
    value ??= { it: read() };
    return value.it;
  };
}

/** Sentences that replace the remainder of an article behind a paywall. */
const PHRASES: readonly RegExp[] = [
  /この記事は(有料|会員|購読者)/,
  /(有料|購読者|会員)(会員)?限定(の)?(記事|コンテンツ|です)/,
  /続きを(読む|お読みいただく|ご覧いただく)(に|た)は.{0,20}(登録|購読|ログイン|会員)/,
  /(残り|あと)[:：\s]*[\d,０-９]+\s*文字/,
  /会員登録(する|いただく)と.{0,20}(続き|全文)/,
  /(subscribe|sign in|log in|register|create (a|your) (free )?account) to (continue|keep) reading/i,
  /(this|the) (article|story|content|post) is (only )?(for|available to|reserved for) (paid |paying )?(subscribers|members)/i,
  /already a subscriber\?/i,
  /to (continue|keep) reading,? (please )?(subscribe|sign in|log in|register)/i,
  /(subscribers?|members?)[- ]only (article|content|story|post)/i,
];

const CLASS_NAME =
  /class\s*=\s*["'][^"'<>]{0,200}\b(paywall|subscribers?-only|premium-lock|metered-content|piano-offer|tp-container|regwall)\b/i;

/** A longer text is an article, not a teaser, even if the page declares a paywall. */
const MIN_FULL_ARTICLE_LENGTH = 2500;
/** A teaser with a hint in its class names only. */
const MAX_TEASER_LENGTH = 500;

/** Why this page is behind a paywall, or `null` when what we have of it is enough. */
export function paywallOf(
  page: PageSurvey,
  text: string,
  pageText: () => string,
  html: string,
): string | null {
  const much = substance(text);
  if (much >= MIN_FULL_ARTICLE_LENGTH) return null;
  if (page.linkedData.free === false) return 'the page is marked as not free to read';
  const tier = page.meta.get('article:content_tier') ?? page.meta.get('og:article:content_tier');
  if (tier !== undefined && /^(locked|metered|paid|premium)$/i.test(tier))
    return `the page is marked as ${tier.toLowerCase()}`;
  if (asksToPay(pageText())) return 'the page asks to subscribe or sign in';
  if (much < MAX_TEASER_LENGTH && CLASS_NAME.test(html)) return 'the page hides its text behind a paywall';
  return null;
}

function asksToPay(text: string): boolean {
  return PHRASES.some((phrase) => phrase.test(text));
}

/** Result of the library: the element that contains the article, and its metadata. */
export interface MainContent {
  readonly content: PageNode | null;
  readonly title: string | null;
  readonly byline: string | null;
}

interface SearchedElement extends PageElement {
  readonly className: unknown;
  hasAttribute(name: string): boolean;
  getElementsByTagName(name: string): Iterable<PageElement>;
}

/** Japanese separates its clauses with a comma of its own, which counts as one when paragraphs are weighed. */
const COMMAS = /[,\u060C\uFE50\uFE10\uFE11\u2E41\u2E34\u2E32\uFF0C\u3001]/g;
const HIDDEN_STYLE = /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)\b/i;
const noop = (): void => {};

/**
 * The library's search for the article. Only the text of its result is used, so everything that makes it presentable
 * (addresses of links and pictures, styles, class names) is skipped, and operations that cost the parser more than necessary
 * (a style object for each element, a selector for each tag) are replaced by cheaper ones.
 *
 * `least`: minimum length of an article in characters. Modifies the document. `null` when the library throws, as it does on
 * some pages without a body and on some that are badly nested.
 */
export function findMainContent(document: PageDocument, least: number): MainContent | null {
  const reader = new Readability<PageNode>(document as never, {
    charThreshold: least,
    disableJSONLD: true,
    serializer: (node) => node as unknown as PageNode,
  });
  Object.assign(reader, {
    REGEXPS: { ...Reflect.get(Readability.prototype, 'REGEXPS'), commas: COMMAS },
    _grabArticle: grabUnserialised,
    _isProbablyVisible: isVisible,
    _getAllNodesWithTag: withTags,
    _cleanStyles: noop,
    _fixLazyImages: noop,
    _postProcessContent: noop,
  });
  try {
    const read = reader.parse();
    return (
      read && {
        content: read.content ?? null,
        title: read.title?.trim() || null,
        byline: read.byline?.trim() || null,
      }
    );
  } catch {
    return null;
  }
}

/** The library serializes its result as HTML for a debug log that is not used. */
function grabUnserialised(this: Readability<PageNode>): PageNode | null {
  const grab: () => PageNode | null = Reflect.get(Readability.prototype, '_grabArticle');
  const content = grab.call(this);
  if (content) Object.defineProperty(content, 'innerHTML', { value: '' });
  return content;
}

function isVisible(node: SearchedElement): boolean {
  const style = node.getAttribute('style');
  if (style !== null && HIDDEN_STYLE.test(style)) return false;
  if (node.hasAttribute('hidden')) return false;
  if (node.getAttribute('aria-hidden') !== 'true') return true;
  // Formulas are hidden from screen readers, and shown as pictures to others.
  return typeof node.className === 'string' && node.className.includes('fallback-image');
}

function withTags(node: SearchedElement, names: readonly string[]): readonly PageElement[] {
  return names.flatMap((name) => [...node.getElementsByTagName(name)]);
}
