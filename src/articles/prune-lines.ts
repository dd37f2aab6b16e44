import {
  BYLINE,
  CREDIT_END,
  CREDIT_LINE,
  DATE_LINE,
  INTERRUPTION,
  INVITATION_END,
  LABEL_LINE,
  NAMED_CREDIT,
  RELATED_TITLE,
  RIGHTS_LINE,
} from './furniture.ts';
import type { PageNode } from './page.ts';
import type { Block } from './page-analysis.ts';
import { isBiography, isProse, isTitle, type Known, namesOf, type Part } from './page-part.ts';

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
export function dropInterruptions(part: Part): void {
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

export function isCaption({ size, sentences, line }: Block): boolean {
  if (size > MAX_CAPTION || sentences > 4 || !/[:：=＝／/)）】©|]/.test(line.slice(-70))) return false;
  return (
    (size <= MAX_INTERRUPTION && CREDIT_LINE.test(line)) || CREDIT_END.test(line) || NAMED_CREDIT.test(line)
  );
}

/** Items of lists and cells are parts of something larger. */
export const PART_ELEMENTS: ReadonlySet<string> = new Set('li dt dd td th pre'.split(' '));

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
export function dropEdges(part: Part, { title, author }: Known): void {
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
    if (isLabel(block) || isRights(block) || isInvitation(block) || isBiography(block, names))
      part.drop(index);
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

/** With a link, since an article may end with such a sentence. */
function isInvitation({ heading, links, size, line, sentences }: Block): boolean {
  return heading === 0 && links > 0 && size <= MAX_INTERRUPTION && sentences < 3 && INVITATION_END.test(line);
}

export function isLabel({ heading, size, line, sentences }: Block): boolean {
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
