import { Readability } from '@mozilla/readability';
import type { PageDocument, PageElement, PageNode } from './page.ts';
import { isFolded } from './page-analysis.ts';
import { isDense } from './substance.ts';

/** Result of the library: the elements that contain the article, and its metadata. */
export interface MainContent {
  /** One for each attempt, the strictest first; only one if it found an article of the usual length. */
  readonly contents: readonly PageNode[];
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

/** Minimum length of an article in characters; the library tries again with less strict rules for shorter ones. */
const MIN_LENGTH = 500;

interface Attempt {
  readonly articleContent: PageNode;
}

/**
 * The library's search for the article. Only the text of its result is used, so everything that makes it presentable
 * (addresses of links and pictures, styles, class names) is skipped, and operations that cost the parser more than necessary
 * (a style object for each element, a selector for each tag) are replaced by cheaper ones.
 *
 * `dense`: the page is written in a script whose characters say more than a letter does. Modifies the document. `null` when
 * the library throws, as it does on some pages without a body and on some that are badly nested.
 */
export function findMainContent(
  document: PageDocument,
  { dense = false }: { readonly dense?: boolean } = {},
): MainContent | null {
  const reader = new Readability<PageNode>(document as never, {
    charThreshold: MIN_LENGTH,
    disableJSONLD: true,
    serializer: (node) => node as unknown as PageNode,
  });
  const attempts: PageNode[] = [];
  Object.assign(reader, {
    REGEXPS: { ...Reflect.get(Readability.prototype, 'REGEXPS'), commas: COMMAS },
    _attempts: attemptsKeptIn(attempts),
    _grabArticle: grabUnserialised,
    _isProbablyVisible: isVisible,
    _getAllNodesWithTag: withTags,
    _cleanStyles: noop,
    _fixLazyImages: noop,
    _postProcessContent: noop,
    ...(dense && { _getInnerText: paddedText, _getCharCount: countClauses }),
  });
  try {
    const read = reader.parse();
    const content = read?.content ?? null;
    return (
      read && {
        contents: content === null || attempts.includes(content) ? attempts : [...attempts, content],
        title: read.title?.trim() || null,
        byline: read.byline?.trim() || null,
      }
    );
  } catch {
    return null;
  }
}

/** The library sorts its attempts by length and takes the longest, which is the whole page where an article is short. */
function attemptsKeptIn(order: PageNode[]): Attempt[] {
  const list: Attempt[] = [];
  list.push = (...added) => {
    order.push(...added.map((attempt) => attempt.articleContent));
    return Array.prototype.push.apply(list, added);
  };
  return list;
}

/**
 * The text of an element, made as long as one of the same content in Latin letters: all limits of the library are meant for
 * those, and drop short Japanese paragraphs.
 */
function paddedText(element: PageNode, normalise = true): string {
  const text = element.textContent?.trim() ?? '';
  const plain = normalise ? text.replace(/\s{2,}/g, ' ') : text;
  let dense = 0;
  for (let index = 0; index < plain.length; index++) if (isDense(plain.charCodeAt(index))) dense++;
  return dense === 0 ? plain : plain + PADDING.repeat(Math.round(dense * 1.5));
}

/** A character without meaning, of one unit of length. */
const PADDING = '\u2060';

function countClauses(element: PageNode): number {
  return element.textContent?.match(COMMAS)?.length ?? 0;
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
  if (style !== null && HIDDEN_STYLE.test(style)) return isFolded(node);
  if (node.hasAttribute('hidden')) return false;
  if (node.getAttribute('aria-hidden') !== 'true' || isFolded(node)) return true;
  // Formulas are hidden from screen readers, and shown as pictures to others.
  return typeof node.className === 'string' && node.className.includes('fallback-image');
}

function withTags(node: SearchedElement, names: readonly string[]): readonly PageElement[] {
  return names.flatMap((name) => [...node.getElementsByTagName(name)]);
}
