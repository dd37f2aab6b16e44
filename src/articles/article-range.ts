import type { Block, PageAnalysis } from './page-analysis.ts';
import { isProse } from './page-part.ts';

/** The blocks of a page from the first to the last paragraph of its article. */
export interface ArticleRange {
  readonly from: number;
  readonly to: number;
}

/** Where the text of the article is in the page. Without any of it, the whole page. */
export function rangeOf(blocks: readonly Block[], text: string): ArticleRange {
  const plain = squeeze(text);
  let from = -1;
  let to = -1;
  for (const [index, block] of blocks.entries()) {
    if (!isProse(block) || !plain.includes(squeeze(block.text).slice(0, 40))) continue;
    if (from < 0) from = index;
    to = index;
  }
  return from < 0 ? { from: 0, to: blocks.length } : { from, to };
}

export function isBeside({ asides }: PageAnalysis, index: number): boolean {
  return asides.some((range) => range.from <= index && range.to > index);
}

const BLOCKS_ABOVE_TITLE = 5;
const BLOCKS_ABOVE_TEXT = 15;
const BLOCKS_BELOW_TEXT = 8;
const MAX_LINE = 250;
const MAX_ENDING = 60;

/** Lines where an article names its author and date: between title and text, above the title, below and at the end of the text. */
export function linesNear(analysis: PageAnalysis | null, title: string, text: string): readonly string[] {
  if (analysis === null) return [];
  const { blocks } = analysis;
  const { from, to } = rangeOf(blocks, text);
  const headline = squeeze(title);
  let top = Math.max(0, from - BLOCKS_ABOVE_TEXT);
  for (let index = from; index >= top; index--) {
    const line = squeeze(blocks[index]?.text ?? '');
    if (blocks[index]?.heading === 1 || (line.length > 4 && headline.includes(line))) top = index;
  }
  const lines = (first: number, last: number): readonly string[] =>
    blocks
      .slice(Math.max(0, first), Math.max(0, last))
      .filter((block, index) => isLine(block) && !isBeside(analysis, Math.max(0, first) + index))
      .map((block) => block.text);
  return [
    ...lines(top, from),
    ...lines(top - BLOCKS_ABOVE_TITLE, top),
    ...lines(from, to + 1),
    ...lines(to + 1, to + 1 + BLOCKS_BELOW_TEXT),
    text.trimEnd().slice(-MAX_ENDING),
  ];
}

/** Not a title of another article with its date. */
function isLine(block: Block): boolean {
  return block.size <= MAX_LINE && !isProse(block) && !(block.links > 0 && block.linked > 100);
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, '');
}
