/** Character classes of the tokenizer. Those of Japanese scripts are adjacent. */
export const LetterKind = {
  other: 1,
  digit: 2,
  mark: 3,
  /** Of a script other than the Japanese ones. */
  letter: 4,
  han: 5,
  katakana: 6,
  hiragana: 7,
  /** `ー`, which goes on with katakana, and with letters that it follows. */
  long: 8,
} as const;

export type LetterKind = (typeof LetterKind)[keyof typeof LetterKind];

/** Cache of character classes, 0 if unknown. Nearly every character of a title occurred before. */
const KIND_CACHE = new Uint8Array(2 ** 16);

/** Of the character at a place in a text; both halves of one beyond the basic plane are what the whole is. */
export function letterKindAt(text: string, at: number): LetterKind {
  const code = text.charCodeAt(at);
  const known = (KIND_CACHE[code] ?? 0) as LetterKind | 0;
  if (known !== 0) return known;
  if (code >= 0xd800 && code <= 0xdfff) return kindOfHalf(text, at);
  const found = kindOf(String.fromCharCode(code));
  KIND_CACHE[code] = found;
  return found;
}

/** Whether it is of a script that is written without blanks between words. */
export function isJapanese(kind: LetterKind): boolean {
  return kind >= LetterKind.han;
}

function kindOfHalf(text: string, at: number): LetterKind {
  const whole = text.codePointAt(at) ?? 0;
  if (whole > 0xffff) return kindOf(String.fromCodePoint(whole));
  const before = at === 0 ? 0 : (text.codePointAt(at - 1) ?? 0);
  return before > 0xffff ? kindOf(String.fromCodePoint(before)) : LetterKind.other;
}

function kindOf(letter: string): LetterKind {
  if (/\d/.test(letter)) return LetterKind.digit;
  if (letter === 'ー') return LetterKind.long;
  if (/\p{Script=Han}/u.test(letter)) return LetterKind.han;
  if (/\p{Script=Katakana}/u.test(letter)) return LetterKind.katakana;
  if (/\p{Script=Hiragana}/u.test(letter)) return LetterKind.hiragana;
  if (/\p{L}/u.test(letter)) return LetterKind.letter;
  return /\p{M}/u.test(letter) ? LetterKind.mark : LetterKind.other;
}

/** Neighbouring characters, where at least one is no hiragana: endings and particles are in every sentence. */
export function isPair(text: string, at: number): boolean {
  const one = letterKindAt(text, at);
  if (!isJapanese(one)) return false;
  const other = letterKindAt(text, at + 1);
  return isJapanese(other) && (one !== LetterKind.hiragana || other !== LetterKind.hiragana);
}
