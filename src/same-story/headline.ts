import { isJapanese, isPair, LetterKind, letterKindAt } from './letters.ts';
import { distinctiveWordOf, hasWord, type Word, wordOf } from './word.ts';
import { onePhrase, oneSpelling } from './word-meaning.ts';
import { isForeign } from './word-rarity.ts';

/** One of these stands before the name of a paper. */
const DASH = /[-–—|·:｜]/;
const DASH_OR_COMMA = /[-,:–—]/;
const CLOSING = ')]）】>〉';
const OPENING = '[【〔(';
const MIN_HEADLINE_LENGTH = 12;

/** Without one of these, a title has nothing that a publisher added. */
const AFFIX = /[-–—|·:,：｜()[\]（）【】〔>〉]/;

/** Marks like 【速報】, a prefix like "Breaking:", the name of the paper at the end. */
export function stripAffixes(title: string): string {
  return AFFIX.test(title) ? withoutEnd(withoutPrefix(withoutMarks(title))) : title;
}

function withoutMarks(title: string): string {
  if (!OPENING.includes(title.trimStart().charAt(0))) return title;
  return title.replace(/^(?:\s*[[【〔(][^\])】〕]{1,12}[\])】〕])+/u, '');
}

function withoutPrefix(title: string): string {
  if (!/[-:：|]/.test(title)) return title;
  return title
    .replace(
      /^\s*(?:(?:breaking(?: news)?|update|wrapup|corrected|refile|rpt|recast|analysis|insight|factbox|timeline|highlights|instant view|preview|poll|exclusive|just in|watch|listen|live|live updates|video|photos?|pictures?|reports?|study|rep|updated|速報|独自|動画)(?: \d+)?\s*[-:：|]\s*)+/iu,
      '',
    )
    .replace(/^\s*(?:show|ask|tell) hn:\s*/iu, '');
}

/** Twice: a mark may stand before the name. */
function withoutEnd(title: string): string {
  const text = withoutOneEnd(title);
  return text === title ? title : withoutOneEnd(text);
}

/** Who says it: `: study`, `, police say`. */
const ATTRIBUTION =
  /\s*[,:–—-]\s*(?:(?:new |his |her )?(?:study|survey|poll|reports?|police|officials?|sources?|experts?|publicist|rep|spokes(?:man|woman|person)|lawyer|prosecutors?|researchers?|scientists?)(?: (?:says?|said|finds?|found|shows?|suggests?|warns?))?|(?:says?|according to) [\p{L} ]{3,24})\s*$/iu;

function withoutOneEnd(title: string): string {
  let shorter = DASH_OR_COMMA.test(title) ? title.replace(ATTRIBUTION, '') : title;
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

const BACKGROUND =
  /\b(?:after|following|amid|in (?:the )?wake of|in response to|due to|because of|ahead of|before|despite)\b/;
/** "After …" at the beginning of a title is not behind its news. */
const MIN_NEWS_LENGTH = 8;
const NO_WORDS: readonly Word[] = [];

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
  #words: readonly Word[] | null = null;
  #background: readonly Word[] | null = null;
  #isForeign: boolean | null = null;

  constructor(title: string) {
    const start = title.slice(0, MAX_HEADLINE_LENGTH);
    const isPlain = isAscii(start);
    const plain = stripAffixes(isPlain ? start : start.normalize('NFKC')).toLowerCase();
    this.text = !isPlain && hasJapanese(plain) ? oneSpelling(plain) : plain;
    this.hasPairs = !isPlain && hasPair(this.text);
  }

  /** Words and runs that carry the story: names, things, what happened; without numbers. */
  get words(): readonly Word[] {
    // A copy has no spare capacity.
    this.#words ??= wordsIn(onePhrase(this.text)).slice();
    return this.#words;
  }

  /** Whether it is in another language than English and Japanese, as far as its function words show. */
  get isForeign(): boolean {
    this.#isForeign ??= !this.hasPairs && isForeign(this.text);
    return this.#isForeign;
  }

  /** The words of an English title that stand only behind "after", "following", "amid": what happened before its news. */
  get background(): readonly Word[] {
    this.#background ??= this.#findBackground();
    return this.#background;
  }

  #findBackground(): readonly Word[] {
    const at = this.hasPairs ? -1 : this.text.search(BACKGROUND);
    if (at < MIN_NEWS_LENGTH) return NO_WORDS;
    const news = wordsIn(onePhrase(this.text.slice(0, at)));
    return this.words.filter((word) => !hasWord(news, word));
  }
}

/** Nothing to normalize, and nothing Japanese. */
function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
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

/** Words of letters and runs of one Japanese script, each once. */
function wordsIn(text: string): Word[] {
  const words: Word[] = [];
  let end = 0;
  for (let at = 0; at < text.length; at = end) {
    const kind = letterKindAt(text, at);
    let word: Word | null = null;
    if (kind === LetterKind.letter) {
      end = endOfLetters(text, at);
      const digits = endOfDigits(text, end);
      if (digits > end && !QUANTITY_LETTERS.includes(text.slice(at, end))) {
        end = digits;
        word = wordOf(text.slice(at, end));
      } else word = distinctiveWordOf(text.slice(at, end));
    } else if (kind === LetterKind.han) {
      end = endOfRun(text, at, LetterKind.han, LetterKind.han);
      word = runOf(text.slice(at, end));
    } else if (kind === LetterKind.katakana || kind === LetterKind.long) {
      end = endOfRun(text, at, LetterKind.katakana, LetterKind.long);
      const run = text.slice(at, end);
      if (kind !== LetterKind.long || !/^ー+$/.test(run)) word = runOf(run);
    } else if (kind === LetterKind.hiragana && (at === 0 || QUOTES.includes(text.charAt(at - 1)))) {
      end = endOfRun(text, at, LetterKind.hiragana, LetterKind.long);
      if (end - at >= MIN_QUOTED_LENGTH) word = runOf(text.slice(at, end));
    } else end = at + 1;
    if (word !== null && !hasWord(words, word)) words.push(word);
  }
  return words;
}

function runOf(run: string): Word | null {
  return SOFT_CJK.has(run) ? null : wordOf(run);
}

/** After one of these, or at the beginning, hiragana are a name: 探査機「しおかぜ」. */
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

/** Before a figure: a quarter, a magnitude, a version, a sum. */
const QUANTITY_LETTERS = ['q', 'm', 'v', 'us', 'rs'];

/** The name of a model has both: X2, A320, PS5. */
function endOfDigits(text: string, at: number): number {
  let end = at;
  while (end < text.length && letterKindAt(text, end) === LetterKind.digit) end++;
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

/**
 * How much of a word, from 0 to 1, has a counterpart in the other title. In Japanese those characters have one that stand
 * in a pair with the same neighbour over there. `東都電機` and `西都電機` share nearly all and differ where it counts.
 */
export function coveredShare(word: Word, other: Headline): number {
  if (hasWord(other.words, word)) return 1;
  const { text } = word;
  if (!word.isJapanese) return hasAlike(text, other.words) || spelledOut(text, other.text) ? 1 : 0;
  if (text.length === 1 || letterKindAt(text, 0) === LetterKind.hiragana)
    return other.text.includes(text) ? 1 : 0;
  if (!other.hasPairs) return 0;
  let lost = 0;
  let from = 0;
  let before = false;
  for (let at = 0; at < text.length; at++) {
    const after = at + 1 < text.length && hasPairOf(other.text, text.charCodeAt(at), text.charCodeAt(at + 1));
    if (before || after) {
      lost += lostIn(text, from, at);
      from = at + 1;
    }
    before = after;
  }
  return Math.max(0, 1 - (lost + lostIn(text, from, text.length)) / text.length);
}

/** Whether two characters stand side by side in a text, as `isPair` wants them. */
function hasPairOf(text: string, one: number, other: number): boolean {
  for (let at = 1; at < text.length; at++)
    if (text.charCodeAt(at) === other && text.charCodeAt(at - 1) === one) return isPair(text, at - 1);
  return false;
}

/** The missing part; one without distinctive words is no loss. */
function lostIn(word: string, from: number, to: number): number {
  return to > from && !SOFT_CJK.has(word.slice(from, to)) ? to - from : 0;
}

function hasAlike(word: string, others: readonly Word[]): boolean {
  if (word.length < 4) return false;
  for (const other of others) if (!other.isJapanese && alike(word, other.text)) return true;
  return false;
}

const ENDINGS =
  /^(?:ment|ments|tion|ation|er|or|ly|al|ive|ance|ence|ist|ian|iz|is|ization|isation|able|ful|ship|ity|ness)?$/;

/** The same beginning and most of the longer word, or the same word with an ending. */
function alike(one: string, other: string): boolean {
  if (one.charCodeAt(0) !== other.charCodeAt(0)) return false;
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  if (shorter.length < 4) return false;
  let same = 1;
  while (same < shorter.length && one.charCodeAt(same) === other.charCodeAt(same)) same++;
  if (same < 4) return false;
  if (same >= longer.length * 0.7) return true;
  return same === shorter.length && ENDINGS.test(longer.slice(same));
}

/** `us` and `u.s.`, `eu` and `e.u.`: initials written with points come as single letters. */
function spelledOut(word: string, text: string): boolean {
  return word.length <= 4 && text.includes('.') && text.includes([...word].join('.'));
}
