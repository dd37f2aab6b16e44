import { BYLINE, COMMENTS_TITLE, DATE_LINE, LABEL_LINE, RELATED_TITLE } from './furniture.ts';
import type { PageElement, PageNode } from './page.ts';
import type { Block, PageAnalysis } from './page-analysis.ts';

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
  /** Marks of the blocks that names left out, to find them again where the names are lost. */
  readonly marks: ReadonlySet<string>;
}

/** Larger ones are not what their name says. */
const MAX_LABEL = 400;
/** Of the text: more is the article itself in an element with a misleading name. */
const MAX_BOX_SHARE = 0.4;
const MAX_LINKS_SHARE = 0.6;
/** What remains without the comments is too little to be the article. */
const MIN_BESIDE_COMMENTS = 140;
/** A text of at least this size without a link is a paragraph also where a list of links is expected. */
const MIN_PARAGRAPH = 200;

interface PruneOptions {
  /** The range of blocks that the part consists of. Default: all. */
  readonly from?: number;
  readonly to?: number;
  /** Of the page that the part was taken from. */
  readonly marks?: ReadonlySet<string>;
}

/** How a part of the page reads as an article. */
export function prune(analysis: PageAnalysis, title: string, options: PruneOptions = {}): Pruned {
  const { blocks } = analysis;
  const { from = 0, to = blocks.length, marks } = options;
  const named = new Set<string>();
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
  const note = (first: number, last: number): void => {
    for (let index = first; index < last; index++) {
      const block = blocks[index];
      if (block !== undefined && gone[index] === 0) named.add(markOf(block));
    }
  };
  const dropBlock = (index: number): void => {
    const block = blocks[index];
    if (block === undefined || !block.leaf || gone[index] === 1) return;
    drop(index, index + 1, block.element);
  };

  // The outer boxes come after the inner ones; they are tried first.
  for (let index = analysis.boxes.length - 1; index >= 0; index--) {
    const box = analysis.boxes[index];
    if (box === undefined || box.from < from || box.to > to) continue;
    const inline = box.from === box.to;
    if (box.kind === 'caption') {
      if (inline || box.size > Math.max(MAX_LABEL * 2, total * 0.2)) continue;
      note(box.from, box.to);
      drop(box.from, box.to, box.element, untold);
      continue;
    }
    if (inline) continue;
    const size = sum(box.from, box.to);
    if (size === 0) continue;
    if (box.kind === 'label' && size > MAX_LABEL) continue;
    if (box.kind === 'box' && size > kept * MAX_BOX_SHARE) continue;
    if (box.kind === 'links' && size > kept * MAX_LINKS_SHARE) continue;
    if (box.kind === 'comments' && kept - size < MIN_BESIDE_COMMENTS) continue;
    if (kept - size < MIN_BESIDE_COMMENTS && size > 60) continue;
    if (box.kind !== 'links') note(box.from, box.to);
    drop(box.from, box.to, box.element, box.kind === 'links' ? untold : dropped);
  }
  if (marks !== undefined && marks.size > 0) dropMarked(blocks, gone, from, to, marks, dropBlock);
  dropTeasers(blocks, gone, from, to, () => kept, dropBlock);

  dropSections(blocks, gone, from, to, () => kept, dropBlock);
  dropEdges(blocks, gone, from, to, title, dropBlock, (index, block) => {
    drop(index, index + 1, block.element, untold);
  });

  let prose = 0;
  let noise = 0;
  for (let index = from; index < to; index++) {
    const block = blocks[index];
    if (block === undefined || gone[index] === 1) continue;
    if (isProse(block)) prose += block.size - block.linked / 2;
    else if (block.heading === 0) noise += block.linked;
  }
  return { dropped, untold, prose, noise, marks: named };
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
function dropMarked(
  blocks: readonly Block[],
  gone: Uint8Array,
  from: number,
  to: number,
  marks: ReadonlySet<string>,
  dropBlock: (index: number) => void,
): void {
  const marked: number[] = [];
  let size = 0;
  let total = 0;
  for (let index = from; index < to; index++) {
    const block = blocks[index];
    if (block === undefined || gone[index] === 1) continue;
    total += block.size;
    if (!marks.has(markOf(block))) continue;
    marked.push(index);
    size += block.size;
  }
  // Otherwise the names of the page are misleading.
  if (size <= total * MAX_BOX_SHARE || (total - size >= MIN_BESIDE_COMMENTS && size <= total * 0.7))
    for (const index of marked) dropBlock(index);
}

const MIN_TEASERS = 3;
const MAX_TEASER = 300;

/** Leaves out other articles: a title that is a link, and a few sentences, several times in a row. */
function dropTeasers(
  blocks: readonly Block[],
  gone: Uint8Array,
  from: number,
  to: number,
  kept: () => number,
  dropBlock: (index: number) => void,
): void {
  let run: number[] = [];
  let teasers = 0;
  let size = 0;
  const end = (): void => {
    if (teasers >= MIN_TEASERS && kept() - size >= MIN_BESIDE_COMMENTS)
      for (const index of run) dropBlock(index);
    run = [];
    teasers = 0;
    size = 0;
  };
  let titled = false;
  for (let index = from; index < to; index++) {
    const block = blocks[index];
    if (block === undefined || gone[index] === 1) continue;
    const isTitle = block.links > 0 && block.linked >= block.size * 0.8 && block.size >= 20;
    const isText = block.linked < block.size * 0.5 && block.size <= MAX_TEASER && block.heading === 0;
    if (isTitle) titled = true;
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

/** Leaves out sections whose heading says that they are not the article: related articles, comments. */
function dropSections(
  blocks: readonly Block[],
  gone: Uint8Array,
  from: number,
  to: number,
  kept: () => number,
  dropBlock: (index: number) => void,
): void {
  for (let index = from; index < to; index++) {
    const block = blocks[index];
    if (block === undefined || gone[index] === 1 || block.size > 200 || isProse(block)) continue;
    const text = block.text.replace(/\s+/g, ' ').trim();
    const isComments = text.length < 160 && COMMENTS_TITLE.test(text);
    if (!isComments && !RELATED_TITLE.test(text)) continue;
    // A link with its label: "Related: …".
    if (!isComments && block.heading === 0 && block.linked > 0) {
      if (block.linked > block.size * 0.3) dropBlock(index);
      continue;
    }
    const end = isComments ? to : sectionEnd(blocks, gone, index, to);
    let size = 0;
    let linked = 0;
    let prose = 0;
    for (let each = index; each < end; each++) {
      const part = blocks[each];
      if (part === undefined || gone[each] === 1) continue;
      size += part.size;
      linked += part.linked;
      if (isProse(part)) prose += part.size;
    }
    const rest = kept() - size;
    if (isComments) {
      if (rest < MIN_BESIDE_COMMENTS || (size > rest * 4 && block.heading === 0)) continue;
    } else if (size > kept() * 0.5 || (prose > MIN_PARAGRAPH && linked < size * 0.25)) continue;
    for (let each = index; each < end; each++) dropBlock(each);
  }
}

function sectionEnd(blocks: readonly Block[], gone: Uint8Array, start: number, to: number): number {
  const level = blocks[start]?.heading || 7;
  for (let index = start + 1; index < to; index++) {
    const block = blocks[index];
    if (block === undefined || gone[index] === 1) continue;
    // Titles of related articles are headings, too, below or beside their own.
    if (block.heading > 0 && block.heading <= level && block.linked === 0) return index;
    if (isProse(block) && block.linked === 0 && block.size > MIN_PARAGRAPH) return index;
  }
  return to;
}

/** Leaves out lines before the first and after the last paragraph that are about the article. */
function dropEdges(
  blocks: readonly Block[],
  gone: Uint8Array,
  from: number,
  to: number,
  title: string,
  dropBlock: (index: number) => void,
  hideBlock: (index: number, block: Block) => void,
): void {
  for (let index = from; index < to; index++) {
    const block = blocks[index];
    if (block === undefined || gone[index] === 1) continue;
    const text = block.text.replace(/\s+/g, ' ').trim();
    if (block.leaf && isTitle(text, title)) hideBlock(index, block);
    else if (isLabel(block, text) || isLinkLine(block)) dropBlock(index);
    else if (isProse(block)) break;
  }
  for (let index = to - 1; index >= from; index--) {
    const block = blocks[index];
    if (block === undefined || gone[index] === 1) continue;
    const text = block.text.replace(/\s+/g, ' ').trim();
    if (isLabel(block, text) || (!isProse(block) && RELATED_TITLE.test(text))) dropBlock(index);
    // A heading at the end has nothing below it.
    else if (block.leaf && (isLinkLine(block) || block.heading > 0)) hideBlock(index, block);
    else break;
  }
}

function isLabel(block: Block, text: string): boolean {
  if (block.heading > 0 || block.size > 260) return false;
  if (DATE_LINE.test(text) || BYLINE.test(text)) return true;
  return LABEL_LINE.test(text) && block.sentences < 3;
}

function isLinkLine(block: Block): boolean {
  return block.heading === 0 && block.links > 0 && block.linked >= block.size * 0.8 && block.sentences === 0;
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
