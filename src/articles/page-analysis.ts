import {
  ASIDE_NAMES,
  BOX_NAMES,
  CAPTION_NAMES,
  COMMENT_NAMES,
  FOLDED_NAMES,
  LABEL_NAMES,
  LOCK_NAMES,
  MAIN_NAMES,
  MEDIA_NAMES,
  OTHERS_NAMES,
  QUALIFIER,
  TEXT_NAMES,
} from './furniture.ts';
import {
  HIDDEN_ELEMENTS,
  isBlock,
  isElement,
  isText,
  type PageElement,
  type PageNode,
  walk,
} from './page.ts';
import { isDense } from './substance.ts';

/** A run of text that a block holds directly: a paragraph, a heading, a list item, a cell. */
export class Block {
  readonly element: PageElement;
  /** The beginning, with white space as it is written. */
  readonly text: string;
  /** Amount of text as {@link substance} counts it. */
  readonly size: number;
  /** The part of it that is links. */
  readonly linked: number;
  readonly links: number;
  readonly sentences: number;
  /** 1–6 for headings, 0 for others. */
  readonly heading: number;
  readonly #frame: Frame;
  #line: string | null = null;

  constructor(frame: Frame) {
    const { localName: name } = frame.element;
    this.element = frame.element;
    this.text = frame.text;
    this.size = frame.runSize;
    this.linked = frame.runLinked;
    this.links = frame.runLinks;
    this.sentences = frame.runSentences;
    this.heading = name.length === 2 && /^h[1-6]$/.test(name) ? Number(name[1]) : 0;
    this.#frame = frame;
  }

  /** The text as one line. */
  get line(): string {
    this.#line ??= this.text.replace(/\s+/g, ' ').trim();
    return this.#line;
  }

  /** Names of the block and of the three elements around it, as the page had them before the library modified it. */
  get surroundings(): string {
    const names = [this.element.localName];
    for (let outer = this.#frame.parent; outer !== null && names.length < 4; outer = outer.parent) {
      const classes = outer.element.getAttribute('class');
      names.push(outer.element.localName + (classes ? `.${classes}` : ''));
    }
    return names.join(' < ');
  }

  /** Without blocks inside: may be left out as a whole. Known only when the element ends. */
  get leaf(): boolean {
    return !this.#frame.inner;
  }
}

/** What the name of an element says that it is. */
export type BoxKind =
  /** Shares, dates, tags, credits: small, never a text. */
  | 'label'
  /** Newsletters, advertisements, biographies, navigation. */
  | 'box'
  /** Other articles. */
  | 'others'
  /** Pictures and films. */
  | 'media'
  /** May be longer than the article. */
  | 'comments'
  /** A list of links, by what it holds. */
  | 'links'
  /** Of a picture: part of the article as HTML, not of its text. */
  | 'caption';

/** An element that may be left out, with the range of blocks in it. */
export interface Box {
  readonly element: PageElement;
  readonly kind: BoxKind;
  readonly from: number;
  readonly to: number;
  readonly size: number;
  readonly links: number;
}

/** An element whose name says that it holds the article. */
export interface Container {
  readonly element: PageElement;
  /** 0 the text of an article, 1 an article, 2 the main part of the page. */
  readonly level: number;
  readonly from: number;
  readonly to: number;
}

/** The blocks of a page in their order, and what the names of its elements say about them. */
export interface PageAnalysis {
  readonly root: PageNode;
  readonly blocks: readonly Block[];
  readonly boxes: readonly Box[];
  readonly containers: readonly Container[];
  /** Ranges of blocks that elements called a paywall hold. */
  readonly locks: readonly { readonly from: number; readonly to: number }[];
  /** Ranges beside the article: navigation, side columns, heads and feet of the page. */
  readonly asides: readonly { readonly from: number; readonly to: number }[];
}

const MAX_BLOCK_TEXT = 400;

const HIDDEN_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b/i;

interface Frame {
  readonly element: PageElement;
  readonly block: boolean;
  readonly kind: BoxKind | null;
  readonly level: number;
  readonly lock: boolean;
  readonly aside: boolean;
  readonly from: number;
  readonly parent: Frame | null;
  /** Of the whole element. */
  size: number;
  linked: number;
  links: number;
  /** Of the run of text that is being read. */
  text: string;
  runSize: number;
  runLinked: number;
  runLinks: number;
  runSentences: number;
  inner: boolean;
}

/** Goes through a page once. Elements that are not shown are skipped. */
export function analysePage(root: PageNode): PageAnalysis {
  const blocks: Block[] = [];
  const boxes: Box[] = [];
  const containers: Container[] = [];
  const locks: { from: number; to: number }[] = [];
  const asides: { from: number; to: number }[] = [];
  const known = new Map<string, Meaning>();
  let frame: Frame | null = null;
  let block: Frame | null = null;
  // A link ends where the next one begins, also if it was left open.
  let anchor: PageElement | null = null;

  const flush = (from: Frame): void => {
    if (from.runSize > 0) blocks.push(new Block(from));
    from.text = '';
    from.runSize = 0;
    from.runLinked = 0;
    from.runLinks = 0;
    from.runSentences = 0;
  };

  walk(
    root,
    (node) => {
      if (isText(node)) {
        if (block !== null && frame !== null) read(node.textContent ?? '', block, frame, anchor !== null);
        return 'past';
      }
      if (!isElement(node)) return node === root ? 'inside' : 'past';
      const name = node.localName;
      if (HIDDEN_ELEMENTS.has(name)) return 'past';
      const isRoot: boolean = frame === null;
      const isBlockElement: boolean =
        isRoot ||
        isBlock(name) ||
        name === 'td' ||
        name === 'th' ||
        (name === 'time' && block?.runSize === 0);
      if (!isRoot && isHidden(node)) return 'past';
      const meaning: Meaning = meaningOf(node, known);
      const named: BoxKind | null | undefined = ELEMENT_KINDS.get(name);
      const inner: Frame | null = block;
      if (isBlockElement && inner !== null) {
        flush(inner);
        for (let outer: Frame | null = inner; outer !== null && !outer.inner; outer = outer.parent)
          outer.inner = true;
      }
      frame = {
        element: node,
        block: isBlockElement,
        kind: isRoot ? null : named === undefined ? meaning.kind : named,
        level: levelOf(node, name, meaning.level),
        lock: meaning.lock,
        aside: !isRoot && (meaning.aside || ASIDE_ELEMENTS.has(name)),
        from: blocks.length,
        parent: frame,
        size: 0,
        linked: 0,
        links: 0,
        text: '',
        runSize: 0,
        runLinked: 0,
        runLinks: 0,
        runSentences: 0,
        inner: false,
      };
      if (isBlockElement) block = frame;
      if (name === 'a' && node.getAttribute('href') !== null) {
        anchor = node;
        if (block !== null) block.runLinks++;
        frame.links++;
      }
      if (name === 'br' && block !== null) block.text += '\n';
      return 'inside';
    },
    (element) => {
      if (frame === null || frame.element !== element) return;
      const left: Frame = frame;
      if (left.block) {
        flush(left);
        block = left.parent;
        while (block !== null && !block.block) block = block.parent;
      }
      if (element === anchor) anchor = null;
      const range = { from: left.from, to: blocks.length };
      // An inline element has no block of its own: it ends within the one that is being read.
      if (left.kind !== null && left.size > 0)
        boxes.push({ element, kind: left.kind, ...range, size: left.size, links: left.links });
      else if (isLinkList(left))
        boxes.push({ element, kind: 'links', ...range, size: left.size, links: left.links });
      if (left.block && left.level < 3 && left.size > 0)
        containers.push({ element, level: left.level, ...range });
      if (left.lock) locks.push(range);
      if (left.aside) asides.push(range);
      frame = left.parent;
      if (frame !== null) {
        frame.size += left.size;
        frame.linked += left.linked;
        frame.links += left.links;
      }
    },
  );
  return { root, blocks, boxes, containers, locks, asides };
}

function read(text: string, block: Frame, frame: Frame, linked: boolean): void {
  let size = 0;
  let sentences = 0;
  let space = true;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code === 0xa0 || code === 0x3000) {
      if (!space) size++;
      space = true;
      continue;
    }
    space = false;
    if (isDense(code)) size += 2.5;
    else size++;
    if (code === 0x3002 || code === 0xff01 || code === 0xff1f) sentences++;
    else if (code === 0x2e || code === 0x21 || code === 0x3f) {
      const next = text.charCodeAt(index + 1);
      if (
        Number.isNaN(next) ||
        next <= 0x22 ||
        next === 0x27 ||
        next === 0x29 ||
        next === 0xa0 ||
        next === 0x201d
      )
        sentences++;
    }
  }
  if (block.text.length < MAX_BLOCK_TEXT) block.text += text.slice(0, 2 * MAX_BLOCK_TEXT);
  if (size === 0) return;
  block.runSize += size;
  block.runSentences += sentences;
  frame.size += size;
  if (!linked) return;
  block.runLinked += size;
  frame.linked += size;
}

/** What the class names and the ID of an element say about it. Elements share them, so they are looked at once. */
interface Meaning {
  readonly kind: BoxKind | null;
  readonly level: number;
  readonly lock: boolean;
  readonly aside: boolean;
}

const NO_MEANING: Meaning = { kind: null, level: 3, lock: false, aside: false };

function meaningOf(element: PageElement, known: Map<string, Meaning>): Meaning {
  const classes = element.getAttribute('class');
  const id = element.getAttribute('id');
  if (!classes && !id) return NO_MEANING;
  const names = `${classes ?? ''} ${id ?? ''}`.slice(0, 500);
  const before = known.get(names);
  if (before !== undefined) return before;
  // Words that are joined by capitals are separated: `articleBody`, `RelatedLinks`.
  const words = names.replace(/([a-z])([A-Z])/g, '$1-$2');
  const meaning: Meaning = {
    kind: kindOf(words),
    level: TEXT_NAMES.test(words) ? 0 : MAIN_NAMES.test(words) ? 2 : 3,
    lock: LOCK_NAMES.test(words),
    aside: ASIDE_NAMES.test(words),
  };
  known.set(names, meaning);
  return meaning;
}

function kindOf(words: string): BoxKind | null {
  if (says(COMMENT_NAMES, words)) return 'comments';
  if (says(CAPTION_NAMES, words)) return 'caption';
  if (says(BOX_NAMES, words)) return 'box';
  if (says(OTHERS_NAMES, words)) return 'others';
  if (says(MEDIA_NAMES, words)) return 'media';
  return says(LABEL_NAMES, words) ? 'label' : null;
}

function says(pattern: RegExp, words: string): boolean {
  const match = pattern.exec(words);
  return match !== null && !QUALIFIER.test(words.slice(0, match.index + 1));
}

/** Kinds of elements that their own names say. */
const ELEMENT_KINDS: ReadonlyMap<string, BoxKind | null> = new Map<string, BoxKind | null>([
  ...['nav', 'aside', 'footer', 'form', 'dialog', 'menu'].map((name) => [name, 'box'] as const),
  ...['html', 'body', 'main', 'article'].map((name) => [name, null] as const),
  ['figcaption', 'caption'],
]);
const ASIDE_ELEMENTS: ReadonlySet<string> = new Set(['nav', 'aside', 'footer', 'header']);
/** Never the element that holds an article. */
const NO_CONTAINERS: ReadonlySet<string> = new Set(
  'html body a span p li ul img h1 h2 h3 h4 h5 h6'.split(' '),
);

function levelOf(element: PageElement, name: string, named: number): number {
  if (NO_CONTAINERS.has(name)) return 3;
  if (named === 0 || /\barticleBody\b/i.test(element.getAttribute('itemprop') ?? '')) return 0;
  const role = element.getAttribute('role');
  if (name === 'article' || role === 'article') return 1;
  return name === 'main' || role === 'main' ? 2 : named;
}

function isHidden(element: PageElement): boolean {
  const style = element.getAttribute('style');
  if (style !== null && HIDDEN_STYLE.test(style)) return !isFolded(element);
  if (element.getAttribute('hidden') !== null) return true;
  return element.getAttribute('aria-hidden') === 'true' && !isFolded(element);
}

/** Elements that are nested deeper stay hidden: a hostile page may have many of them. */
const MAX_OUTER_LEVELS = 25;

/** Whether a click unfolds a hidden element, and it is in the main part of the page: not in a menu or a dialog. */
export function isFolded(element: PageElement): boolean {
  if (!FOLDED_NAMES.test(namesOf(element)) && element.getAttribute('role') !== 'tabpanel') return false;
  let inMain = false;
  let levels = MAX_OUTER_LEVELS;
  for (let outer: PageNode | null = element; outer !== null && isElement(outer); outer = outer.parentNode) {
    if (levels-- === 0) return false;
    const names = namesOf(outer);
    const named = ELEMENT_KINDS.get(outer.localName);
    if (named === 'box' || (named === undefined && kindOf(names) !== null)) return false;
    const level = TEXT_NAMES.test(names) ? 0 : MAIN_NAMES.test(names) ? 2 : 3;
    inMain ||= outer !== element && levelOf(outer, outer.localName, level) < 3;
  }
  return inMain;
}

function namesOf(element: PageElement): string {
  return `${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`.slice(0, 500);
}

function isLinkList({ element, links, linked, size, block }: Frame): boolean {
  return block && links >= (element.localName === 'td' ? 3 : 2) && linked > size * 0.75;
}
