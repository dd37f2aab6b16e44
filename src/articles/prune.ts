import {
  BYLINE,
  BYLINE_START,
  COMMENTS_TITLE,
  CREDIT_END,
  CREDIT_LINE,
  DATE_LINE,
  INFORMATION_TITLE,
  INTERRUPTION,
  LABEL_LINE,
  NAMED_CREDIT,
  RELATED_TITLE,
  RIGHTS_LINE,
  STANDFIRST_NAMES,
} from './furniture.ts';
import { isElement, type PageElement, type PageNode, walk } from './page.ts';
import type { Block, Box, Container, PageAnalysis } from './page-analysis.ts';

/** A part of a page, without what is not the article. */
export interface Pruned {
  /** Elements to leave out of the article. */
  readonly dropped: ReadonlySet<PageNode>;
  /** Elements to leave out of its text only: captions, the title, lists of links. */
  readonly untold: ReadonlySet<PageNode>;
  /** Amount of text in sentences that is kept. */
  readonly prose: number;
  /** Amount of links that are kept outside of sentences. */
  readonly noise: number;
}

/** Larger ones are not what their name says. */
const MAX_LABEL = 400;
/** More sentences are a paragraph. */
const MAX_LABEL_PROSE = 120;
/** Of the text: more is the article itself in an element with a misleading name. */
const MAX_BOX_SHARE = 0.4;
const MAX_LINKS_SHARE = 0.6;
/** What remains without the comments is too little to be the article. */
const MIN_BESIDE_COMMENTS = 140;
/** A text of at least this size without a link is a paragraph also where a list of links is expected. */
const MIN_PARAGRAPH = 200;

/** What is known about an article before its text is found. */
export interface Known {
  readonly title: string;
  readonly author: string | null;
}

interface PruneOptions {
  /** The range of blocks that the part consists of. Default: all. */
  readonly from?: number;
  readonly to?: number;
  /** Of the page that the part was taken from. */
  readonly marks?: ReadonlySet<string>;
}

/** The part of a page that is being pruned. */
interface Part {
  readonly blocks: readonly Block[];
  readonly from: number;
  readonly to: number;
  /** The block, unless it has been left out. */
  readonly at: (index: number) => Block | null;
  /** Amount of text that is kept. */
  readonly kept: () => number;
  /** Leaves out a block; one with blocks inside stays. */
  readonly drop: (index: number) => void;
  /** Leaves out a block of the text only. */
  readonly hide: (index: number) => void;
  /** Notes the marks of blocks. */
  readonly note: (first: number, last: number) => void;
}

/** How a part of the page reads as an article. */
export function prune(analysis: PageAnalysis, known: Known, options: PruneOptions = {}): Pruned {
  const { part, dropped, untold } = withoutBoxes(analysis, options);
  if (options.marks !== undefined && options.marks.size > 0) dropMarked(part, options.marks);
  dropAboveTitle(part, known.title);
  dropTeasers(part);
  dropSections(part);
  dropBelowComments(part);
  dropInterruptions(part);
  dropEdges(part, known);
  dropLastTeaser(part);
  let prose = 0;
  let noise = 0;
  for (let index = part.from; index < part.to; index++) {
    const block = part.at(index);
    if (block === null) continue;
    if (isProse(block)) prose += block.size - block.linked / 2;
    else if (block.heading === 0) noise += block.linked;
  }
  return { dropped, untold, prose, noise };
}

/** Marks of the blocks that names left out, of those above the title and below the comments, to find them again. */
export function marksOf(analysis: PageAnalysis, known: Known): ReadonlySet<string> {
  const { part, marks } = withoutBoxes(analysis, {});
  dropAboveTitle(part, known.title);
  dropBelowComments(part);
  return marks;
}

interface Started {
  readonly part: Part;
  readonly dropped: Set<PageNode>;
  readonly untold: Set<PageNode>;
  readonly marks: ReadonlySet<string>;
}

/** A part of the page without the elements that are named as something else. */
function withoutBoxes(
  analysis: PageAnalysis,
  { from = 0, to = analysis.blocks.length }: PruneOptions,
): Started {
  const { blocks } = analysis;
  const marks = new Set<string>();
  const gone = new Uint8Array(blocks.length);
  const dropped = new Set<PageNode>();
  const untold = new Set<PageNode>();
  let total = 0;
  for (let index = from; index < to; index++) total += blocks[index]?.size ?? 0;
  const sum = (first: number, last: number): number => {
    let size = 0;
    for (let index = first; index < last; index++) if (gone[index] === 0) size += blocks[index]?.size ?? 0;
    return size;
  };
  let kept = total;
  const drop = (first: number, last: number, element: PageElement, where = dropped): void => {
    kept -= sum(first, last);
    gone.fill(1, first, last);
    where.add(element);
  };
  const dropBlock = (index: number, where: Set<PageNode>): void => {
    const block = blocks[index];
    if (block === undefined || !block.leaf || gone[index] === 1) return;
    drop(index, index + 1, block.element, where);
  };
  const part: Part = {
    blocks,
    from,
    to,
    at: (index) => (gone[index] === 1 ? null : (blocks[index] ?? null)),
    kept: () => kept,
    drop: (index) => dropBlock(index, dropped),
    hide: (index) => dropBlock(index, untold),
    note: (first, last) => {
      for (let index = first; index < last; index++) {
        const block = blocks[index];
        if (block !== undefined && gone[index] === 0) marks.add(markOf(block));
      }
    },
  };

  let beside: ((box: Box) => boolean) | null = null;
  const isBesideText = (box: Box): boolean => {
    beside ??= besideText(analysis, from, to);
    return beside(box);
  };
  // The outer boxes come after the inner ones; they are tried first.
  for (let index = analysis.boxes.length - 1; index >= 0; index--) {
    const box = analysis.boxes[index];
    if (box === undefined || box.from < from || box.to > to) continue;
    const inline = box.from === box.to;
    if (box.kind === 'caption') {
      if (inline || box.size > Math.max(MAX_LABEL * 2, total * 0.2)) continue;
      part.note(box.from, box.to);
      drop(box.from, box.to, box.element, untold);
      continue;
    }
    if (inline) continue;
    const size = sum(box.from, box.to);
    if (size === 0) continue;
    if (box.kind === 'label' && size > MAX_LABEL) continue;
    if (holdsText(part, box)) continue;
    const isBox = box.kind === 'box' || box.kind === 'others' || box.kind === 'media';
    if (isBox && size > kept * MAX_BOX_SHARE && !isBesideText(box)) continue;
    if (box.kind === 'links' && size > kept * MAX_LINKS_SHARE) continue;
    if (box.kind === 'comments' && kept - size < MIN_BESIDE_COMMENTS) continue;
    if (box.kind === 'links' && isAnnounced(part, box)) continue;
    if (kept - size < MIN_BESIDE_COMMENTS && size > 60) continue;
    if (box.kind !== 'links') part.note(box.from, box.to);
    drop(box.from, box.to, box.element, box.kind === 'links' ? untold : dropped);
  }
  return { part, dropped, untold, marks };
}

/** Whether an element holds too much text without a link to be what its name says. */
function holdsText(part: Part, { element, kind, links, from, to }: Box): boolean {
  if (links > 0 || kind === 'box' || kind === 'comments') return false;
  const prose = proseIn(part, from, to);
  // A teaser without a link leads to no other article: it is the introduction of this one.
  if (kind === 'others') return prose > 0 && !hasPicture(element);
  return prose > (kind === 'label' ? MAX_LABEL_PROSE : MIN_PARAGRAPH);
}

/** Whether a line with a colon announces a list of links, and the text goes on below it: the list belongs to the text. */
function isAnnounced(part: Part, { from, to }: Box): boolean {
  const before = from > part.from ? part.at(from - 1) : null;
  if (before === null || before.linked > 0 || RELATED_TITLE.test(before.line)) return false;
  return /[:：]$/.test(before.line) && proseIn(part, to, Math.min(to + MAX_BLOCKS_TO_TEXT, part.to)) > 0;
}

function hasPicture(element: PageElement): boolean {
  let found = false;
  walk(element, (node) => {
    found ||= isElement(node) && node.localName === 'img';
    return found ? 'past' : 'inside';
  });
  return found;
}

/**
 * Whether a box is a column, a head or a foot, and an element that is named as the text of an article is elsewhere in the
 * part. Made once for a part: a page may have thousands of columns and of texts.
 */
function besideText(
  { asides, containers, blocks }: PageAnalysis,
  from: number,
  to: number,
): (box: Box) => boolean {
  const isAside = new Uint8Array(blocks.length + 1);
  for (const aside of asides) isAside.fill(1, aside.from, aside.to);
  const sizes = new Float64Array(blocks.length + 1);
  const paragraphs = new Uint32Array(blocks.length + 1);
  for (const [index, block] of blocks.entries()) {
    sizes[index + 1] = (sizes[index] ?? 0) + block.size - block.linked;
    paragraphs[index + 1] = (paragraphs[index] ?? 0) + (isProse(block) ? 1 : 0);
  }
  const within = (sums: ArrayLike<number>, range: Container): number =>
    (sums[range.to] ?? 0) - (sums[range.from] ?? 0);
  const texts = containers.filter(
    (text) =>
      text.level === 0 &&
      text.from >= from &&
      text.to <= to &&
      isAside[text.from] === 0 &&
      within(paragraphs, text) > 0 &&
      within(sizes, text) >= MIN_BESIDE_COMMENTS,
  );
  return (box) => isAside[box.from] === 1 && texts.some((text) => text.from >= box.to || text.to <= box.from);
}

/** Sentences, not a label and not a list of links. */
export function isProse(block: Block): boolean {
  if (block.heading > 0 || block.linked > block.size * 0.5) return false;
  return block.sentences > 0 ? block.size >= 30 : block.size >= 120;
}

function markOf({ text, size }: Block): string {
  return `${Math.round(size)} ${text.trimStart().slice(0, 20)}`;
}

/** The library takes elements apart, and their names are lost. */
function dropMarked(part: Part, marks: ReadonlySet<string>): void {
  const marked: number[] = [];
  let size = 0;
  let total = 0;
  for (let index = part.from; index < part.to; index++) {
    const block = part.at(index);
    if (block === null) continue;
    total += block.size;
    if (!marks.has(markOf(block))) continue;
    marked.push(index);
    size += block.size;
  }
  // Otherwise the names of the page are misleading.
  if (size <= total * MAX_BOX_SHARE || (total - size >= MIN_BESIDE_COMMENTS && size <= total * 0.7))
    for (const index of marked) part.drop(index);
}

/** Of the text below the title: more above it is the article. */
const MAX_SHARE_ABOVE = 0.3;

/** The heading that is the title of the article, -1 if there is none. */
export function headlineIn(blocks: readonly Block[], from: number, to: number, title: string): number {
  let headline = -1;
  let longest = 0;
  for (let index = from; index < to; index++) {
    const block = blocks[index];
    if (block === undefined || block.heading === 0 || block.heading > 3) continue;
    // The name of the site is a part of the title of the page, too.
    if (block.line.length <= longest || !isTitle(block.line, title)) continue;
    headline = index;
    longest = block.line.length;
  }
  return headline;
}

/** Leaves out what stands above the headline: menus, teasers, the date, the section. */
function dropAboveTitle(part: Part, title: string): void {
  const headline = headlineIn(part.blocks, part.from, part.to, title);
  if (headline < 0) return;
  const above = proseIn(part, part.from, headline);
  const below = proseIn(part, headline + 1, part.to);
  if (below < MIN_BESIDE_COMMENTS || above > below * MAX_SHARE_ABOVE) return;
  part.note(part.from, headline);
  for (let index = part.from; index < headline; index++) part.drop(index);
}

function proseIn(part: Part, from: number, to: number): number {
  let prose = 0;
  for (let index = from; index < to; index++) {
    const block = part.at(index);
    if (block !== null && isProse(block)) prose += block.size;
  }
  return prose;
}

/** As many blocks below the title, the text begins. */
const MAX_BLOCKS_TO_TEXT = 25;
const MAX_STANDFIRST = 450;
/** A shorter heading below the title is a label. */
const MIN_SUBTITLE = 40;

/** The subtitle and the introduction between the title and a text that begins below them: often in another element. */
export function standfirstOf(
  { blocks }: PageAnalysis,
  { title, author }: Known,
  marks: ReadonlySet<string>,
  text: string,
): string | null {
  const headline = headlineIn(blocks, 0, blocks.length, title);
  if (headline < 0) return null;
  const start = normal(text.slice(0, 120)).slice(0, 30);
  const names = author === null ? [] : namesOf(author);
  const found: string[] = [];
  let introduced = false;
  for (let index = headline + 1; index <= headline + MAX_BLOCKS_TO_TEXT; index++) {
    const block = blocks[index];
    if (block === undefined) return null;
    const isText = normal(block.text.slice(0, 200)).startsWith(start);
    if (isText && (isProse(block) || found.length > 0)) return found.length > 0 ? found.join('\n\n') : null;
    if (index === headline + 1 && isSubtitle(block, blocks[headline]) && !isTitle(block.line, title)) {
      found.push(block.line);
      continue;
    }
    if (!isProse(block)) continue;
    // More than one is a text of its own.
    if (introduced || !isStandfirst(block) || isBiography(block, names)) return null;
    if (marks.has(markOf(block)) && !isCalledStandfirst(block.element)) return null;
    introduced = true;
    found.push(block.line);
  }
  return null;
}

function isSubtitle(block: Block, headline: Block | undefined): boolean {
  if (block.heading <= (headline?.heading ?? 6) || block.linked > 0 || !block.leaf) return false;
  if (block.size < MIN_SUBTITLE || block.size > MAX_STANDFIRST) return false;
  return ![BYLINE_START, DATE_LINE, LABEL_LINE, RELATED_TITLE].some((pattern) => pattern.test(block.line));
}

/** Below the title of the article, a teaser is its own. */
function isCalledStandfirst(element: PageElement): boolean {
  const outer = element.parentNode;
  const names = [element, ...(outer !== null && isElement(outer) ? [outer] : [])];
  return names.some((each) => STANDFIRST_NAMES.test(each.getAttribute('class') ?? ''));
}

function isStandfirst(block: Block): boolean {
  if (block.size > MAX_STANDFIRST || block.sentences === 0 || block.linked > block.size * 0.2) return false;
  if (isCaption(block) || isLabel(block) || BYLINE_START.test(block.line)) return false;
  return block.leaf && !PART_ELEMENTS.has(block.element.localName);
}

const MIN_TEASERS = 3;
const MAX_TEASER = 300;

/** Leaves out other articles: a title that is a link, and a few sentences, several times in a row. */
function dropTeasers(part: Part): void {
  let run: number[] = [];
  let teasers = 0;
  let size = 0;
  const end = (): void => {
    if (teasers >= MIN_TEASERS && part.kept() - size >= MIN_BESIDE_COMMENTS)
      for (const index of run) part.drop(index);
    run = [];
    teasers = 0;
    size = 0;
  };
  let titled = false;
  for (let index = part.from; index < part.to; index++) {
    const block = part.at(index);
    if (block === null) {
      // Titles in a list of their own have been left out already.
      const left = part.blocks[index];
      if (left !== undefined && isLinkedTitle(left)) titled = true;
      continue;
    }
    const isText = block.linked < block.size * 0.5 && block.size <= MAX_TEASER && block.heading === 0;
    if (isLinkedTitle(block)) titled = true;
    else if (titled && isText) {
      if (isProse(block)) {
        teasers++;
        titled = false;
      }
    } else if (run.length === 0 || !isText || isProse(block)) {
      end();
      titled = false;
      continue;
    }
    run.push(index);
    size += block.size;
  }
  end();
}

function isLinkedTitle({ element, links, linked, size }: Block): boolean {
  return links > 0 && linked >= size * 0.8 && size >= 20 && leadsAway(element);
}

/** Leaves out a single other article below the text, behind lists of links. */
function dropLastTeaser(part: Part): void {
  const run: number[] = [];
  let between = 0;
  let prose = 0;
  let titled = false;
  for (let index = part.to - 1; index >= part.from; index--) {
    const block = part.at(index);
    if (block === null) {
      between++;
      continue;
    }
    if (titled && between > 0) break;
    between = 0;
    if (block.heading > 0 && isLinkedTitle(block)) titled = true;
    else if (isProse(block)) {
      if (titled || ++prose > 2 || block.size > MAX_TEASER) return;
    } else if (block.size > MAX_TEASER) return;
    run.push(index);
    if (run.length > 8) return;
  }
  if (titled && prose > 0 && proseIn(part, part.from, run.at(-1) ?? 0) > MAX_TEASER)
    for (const index of run) part.drop(index);
}

/** Headings also link to themselves, and open what is below them. */
function leadsAway(title: PageElement): boolean {
  let href: string | null = null;
  walk(title, (node) => {
    if (isElement(node) && node.localName === 'a') href ??= node.getAttribute('href');
    return 'inside';
  });
  return href === null || !/^#/.test(href);
}

/** Of the text above: more below the title of comments that are left out belongs to the article. */
const MAX_SHARE_BELOW = 0.25;

/** Leaves out what follows comments that have been left out by their names: rules and forms. */
function dropBelowComments(part: Part): void {
  for (let index = part.from; index < part.to; index++) {
    const block = part.blocks[index];
    if (block === undefined || block.heading === 0 || part.at(index) !== null) continue;
    if (!isCommentsTitle(block)) continue;
    const below = proseIn(part, index, part.to);
    if (below === 0 || below > proseIn(part, part.from, index) * MAX_SHARE_BELOW) continue;
    part.note(index, part.to);
    for (let each = index; each < part.to; each++) part.drop(each);
  }
}

function isCommentsTitle({ line }: Block): boolean {
  return line.length < 160 && COMMENTS_TITLE.test(line);
}

/** Leaves out sections whose heading says that they are not the article: related articles, comments. */
function dropSections(part: Part): void {
  const { to } = part;
  for (let index = part.from; index < to; index++) {
    const block = part.at(index);
    if (block === null || block.size > 200 || isProse(block)) continue;
    const isComments = isCommentsTitle(block);
    if (!isComments && !RELATED_TITLE.test(block.line)) continue;
    // A link with its label: "Related: …".
    if (!isComments && block.heading === 0 && block.linked > 0) {
      if (block.linked > block.size * 0.3) part.drop(index);
      continue;
    }
    const ends = isComments ? [commentsEnd(part, index)] : [ownBoxEnd(part, index), sectionEnd(part, index)];
    for (const end of ends) {
      if (end === null || !isBesideArticle(part, block, index, end, isComments)) continue;
      for (let each = index; each < end; each++) part.drop(each);
      break;
    }
  }
}

/** Comments go on to the end of the page, unless their title is one of the headings of the text. */
function commentsEnd(part: Part, title: number): number {
  const parent = part.blocks[title]?.element.parentNode;
  const isSibling = (block: Block | null): block is Block => block?.element.parentNode === parent;
  let isInText = false;
  for (let index = part.from; index < title && !isInText; index++) {
    const block = part.at(index);
    isInText = isSibling(block) && isProse(block);
  }
  if (!isInText) return part.to;
  const level = part.blocks[title]?.heading ?? 0;
  for (let index = title + 1; index < part.to; index++) {
    const block = part.at(index);
    if (!isSibling(block) || block.heading === 0 || block.heading > level || block.linked > 0) continue;
    if (isCommentsTitle(block) || RELATED_TITLE.test(block.line)) continue;
    const next = part.at(index + 1);
    if (isSibling(next) && isProse(next)) return index;
  }
  return part.to;
}

/** Whether a section holds comments or links to others, and leaves enough to be the article. */
function isBesideArticle(part: Part, title: Block, from: number, to: number, isComments: boolean): boolean {
  let size = 0;
  let linked = 0;
  let prose = 0;
  for (let index = from; index < to; index++) {
    const block = part.at(index);
    if (block === null) continue;
    size += block.size;
    linked += block.linked;
    if (isProse(block)) prose += block.size;
  }
  const rest = part.kept() - size;
  if (isComments) return rest >= MIN_BESIDE_COMMENTS && (size <= rest * 4 || title.heading > 0);
  if (prose > 0 && linked === 0 && INFORMATION_TITLE.test(title.line)) return false;
  return size <= part.kept() * 0.5 && (prose <= MIN_PARAGRAPH || linked >= size * 0.25);
}

/** Of the text: a larger element is the article itself. */
const MAX_OWN_BOX_SHARE = 0.3;

/** Where the element ends that begins with a title, if it holds more than the title and not the article. */
function ownBoxEnd(part: Part, title: number): number | null {
  const heading = part.blocks[title]?.element;
  if (heading === undefined) return null;
  for (let outer = heading.parentNode; outer !== null; outer = outer.parentNode) {
    const before = part.blocks[title - 1];
    if (before !== undefined && isInside(before.element, outer)) return null;
    let end = title + 1;
    let size = 0;
    for (let block = part.blocks[end]; block !== undefined && end < part.to; block = part.blocks[++end]) {
      if (!isInside(block.element, outer)) break;
      if (part.at(end) !== null) size += block.size;
      if (size > part.kept() * MAX_OWN_BOX_SHARE) return null;
    }
    if (end > title + 1) return end;
  }
  return null;
}

function isInside(element: PageNode, outer: PageNode): boolean {
  for (let node: PageNode | null = element; node !== null; node = node.parentNode)
    if (node === outer) return true;
  return false;
}

function sectionEnd(part: Part, start: number): number {
  const level = part.blocks[start]?.heading || 7;
  for (let index = start + 1; index < part.to; index++) {
    const block = part.at(index);
    if (block === null) continue;
    // Titles of related articles are headings, too, below or beside their own.
    if (block.heading > 0 && block.heading <= level && block.linked === 0) return index;
    if (isProse(block) && block.linked === 0 && block.size > MIN_PARAGRAPH) return index;
  }
  return part.to;
}

/** Longer captions are left out by their names only. */
const MAX_CAPTION = 350;
const MAX_INTERRUPTION = 120;
/** Of the paragraphs: more lines that are links are what the article is about. */
const MAX_LINK_LINES = 0.34;
/** What stands before a link to say what it is: "Photos: …", "(More: …)". */
const LINK_LABEL = /^[^\p{L}\p{N}]*[\p{L}\p{N}][^:：.。]{0,28}[:：]/u;

/** Settings of a script that stand in the page. */
const DATA = /^[[{]+\s*["'][\w-]+["']\s*:/;

/** Leaves out what interrupts the text: captions with credits, advertisements, links to other articles. */
function dropInterruptions(part: Part): void {
  const lines: number[] = [];
  let paragraphs = 0;
  for (let index = part.from; index < part.to; index++) {
    const block = part.at(index);
    if (block === null || block.heading > 0) continue;
    if (isCaption(block)) part.hide(index);
    else if (!PART_ELEMENTS.has(block.element.localName) && DATA.test(block.line)) part.drop(index);
    else if (block.size <= MAX_INTERRUPTION && INTERRUPTION.test(block.line)) part.drop(index);
    else if (isProse(block)) paragraphs++;
    else if (isLinkAlone(block)) lines.push(index);
  }
  if (lines.length <= paragraphs * MAX_LINK_LINES) for (const index of lines) part.hide(index);
}

function isCaption({ size, sentences, line }: Block): boolean {
  if (size > MAX_CAPTION || sentences > 4 || !/[:：=＝／/)）】©]/.test(line.slice(-70))) return false;
  return (
    (size <= MAX_INTERRUPTION && CREDIT_LINE.test(line)) || CREDIT_END.test(line) || NAMED_CREDIT.test(line)
  );
}

/** Items of lists and cells are parts of something larger. */
const PART_ELEMENTS: ReadonlySet<string> = new Set('li dt dd td th pre'.split(' '));

function isLinkAlone(block: Block): boolean {
  const { element, size, linked, line } = block;
  if (block.links !== 1 || block.sentences > 1 || PART_ELEMENTS.has(element.localName)) return false;
  if (isAddress(line)) return false;
  if (linked >= size * 0.8) return block.sentences === 0;
  return size - linked <= (LINK_LABEL.exec(line)?.[0].length ?? 0) + 3;
}

/** As many short lines before the text are labels; more are a list or a poem. */
const MAX_SHORT_LINES = 6;
const MAX_SHORT_LINE = 30;
const GREETING = /\p{L}{2}\s*[,!，！、]$/u;

/** Leaves out lines before the first and after the last paragraph that are about the article. */
function dropEdges(part: Part, { title, author }: Known): void {
  const short: number[] = [];
  // Elements with a longer line that is no label: the lines below it are text, too.
  const begun = new Set<PageNode | null>();
  for (let index = part.from; index < part.to; index++) {
    const block = part.at(index);
    if (block === null) continue;
    if (block.leaf && isTitle(block.line, title)) part.hide(index);
    else if (isLabel(block) || isLinkLine(block)) part.drop(index);
    else if (isProse(block)) break;
    else if (!isShortLine(block)) begun.add(block.heading > 0 ? null : block.element.parentNode);
    else if (!begun.has(block.element.parentNode) && !isListTitle(part, index)) short.push(index);
  }
  if (short.length <= MAX_SHORT_LINES) for (const index of short) part.drop(index);
  const names = author === null ? [] : namesOf(author);
  for (let index = part.to - 1; index >= part.from; index--) {
    const block = part.at(index);
    if (block === null) continue;
    if (isLabel(block) || isRights(block) || isBiography(block, names)) part.drop(index);
    else if (!isProse(block) && RELATED_TITLE.test(block.line)) part.drop(index);
    // A heading at the end has nothing below it, unless it is a sentence.
    else if (block.leaf && block.heading > 0 && (block.sentences === 0 || block.links > 0)) part.hide(index);
    else if (block.leaf && isLinkLine(block)) part.hide(index);
    else break;
  }
}

function isShortLine({ element, heading, size, sentences, line }: Block): boolean {
  // A greeting, an exclamation.
  if (GREETING.test(line)) return false;
  return heading === 0 && size < MAX_SHORT_LINE && sentences === 0 && !PART_ELEMENTS.has(element.localName);
}

/** "We offer:", above a list. */
function isListTitle(part: Part, index: number): boolean {
  const next = part.at(index + 1);
  if (next === null || next.linked > 0 || !PART_ELEMENTS.has(next.element.localName)) return false;
  return /[:：]$/.test(part.at(index)?.line ?? '');
}

const MAX_RIGHTS = 600;

function isRights({ heading, size, line }: Block): boolean {
  return heading === 0 && size <= MAX_RIGHTS && RIGHTS_LINE.test(line);
}

const MAX_BIOGRAPHY = 600;

/** Full names: one word may be any word of the text. */
function namesOf(author: string): readonly string[] {
  return author
    .split(/\s*(?:[,;&、・/|]|\band\b|\bund\b|\bet\b)\s*/)
    .filter(
      (name) => /\p{L}[\s.]+\p{Lu}/u.test(name) || /^[\p{Script=Han}\p{Script=Hiragana}]{4,}$/u.test(name),
    );
}

/** A paragraph below the text that begins with the author. */
function isBiography({ heading, size, line }: Block, names: readonly string[]): boolean {
  if (heading > 0 || size > MAX_BIOGRAPHY) return false;
  return names.some((name) => line.startsWith(name) && !/^\s*[:：]/.test(line.slice(name.length)));
}

function isLabel({ heading, size, line, sentences }: Block): boolean {
  if (heading > 0 || size > 260) return false;
  if (DATE_LINE.test(line) || BYLINE.test(line)) return true;
  return LABEL_LINE.test(line) && sentences < 3;
}

function isLinkLine(block: Block): boolean {
  if (isAddress(block.line)) return false;
  return block.heading === 0 && block.links > 0 && block.linked >= block.size * 0.8 && block.sentences === 0;
}

/** An address is shown for its own sake. */
function isAddress(line: string): boolean {
  return /^(?:https?:|www\.)/i.test(line);
}

function normal(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** A page adds its own name to the title, before or after it. */
export function isTitle(text: string, title: string): boolean {
  const [line, headline] = [normal(text), normal(title)];
  if (line.length < 5 || headline.length < 5) return false;
  if (title.split(/\s[|\-–—·»:/]\s|[|｜：]/).some((part) => normal(part) === line)) return true;
  const [short, long] = line.length < headline.length ? [line, headline] : [headline, line];
  return short.length > long.length * 0.6 && (long.startsWith(short) || long.endsWith(short));
}
