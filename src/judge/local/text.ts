/**
 * A text prepared for matching: width and compatibility forms made one (NFKC), once in its own letter case and once
 * in lower case. Both have the same length, so that a place in one is the same place in the other.
 */
export interface FoldedText {
  readonly cased: string;
  readonly lower: string;
}

export function fold(text: string): FoldedText {
  const cased = text.normalize('NFKC');
  const lower = cased.toLowerCase();
  return { cased, lower: lower.length === cased.length ? lower : lowerUnitByUnit(cased) };
}

/** For the few letters whose lower case has another length (İ). */
function lowerUnitByUnit(text: string): string {
  let lower = '';
  for (const character of text) {
    const small = character.toLowerCase();
    lower += small.length === character.length ? small : character;
  }
  return lower;
}

/** Letters and digits of Latin, Greek and Cyrillic writing: what makes a word with spaces around it. */
export function isWordUnit(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0xc0 && unit <= 0x52f && unit !== 0xd7 && unit !== 0xf7)
  );
}

export function isKatakana(unit: number): boolean {
  return (unit >= 0x30a1 && unit <= 0x30fa) || unit === 0x30fc;
}

export function isHiragana(unit: number): boolean {
  return unit >= 0x3041 && unit <= 0x309f;
}

export function isKanji(unit: number): boolean {
  return (
    (unit >= 0x4e00 && unit <= 0x9fff) ||
    (unit >= 0x3400 && unit <= 0x4dbf) ||
    (unit >= 0xf900 && unit <= 0xfaff) ||
    unit === 0x3005
  );
}

export function isJapanese(unit: number): boolean {
  return isKanji(unit) || isKatakana(unit) || isHiragana(unit);
}

export type Language = 'ja' | 'en';

/** How much of a text is used to detect its language. */
const SAMPLE_LENGTH = 2000;

/**
 * The language of a text, as far as the local judge distinguishes them. Kana decide: Japanese prose never
 * goes without them, and a few Latin names in it change nothing.
 */
export function languageOf(text: string, declared?: string): Language {
  let kana = 0;
  let letters = 0;
  for (let i = 0; i < Math.min(text.length, SAMPLE_LENGTH); i++) {
    const unit = text.charCodeAt(i);
    if (isHiragana(unit) || isKatakana(unit)) kana++;
    else if (isWordUnit(unit)) letters++;
  }
  if (kana === 0 && letters === 0) return declared?.toLowerCase().startsWith('ja') ? 'ja' : 'en';
  return kana * 5 >= letters ? 'ja' : 'en';
}

/** Context around a match for the segmenter. It is slow: a whole article would take milliseconds. */
const SEGMENT_WINDOW = 10;
/** Size of the cache by term and neighbours, which is cleared when it is full. */
const MAX_CACHED_WORDS = 20_000;

const wordCache = new Map<string, boolean>();
let segmenter: Intl.Segmenter | undefined;

/** The words of a text in any script. The dictionary is loaded on first use: 3 MB. */
export function segmentWords(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' });
  return segmenter.segment(text);
}

/**
 * Does the string found at `at` stand there as a word of its own, or as a part of a compound that keeps its meaning?
 * 京都 in 東京都 does not; セキュリティ in サイバーセキュリティ does.
 */
export function isWholeWord(text: string, at: number, length: number): boolean {
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
      return isSegmentAligned(text, at, end) && length >= 3;
    return true;
  }
  if (isKatakana(first) && isKatakana(last)) return true;
  if (!touches(first, before) && !touches(last, after)) return true;
  if (length >= 4) return true;
  return isSegmentAligned(text, at, end);
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
function isSegmentAligned(text: string, at: number, end: number): boolean {
  const from = Math.max(0, at - SEGMENT_WINDOW);
  const to = Math.min(text.length, end + SEGMENT_WINDOW);
  const key = `${text.slice(Math.max(0, at - 3), at)}\u0001${text.slice(at, end)}\u0001${text.slice(end, end + 3)}`;
  const known = wordCache.get(key);
  if (known !== undefined) return known;
  let starts = at === 0;
  let ends = end === text.length;
  const piece = text.slice(from, to);
  for (const { index } of segmentWords(piece)) {
    if (from + index === at) starts = true;
    if (from + index === end) ends = true;
  }
  if (to === end) ends = true;
  if (wordCache.size >= MAX_CACHED_WORDS) wordCache.clear();
  wordCache.set(key, starts && ends);
  return starts && ends;
}

/** Whether a term has Japanese writing and is matched as a string, not as words between spaces. */
export function hasJapanese(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (isJapanese(text.charCodeAt(i))) return true;
  return false;
}
