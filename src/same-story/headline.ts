import { distinctiveMeaningOf, onePhrase, oneSpelling } from './word-meaning.ts';

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

/** One of these stands before the name of a paper. */
const DASH = /[-–—|·:｜]/;
const CLOSING = ')]）】>〉';
const OPENING = '[【〔(';
const MIN_HEADLINE_LENGTH = 12;

/** Marks like 【速報】, a prefix like "Breaking:", the name of the paper at the end. */
export function stripAffixes(title: string): string {
  // Most titles have none of it, which a check of single characters shows; the patterns try every position of a title.
  return withoutEnd(withoutPrefix(withoutMarks(title)));
}

function withoutMarks(title: string): string {
  if (!OPENING.includes(title.trimStart().charAt(0))) return title;
  return title.replace(/^(?:\s*[[【〔(][^\])】〕]{1,12}[\])】〕])+/u, '');
}

function withoutPrefix(title: string): string {
  if (!/[-:：|]/.test(title)) return title;
  return title
    .replace(
      /^\s*(?:breaking(?: news)?|update(?: \d+)?|exclusive|just in|watch|live|live updates|video|速報|独自|動画)\s*[-:：|]\s*/iu,
      '',
    )
    .replace(/^\s*(?:show|ask|tell) hn:\s*/iu, '');
}

/** Twice: a mark may stand before the name. */
function withoutEnd(title: string): string {
  const text = withoutOneEnd(title);
  return text === title ? title : withoutOneEnd(text);
}

function withoutOneEnd(title: string): string {
  let shorter = title;
  if (CLOSING.includes(shorter.trimEnd().slice(-1)))
    shorter = shorter.replace(/\s*[([（【<〈][^)\]）】>〉]{1,24}[)\]）】>〉]\s*$/u, (end) =>
      ISSUE.test(end) ? end : '',
    );
  if (DASH.test(shorter))
    shorter = shorter.replace(/(?:\s+[-–—|·:]+\s+|\s*[|｜]\s*|\s+[-–—])[^-–—|｜]{1,32}$/u, '');
  if (shorter === title) return title;
  return [...shorter].length >= MIN_HEADLINE_LENGTH || shorter.length * 2 > title.length ? shorter : title;
}

/** Which one of a series it is: `（六月分）`, `（花房市）`, `(No. 12)`. */
const ISSUE =
  /[市町村県区][)）]\s*$|[\d一二三四五六七八九十][月年回号期週]|\b(?:no\.?|vol\.?|part|week|issue) ?\d/iu;

export const MAX_HEADLINE_LENGTH = 300;

/**
 * A tokenized title for comparison (X3), Japanese or English: words where there are spaces, runs of one script where
 * there are none.
 */
export class Headline {
  /** The title without what publishers add to it, in NFKC and lower case. */
  readonly text: string;
  /** Whether Japanese characters stand side by side in it, one of them no hiragana. */
  readonly hasPairs: boolean;
  // Computed on first use: figures alone decide many comparisons.
  #words: readonly string[] | null = null;

  constructor(title: string) {
    const plain = stripAffixes(title.slice(0, MAX_HEADLINE_LENGTH).normalize('NFKC')).toLowerCase();
    this.text = hasJapanese(plain) ? oneSpelling(plain) : plain;
    this.hasPairs = hasPair(this.text);
  }

  /** Words and runs that carry the story: names, things, what happened; without numbers. */
  get words(): readonly string[] {
    // A copy has no spare capacity.
    this.#words ??= wordsIn(onePhrase(this.text)).slice();
    return this.#words;
  }
}

function hasJapanese(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const kind = letterKindAt(text, at);
    if (isJapanese(kind) && kind !== LetterKind.long) return true;
  }
  return false;
}

function hasPair(text: string): boolean {
  for (let at = 0; at + 1 < text.length; at++) if (isPair(text, at)) return true;
  return false;
}

/** Neighbouring characters, where at least one is no hiragana: endings and particles are in every sentence. */
export function isPair(text: string, at: number): boolean {
  const one = letterKindAt(text, at);
  if (!isJapanese(one)) return false;
  const other = letterKindAt(text, at + 1);
  return isJapanese(other) && (one !== LetterKind.hiragana || other !== LetterKind.hiragana);
}

/** Words of letters and runs of one Japanese script, each once. */
function wordsIn(text: string): readonly string[] {
  const words: string[] = [];
  let end = 0;
  for (let at = 0; at < text.length; at = end) {
    const kind = letterKindAt(text, at);
    let word = '';
    if (kind === LetterKind.letter) {
      end = endOfLetters(text, at);
      word = distinctiveMeaningOf(text.slice(at, end));
    } else if (kind === LetterKind.han) {
      end = endOfRun(text, at, LetterKind.han, LetterKind.han);
      word = text.slice(at, end);
    } else if (kind === LetterKind.katakana || kind === LetterKind.long) {
      end = endOfRun(text, at, LetterKind.katakana, LetterKind.long);
      word = text.slice(at, end);
      if (kind === LetterKind.long && /^ー+$/.test(word)) word = '';
    } else if (kind === LetterKind.hiragana && QUOTES.includes(text.charAt(at - 1))) {
      end = endOfRun(text, at, LetterKind.hiragana, LetterKind.long);
      word = end - at >= MIN_QUOTED_LENGTH ? text.slice(at, end) : '';
    } else end = at + 1;
    if (word !== '' && !SOFT_CJK.has(word) && !words.includes(word)) words.push(word);
  }
  return words;
}

/** After one of these, hiragana are a name: 探査機「しおかぜ」. */
const QUOTES = '「『';
const MIN_QUOTED_LENGTH = 3;

function endOfRun(text: string, at: number, one: LetterKind, other: LetterKind): number {
  let end = at + 1;
  while (end < text.length) {
    const kind = letterKindAt(text, end);
    if (kind !== one && kind !== other) break;
    end++;
  }
  return end;
}

/** A letter may have one mark or apostrophe. */
function endOfLetters(text: string, at: number): number {
  let end = at;
  while (end < text.length) {
    const kind = letterKindAt(text, end);
    if (kind !== LetterKind.letter && kind !== LetterKind.long) break;
    end++;
    if (end < text.length && isMark(text, end)) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end;
}

function isMark(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x27 || code === 0x2019 || letterKindAt(text, at) === LetterKind.mark;
}

const SOFT_CJK: ReadonlySet<string> = new Set(
  '発表 公表 公開 発売 開始 提供 提供開始 実施 判明 検討 方針 新 新型 今年 昨年 今日 昨日 明日 本日 約 人 年 月 日 時 分 円 億円 万円 兆円 億 万 兆 回 件 個 度 号 氏 最大 最高 心配 見通し 計画 予定 リリース ニュース まとめ レポート'.split(
    ' ',
  ),
);

/** A word has one script, so the first character decides. */
export function isJapaneseWord(word: string): boolean {
  return isJapanese(letterKindAt(word, 0));
}

/**
 * How much of a word, from 0 to 1, has a counterpart in the other title. In Japanese those characters have one that stand
 * in a pair with the same neighbour over there. `東都電機` and `西都電機` share nearly all and differ where it counts.
 */
export function coveredShare(word: string, other: Headline): number {
  if (other.words.includes(word)) return 1;
  if (!isJapaneseWord(word)) return hasAlike(word, other.words) || spelledOut(word, other.text) ? 1 : 0;
  if (word.length === 1 || letterKindAt(word, 0) === LetterKind.hiragana)
    return other.text.includes(word) ? 1 : 0;
  let lost = 0;
  let from = 0;
  let before = false;
  for (let at = 0; at < word.length; at++) {
    const after = at + 1 < word.length && other.hasPairs && hasThatPair(other.text, word.slice(at, at + 2));
    if (before || after) {
      lost += lostIn(word, from, at);
      from = at + 1;
    }
    before = after;
  }
  return Math.max(0, 1 - (lost + lostIn(word, from, word.length)) / word.length);
}

function hasThatPair(text: string, pair: string): boolean {
  const at = text.indexOf(pair);
  return at >= 0 && isPair(text, at);
}

/** The missing part; one without distinctive words is no loss. */
function lostIn(word: string, from: number, to: number): number {
  return to > from && !SOFT_CJK.has(word.slice(from, to)) ? to - from : 0;
}

function hasAlike(word: string, others: readonly string[]): boolean {
  for (const other of others) if (alike(word, other)) return true;
  return false;
}

const ENDINGS =
  /^(?:ment|ments|tion|ation|er|or|ly|al|ive|ance|ence|ist|ian|iz|is|ization|isation|able|ful|ship|ity|ness)?$/;

/** The same beginning and most of the longer word, or the same word with an ending. */
function alike(one: string, other: string): boolean {
  if (one.charCodeAt(0) !== other.charCodeAt(0)) return false;
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  if (shorter.length < 4 || isJapaneseWord(other)) return false;
  if (longer.startsWith(shorter) && ENDINGS.test(longer.slice(shorter.length))) return true;
  let same = 0;
  while (same < shorter.length && one.charCodeAt(same) === other.charCodeAt(same)) same++;
  return same >= 4 && same >= longer.length * 0.7;
}

/** `us` and `u.s.`, `eu` and `e.u.`: initials written with points come as single letters. */
function spelledOut(word: string, text: string): boolean {
  return word.length <= 4 && text.includes('.') && text.includes([...word].join('.'));
}
