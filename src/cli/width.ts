import { graphemesOf, shorten } from '../item/shorten.ts';

/** Characters that a terminal draws over two columns: East Asian wide and full-width forms, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

const NOTHING = /^[\p{Mark}\p{Cf}\p{Cc}]+$/u;

/** How many columns a text takes on a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const segment of graphemesOf(text)) width += widthOfSegment(segment);
  return width;
}

function widthOfSegment(segment: string): number {
  if (NOTHING.test(segment)) return 0;
  return WIDE.test(segment) ? 2 : 1;
}

/** The beginning of a text that fits, with … where something was left out. */
export function cut(text: string, columns: number): string {
  return shorten(text, columns, widthOfSegment);
}

export function pad(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const gap = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return side === 'left' ? text + gap : gap + text;
}

/**
 * A text from outside on one line, without anything that could move the cursor or change colours: a title must not
 * be able to speak to the terminal.
 */
export function harmless(text: string): string {
  return text
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
}
