import type { Block } from './page-analysis.ts';

/** A text of at least this size without a link is a paragraph also where a list of links is expected. */
export const MIN_PARAGRAPH = 200;
/** What remains without the comments is too little to be the article. */
export const MIN_BESIDE_COMMENTS = 140;

/** As many blocks below the title, the text begins. */
export const MAX_BLOCKS_TO_TEXT = 25;

/** What is known about an article before its text is found. */
export interface Known {
  readonly title: string;
  readonly author: string | null;
}

/** The part of a page that is being pruned. */
export interface Part {
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

/** Sentences, not a label and not a list of links. */
export function isProse(block: Block): boolean {
  if (block.heading > 0 || block.linked > block.size * 0.5) return false;
  return block.sentences > 0 ? block.size >= 30 : block.size >= 120;
}

export function proseIn(part: Part, from: number, to: number): number {
  let prose = 0;
  for (let index = from; index < to; index++) {
    const block = part.at(index);
    if (block !== null && isProse(block)) prose += block.size;
  }
  return prose;
}

export function markOf({ text, size }: Block): string {
  return `${Math.round(size)} ${text.trimStart().slice(0, 20)}`;
}

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

/** A page adds its own name to the title, before or after it. */
export function isTitle(text: string, title: string): boolean {
  const [line, headline] = [normal(text), normal(title)];
  if (line.length < 5 || headline.length < 5) return false;
  if (title.split(/\s[|\-–—·»:/]\s|[|｜：]/).some((part) => normal(part) === line)) return true;
  const [short, long] = line.length < headline.length ? [line, headline] : [headline, line];
  return short.length > long.length * 0.6 && (long.startsWith(short) || long.endsWith(short));
}

export function normal(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Full names: one word may be any word of the text. */
export function namesOf(author: string): readonly string[] {
  return author
    .split(/\s*(?:[,;&、・/|]|\band\b|\bund\b|\bet\b)\s*/)
    .filter(
      (name) => /\p{L}[\s.]+\p{Lu}/u.test(name) || /^[\p{Script=Han}\p{Script=Hiragana}]{4,}$/u.test(name),
    );
}

const MAX_BIOGRAPHY = 600;

/** A paragraph below the text that begins with the author. */
export function isBiography({ heading, size, line }: Block, names: readonly string[]): boolean {
  if (heading > 0 || size > MAX_BIOGRAPHY) return false;
  return names.some((name) => line.startsWith(name) && !/^\s*[:：]/.test(line.slice(name.length)));
}
