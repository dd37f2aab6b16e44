import type { TextItem, TextMarkedContent } from 'pdfjs-dist/types/src/display/api.js';

/**
 * Puts the pieces of a page together. A PDF knows where letters stand and nothing of words: a gap as wide as a part
 * of a letter is a space, a step down is a new line, and a step of more than a line and a half is a new paragraph.
 */
export function pageText(items: readonly (TextItem | TextMarkedContent)[]): string {
  let text = '';
  let last: TextItem | null = null;
  for (const item of items) {
    if (!('str' in item) || (item.str === '' && !item.hasEOL)) continue;
    if (last) text += between(last, item, text);
    text += item.str;
    if (item.str !== '') last = item;
  }
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function between(last: TextItem, next: TextItem, soFar: string): string {
  const size = Math.abs(last.height) || Math.abs(next.height) || 10;
  const [, , , , lastX = 0, lastY = 0] = numbers(last.transform);
  const [, , , , nextX = 0, nextY = 0] = numbers(next.transform);
  const down = Math.abs(lastY - nextY);
  if (down > size * 1.8) return '\n\n';
  if (down > size * 0.6) return '\n';
  if (/\s$/.test(soFar) || /^\s/.test(next.str)) return '';
  return nextX - (lastX + last.width) > size * 0.2 ? ' ' : '';
}

function numbers(transform: readonly unknown[]): readonly number[] {
  return transform.map((value) => (typeof value === 'number' ? value : 0));
}
