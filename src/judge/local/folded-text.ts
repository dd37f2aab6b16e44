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
