import { Element, Node, parseHTML } from 'linkedom';
import { escapeHtml } from '../feeds/text-html.ts';

/** The part of a DOM that reading a page needs. What the parser returns has more, and none of it is used. */
export interface PageNode {
  readonly nodeType: number;
  readonly firstChild: PageNode | null;
  readonly nextSibling: PageNode | null;
  readonly parentNode: PageNode | null;
  readonly textContent: string | null;
}

export interface PageElement extends PageNode {
  readonly localName: string;
  getAttribute(name: string): string | null;
}

export interface PageDocument extends PageNode {
  readonly documentElement: PageElement | null;
  readonly body: PageElement | null;
}

const ELEMENT = 1;
const TEXT = 3;

export function isElement(node: PageNode): node is PageElement {
  return node.nodeType === ELEMENT;
}

export function isText(node: PageNode): boolean {
  return node.nodeType === TEXT;
}

/** Decision of a visitor about an element: descend into it, or skip it. */
export type Visit = 'inside' | 'past';

/**
 * Goes through a tree in the order of the page, without recursion: a page may be nested deeper than any stack.
 * Returns `false` when it was stopped by `maxElements`.
 */
export function walk(
  root: PageNode,
  enter: (node: PageNode) => Visit,
  leave: (element: PageElement) => void = () => {},
  maxElements = Number.POSITIVE_INFINITY,
): boolean {
  let seen = 0;
  let node: PageNode | null = root;
  while (node) {
    if (isElement(node) && ++seen > maxElements) return false;
    const inside: PageNode | null = enter(node) === 'inside' ? node.firstChild : null;
    if (inside) {
      node = inside;
      continue;
    }
    let done: PageNode | null = node;
    node = null;
    while (done) {
      if (isElement(done)) leave(done);
      if (done === root) break;
      if (done.nextSibling) {
        node = done.nextSibling;
        break;
      }
      done = done.parentNode;
    }
  }
  return true;
}

/** Replaces the event target of the parser's nodes. */
class NoEventTarget {}

// The parser gives every node a list of listeners in a weak map, which takes a third of the time of parsing a page, most
// of it in the garbage collector. No listeners are needed here, so the nodes get none: `super()` resolves the prototype
// when a node is created.
Object.setPrototypeOf(Node.prototype.constructor, NoEventTarget);

// The parser makes a set of the class names of an element whenever they are read, even as text.
const { set: setClassName } = Object.getOwnPropertyDescriptor(Element.prototype, 'className') ?? {};
Object.defineProperty(Element.prototype, 'className', {
  configurable: true,
  get(this: { getAttributeNode(name: string): { readonly value: string } | null }) {
    return this.getAttributeNode('class')?.value ?? '';
  },
  ...(setClassName && { set: setClassName }),
});

// The parser makes the name of an element in capitals whenever it is read, which the library does for every element several
// times.
const capitals = new Map<string, string>();
const MAX_NAMES = 1000;
const inCapitals = {
  configurable: true,
  get(this: { readonly localName: string }): string {
    const known = capitals.get(this.localName);
    if (known !== undefined) return known;
    const name = this.localName.toUpperCase();
    if (capitals.size < MAX_NAMES) capitals.set(this.localName, name);
    return name;
  },
};
Object.defineProperties(Element.prototype, { nodeName: inCapitals, tagName: inCapitals });

/** Parses a page. Its nodes accept no listeners. */
export function parsePage(html: string): PageDocument {
  return parseHTML(regular(html)).document as unknown as PageDocument;
}

/** As much text before `<html>` is a message of the server, not a part of the page. */
const MAX_JUNK = 500;
/** As much text after the end of the page is a part of it. */
const MIN_AFTER_END = 60;

/**
 * Gives a page the one root that the parser expects; it would take the first element for it, and leave out what follows.
 * Browsers accept anything before, between and after.
 */
function regular(html: string): string {
  const start = rootStart(html);
  if (start < 0)
    return /<(?:head|body)[\s>]/i.test(html)
      ? `<!doctype html><html>${html.replace(/^\s*<!doctype[^>]*>/i, '')}</html>`
      : `<!doctype html><html><head></head><body>${html}</body></html>`;
  const before = html.slice(0, start);
  const end = html.slice(start).search(/<\/(?:body|html)\s*>/i);
  const isCut = end >= 0 && visibleLength(html, start + end) >= MIN_AFTER_END;
  const isClean = before.replace(/<!--[\s\S]*?-->|<[!?][^>]*>/g, '').trim() === '';
  if (isClean && !isCut) return html;
  const page = isCut ? html.slice(start).replace(/<\/(?:body|html)\s*>/gi, '') : html.slice(start);
  if (isClean || visibleLength(before, 0) < MAX_JUNK) return `<!doctype html>${page}`;
  return `<!doctype html>${page.replace(/<body[^>]*>|$/i, (body) => body + before)}`;
}

/** The place of the `<html>` that is not in a comment. */
function rootStart(html: string): number {
  const tags = /<!--|<html[\s>]/gi;
  for (let tag = tags.exec(html); tag !== null; tag = tags.exec(html)) {
    if (tag[0] !== '<!--') return tag.index;
    const end = html.indexOf('-->', tag.index);
    if (end < 0) return -1;
    tags.lastIndex = end + 3;
  }
  return -1;
}

/** Number of characters outside of tags, scripts and comments, from a place on. */
function visibleLength(html: string, from: number): number {
  let length = 0;
  let at = from;
  while (at < html.length) {
    const tag = html.indexOf('<', at);
    length += html.slice(at, tag < 0 ? html.length : tag).trim().length;
    if (tag < 0) break;
    const name = /^<(script|style|noscript|!--)/i.exec(html.slice(tag, tag + 10))?.[1]?.toLowerCase();
    const ending = name === undefined ? '>' : name === '!--' ? '-->' : `</${name}`;
    const end = html.indexOf(ending, tag + 1);
    if (end < 0) break;
    at = end + ending.length;
  }
  return length;
}

const BLOCKS: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr li main nav ol p pre section summary table tbody tfoot thead tr ul'
  ).split(' '),
);
export function isBlock(name: string): boolean {
  return BLOCKS.has(name);
}

/** Blocks that are separated by a line end, not by a blank line. */
const LINES: ReadonlySet<string> = new Set(['li', 'tr', 'dt', 'dd']);
/** Never part of a text. */
export const HIDDEN_ELEMENTS: ReadonlySet<string> = new Set(
  'script style noscript template svg math iframe object embed canvas audio video button input select textarea head rt rp'.split(
    ' ',
  ),
);

/**
 * The text of a part of a page as a person would copy it: paragraphs separated by blank lines, list items and table
 * rows by line ends. Readings above Japanese characters (ruby) are left out, so that words stay whole.
 */
export function textOf(root: PageNode, skips: (element: PageElement) => boolean = () => false): string {
  const paragraphs: string[] = [];
  let current = '';
  let preformatted = 0;
  const end = (): void => {
    const text = preformatted > 0 ? current.replace(/[ \t]+$/gm, '') : tidy(current);
    if (text.trim() !== '') paragraphs.push(text.trim());
    current = '';
  };
  walk(
    root,
    (node) => {
      if (isText(node)) {
        const text = node.textContent ?? '';
        current += preformatted > 0 ? text : text.replace(/[\t\n\f\r ]+/g, ' ');
        return 'past';
      }
      if (!isElement(node)) return node === root ? 'inside' : 'past';
      const name = node.localName;
      if (HIDDEN_ELEMENTS.has(name) || skips(node)) return 'past';
      if (name === 'br') current += '\n';
      else if (LINES.has(name)) current += '\n';
      else if (name === 'td' || name === 'th') current += ' ';
      else if (BLOCKS.has(name)) end();
      if (name === 'pre') preformatted++;
      return 'inside';
    },
    (element) => {
      if (LINES.has(element.localName)) current += '\n';
      else if (BLOCKS.has(element.localName) && !HIDDEN_ELEMENTS.has(element.localName)) end();
      if (element.localName === 'pre' && preformatted > 0) preformatted--;
    },
  );
  end();
  return paragraphs.join('\n\n');
}

/** Attributes that an article needs; the sanitiser decides about their values. */
const ARTICLE_ATTRIBUTES = (
  'href src srcset data-src data-srcset data-original data-lazy-src data-lazy-srcset alt title width height style ' +
  'colspan rowspan scope start reversed type value lang dir class open'
).split(' ');
const VOID_ELEMENTS = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/;
/** As much as the sanitiser reads. */
const MAX_MARKUP_LENGTH = 1_500_000;

/** A part of a page as HTML, with what an article needs. Not safe: sanitise it. */
export function markupOf(root: PageNode, skips: (element: PageElement) => boolean = () => false): string {
  let html = '';
  walk(
    root,
    (node) => {
      if (html.length > MAX_MARKUP_LENGTH) return 'past';
      if (isText(node)) {
        html += escapeHtml(node.textContent ?? '');
        return 'past';
      }
      if (!isElement(node)) return node === root ? 'inside' : 'past';
      const name = node.localName;
      if (isLeftOut(name) || skips(node)) return 'past';
      html += `<${name}`;
      for (const attribute of ARTICLE_ATTRIBUTES) {
        const value = node.getAttribute(attribute);
        if (value !== null) html += ` ${attribute}="${escapeHtml(value)}"`;
      }
      html += '>';
      return 'inside';
    },
    (element) => {
      const name = element.localName;
      if (!isLeftOut(name) && !skips(element) && !VOID_ELEMENTS.test(name)) html += `</${name}>`;
    },
  );
  return html;
}

/** Media stay: they become links. */
function isLeftOut(name: string): boolean {
  return HIDDEN_ELEMENTS.has(name) && !/^(?:iframe|audio|video|rt|rp)$/.test(name);
}

function tidy(text: string): string {
  return text
    .replace(/\u00ad|\u200b|\ufeff/g, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n');
}
