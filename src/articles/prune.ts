import { RELATED_TITLE } from './furniture.ts';
import { isElement, type PageElement, type PageNode, walk } from './page.ts';
import type { Box, Container, PageAnalysis } from './page-analysis.ts';
import {
  headlineIn,
  isProse,
  type Known,
  MAX_BLOCKS_TO_TEXT,
  MIN_BESIDE_COMMENTS,
  MIN_PARAGRAPH,
  markOf,
  type Part,
  proseIn,
} from './page-part.ts';
import { dropEdges, dropInterruptions } from './prune-lines.ts';
import { dropBelowComments, dropLastTeaser, dropSections, dropTeasers } from './prune-sections.ts';

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
/** Of the text of a block: what else stands in it is a space or a mark. */
const MIN_WHOLE_BLOCK = 0.9;

interface PruneOptions {
  /** The range of blocks that the part consists of. Default: all. */
  readonly from?: number;
  readonly to?: number;
  /** Of the page that the part was taken from. */
  readonly marks?: ReadonlySet<string>;
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
      // An inline element is a caption if it is all that its block says.
      const to = inline ? box.to + 1 : box.to;
      if (to > part.to || (inline && box.size < (blocks[box.from]?.size ?? 0) * MIN_WHOLE_BLOCK)) continue;
      if (box.size > Math.max(MAX_LABEL * 2, total * 0.2)) continue;
      part.note(box.from, to);
      drop(box.from, to, box.element, untold);
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
