import { BYLINE_START, DATE_LINE, LABEL_LINE, RELATED_TITLE, STANDFIRST_NAMES } from './furniture.ts';
import { isElement, type PageElement } from './page.ts';
import type { Block, PageAnalysis } from './page-analysis.ts';
import {
  headlineIn,
  isBiography,
  isProse,
  isTitle,
  type Known,
  MAX_BLOCKS_TO_TEXT,
  markOf,
  namesOf,
  normal,
} from './page-part.ts';
import { isCaption, isLabel, PART_ELEMENTS } from './prune-lines.ts';

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
