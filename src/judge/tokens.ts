import { sentencesOf } from './sentences.ts';

/**
 * About how many tokens a text is. A Japanese character is about one, four Latin ones make one. Meant to be a little
 * too high: it decides what fits and what is reserved.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let i = 0; i < text.length; i++) tokens += text.charCodeAt(i) >= 0x2e80 ? 1 : 0.27;
  return Math.ceil(tokens);
}

/** The beginning of a text up to so many tokens, ending where a sentence ends. */
export function cutToTokens(text: string, most: number): { readonly text: string; readonly cut: boolean } {
  if (estimateTokens(text) <= most) return { text, cut: false };
  return { text: partsByTokens(text, most, 1)[0] ?? '', cut: true };
}

/**
 * Splits a text into parts of at most so many tokens each, between sentences; a sentence that is longer alone is cut.
 * What is over `mostParts` is left out.
 */
export function partsByTokens(text: string, most: number, mostParts: number): string[] {
  const parts: string[] = [];
  let part = '';
  let tokens = 0;
  for (const sentence of sentencesOf(text)) {
    for (const piece of piecesOf(sentence, most)) {
      const size = estimateTokens(piece) + 1;
      if (tokens + size > most && part !== '') {
        parts.push(part);
        if (parts.length === mostParts) return parts;
        part = '';
        tokens = 0;
      }
      part += (part === '' ? '' : '\n') + piece;
      tokens += size;
    }
  }
  if (part !== '') parts.push(part);
  return parts;
}

/** A sentence that is too long alone, cut where the next character would be one too many. */
function piecesOf(sentence: string, most: number): string[] {
  if (estimateTokens(sentence) < most) return [sentence];
  const pieces: string[] = [];
  let piece = '';
  for (const character of sentence) {
    if (piece !== '' && estimateTokens(piece + character) >= most) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return piece === '' ? pieces : [...pieces, piece];
}
