import { COMMENTS_TITLE, INFORMATION_TITLE, RELATED_TITLE } from './furniture.ts';
import { isElement, type PageElement, type PageNode, walk } from './page.ts';
import type { Block } from './page-analysis.ts';
import { isProse, MIN_BESIDE_COMMENTS, MIN_PARAGRAPH, type Part, proseIn } from './page-part.ts';

const MIN_TEASERS = 3;
const MAX_TEASER = 300;

/** Leaves out other articles: a title that is a link, and a few sentences, several times in a row. */
export function dropTeasers(part: Part): void {
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
export function dropLastTeaser(part: Part): void {
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
export function dropBelowComments(part: Part): void {
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
export function dropSections(part: Part): void {
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
