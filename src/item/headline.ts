import { isJapanese, LetterKind, letterKindAt } from './letter-kind.ts';
import { oneSpelling } from './synonyms.ts';
import { withoutTrimmings } from './trimmings.ts';
import { tellingMeaningOf } from './word-meaning.ts';

const LONGEST = 300;

/**
 * A title taken apart for comparison (X3): what in it carries the story. Japanese and English alike: words where there
 * are blanks, runs of one script where there are none.
 */
export class Headline {
  /** The title without what publishers add to it, in NFKC and lower case. */
  readonly text: string;
  /** Whether Japanese characters stand side by side in it, one of them no hiragana. */
  readonly hasPairs: boolean;
  // Figures alone decide many a comparison, so the words are looked for when they are asked for.
  #words: readonly string[] | null = null;

  constructor(title: string) {
    const plain = withoutTrimmings(title.slice(0, LONGEST).normalize('NFKC')).toLowerCase();
    this.text = hasJapanese(plain) ? oneSpelling(plain) : plain;
    this.hasPairs = hasPair(this.text);
  }

  /** Words and runs that carry the story: names, things, what happened; without numbers. */
  get words(): readonly string[] {
    // A copy takes the room of its words alone.
    this.#words ??= wordsIn(this.text).slice();
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
      word = tellingMeaningOf(text.slice(at, end));
    } else if (kind === LetterKind.han) {
      end = endOfRun(text, at, LetterKind.han, LetterKind.han);
      word = text.slice(at, end);
    } else if (kind === LetterKind.katakana || kind === LetterKind.long) {
      end = endOfRun(text, at, LetterKind.katakana, LetterKind.long);
      word = text.slice(at, end);
      if (kind === LetterKind.long && /^ー+$/.test(word)) word = '';
    } else end = at + 1;
    if (word !== '' && !SOFT_CJK.has(word) && !words.includes(word)) words.push(word);
  }
  return words;
}

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

/** Words are of one script, so the first character tells. */
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
  if (word.length === 1) return other.text.includes(word) ? 1 : 0;
  let [lost, from, before] = [0, 0, false];
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

/** What is missing there; a part that tells nothing is no loss. */
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
