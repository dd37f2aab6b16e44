import { Readability } from '@mozilla/readability';
import type { PageDocument, PageElement, PageNode } from './page-node.ts';

/** What the library found: the part of the page that is its article, and what it says about itself. */
export interface FoundMain {
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
const nothing = (): void => {};

/**
 * The library's search for the article. Only the text is taken from what it finds, so all that makes it fit to be shown
 * (addresses of links and pictures, styles, class names) is left out, and what asks the parser for more than it needs to
 * (a style object for each element, a selector for each tag) is asked in a cheaper way.
 *
 * `least`: so many characters make an article. The document is used up. `null` when the library breaks, as it does on
 * some pages without a body and on some that are nested badly.
 */
export function findMain(document: PageDocument, least: number): FoundMain | null {
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
    _cleanStyles: nothing,
    _fixLazyImages: nothing,
    _postProcessContent: nothing,
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

/** The library writes what it found out as HTML, for a log that nobody asked for. */
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
  // Formulas are hidden from readers of screens, and shown as pictures to others.
  return typeof node.className === 'string' && node.className.includes('fallback-image');
}

function withTags(node: SearchedElement, names: readonly string[]): readonly PageElement[] {
  return names.flatMap((name) => [...node.getElementsByTagName(name)]);
}
