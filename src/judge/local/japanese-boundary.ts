import { isHiragana, isJapanese, isKanji, isKatakana, isWordUnit } from './folded-text.ts';

/** How far around a find the segmenter looks. It is slow: a whole article would take milliseconds. */
const WINDOW = 10;
/** Answers are remembered by term and neighbours; the memory is emptied when it is full. */
const MOST_REMEMBERED = 20_000;

const remembered = new Map<string, boolean>();
let segmenter: Intl.Segmenter | undefined;

/**
 * Does the string found at `at` stand there as a word of its own, or as a part of a compound that keeps its meaning?
 * 京都 in 東京都 does not; セキュリティ in サイバーセキュリティ does.
 */
export function standsAsWord(text: string, at: number, length: number): boolean {
  const end = at + length;
  const before = at > 0 ? text.charCodeAt(at - 1) : 0;
  const after = end < text.length ? text.charCodeAt(end) : 0;
  const first = text.charCodeAt(at);
  const last = text.charCodeAt(end - 1);
  if (isWordUnit(first) && isWordUnit(before)) return false;
  if (isWordUnit(last) && isWordUnit(after)) return false;
  const katakanaLeft = isKatakana(first) && isKatakana(before);
  const katakanaRight = isKatakana(last) && isKatakana(after);
  if (katakanaLeft || katakanaRight) {
    if (!katakanaCompound(text, at, end, katakanaLeft, katakanaRight))
      return aligned(text, at, end) && length >= 3;
    return true;
  }
  if (isKatakana(first) && isKatakana(last)) return true;
  if (!touches(first, before) && !touches(last, after)) return true;
  if (length >= 4) return true;
  return aligned(text, at, end);
}

/** A long katakana word keeps its meaning beside another long one: ゲーム + センター, but not インド + ネシア. */
function katakanaCompound(text: string, at: number, end: number, left: boolean, right: boolean): boolean {
  if (left && right) return false;
  let rest = 0;
  if (left) for (let i = at - 1; i >= 0 && isKatakana(text.charCodeAt(i)); i--) rest++;
  else for (let i = end; i < text.length && isKatakana(text.charCodeAt(i)); i++) rest++;
  return end - at >= 4 ? rest >= 2 : rest >= 4 && end - at === 3;
}

/** Could the two units belong to one word? A change of writing system mostly ends a word. */
function touches(edge: number, neighbour: number): boolean {
  if (isKanji(edge)) return isKanji(neighbour);
  if (isHiragana(edge)) return isHiragana(neighbour) || isKanji(neighbour);
  return false;
}

/** Asks the segmenter whether words begin at `at` and at `end`. */
function aligned(text: string, at: number, end: number): boolean {
  const from = Math.max(0, at - WINDOW);
  const to = Math.min(text.length, end + WINDOW);
  const key = `${text.slice(Math.max(0, at - 3), at)}\u0001${text.slice(at, end)}\u0001${text.slice(end, end + 3)}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' });
  let starts = at === 0;
  let ends = end === text.length;
  const piece = text.slice(from, to);
  for (const { index } of segmenter.segment(piece)) {
    if (from + index === at) starts = true;
    if (from + index === end) ends = true;
  }
  if (to === end) ends = true;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(key, starts && ends);
  return starts && ends;
}

/** Is there Japanese writing in this term? Then it is looked for as a string, not as words between spaces. */
export function hasJapanese(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (isJapanese(text.charCodeAt(i))) return true;
  return false;
}
