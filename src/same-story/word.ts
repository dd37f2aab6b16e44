import { isJapanese, letterKindAt } from './letters.ts';
import { distinctiveMeaningOf, isCommonWord, isEverydayName } from './word-meaning.ts';
import { isFunctionWord, rarityOf } from './word-rarity.ts';

/** A word of a title with what comparisons need to know about it, computed once. */
export class Word {
  readonly text: string;
  readonly hash: number;
  readonly isJapanese: boolean;
  readonly isHan: boolean;
  /** Whether news of all subjects has it. */
  readonly isCommon: boolean;
  /** Whether it names what is in the news every day. */
  readonly isEveryday: boolean;
  /** What its weight is multiplied by: less for a common word, more for a long Japanese run, which is several words. */
  readonly factor: number;
  /** How rare it is in English news; what its weight is multiplied by, but in Japanese titles. */
  readonly rarity: number;
  /** The same where both titles are in another language. */
  readonly foreignRarity: number;

  constructor(text: string) {
    this.text = text;
    this.hash = wordHash(text);
    this.isJapanese = isJapanese(letterKindAt(text, 0));
    this.isHan = isHan(text.charCodeAt(0));
    this.isCommon = isCommonWord(text);
    this.isEveryday = isEverydayName(text);
    const size = this.isHan ? Math.min(2, Math.max(0.5, text.length / 2)) : 1;
    this.factor = this.isCommon ? size * COMMON_WEIGHT : size;
    this.rarity = this.isJapanese ? 1 : rarityOf(text);
    this.foreignRarity = isFunctionWord(text) ? FUNCTION_WORD_RARITY : this.rarity;
  }
}

const COMMON_WEIGHT = 0.5;
const FUNCTION_WORD_RARITY = 0.05;

/** A word has one script, so the first character decides; the rare ones beyond the basic plane do not matter. */
function isHan(code: number): boolean {
  return code >= 0x3400 && code <= 0x9fff;
}

/** Maximum number of words that are kept; then the cache begins empty. */
const MAX_WORDS = 50_000;
const WORDS = new Map<string, Word>();
const DISTINCTIVE = new Map<string, Word | null>();

/** The word of a text. Usually one object for equal texts, but not always: compare with `hasWord`. */
export function wordOf(text: string): Word {
  let word = WORDS.get(text);
  if (word === undefined) {
    if (WORDS.size >= MAX_WORDS) WORDS.clear();
    word = new Word(text);
    WORDS.set(text, word);
  }
  return word;
}

/** The word that a token of letters, in lower case, is compared by; `null` if any story may have it. */
export function distinctiveWordOf(token: string): Word | null {
  let word = DISTINCTIVE.get(token);
  if (word === undefined) {
    if (DISTINCTIVE.size >= MAX_WORDS) DISTINCTIVE.clear();
    const meaning = distinctiveMeaningOf(token);
    word = meaning === '' ? null : wordOf(meaning);
    DISTINCTIVE.set(token, word);
  }
  return word;
}

export function hasWord(words: readonly Word[], word: Word): boolean {
  for (const each of words)
    if (each === word || (each.hash === word.hash && each.text === word.text)) return true;
  return false;
}

/** A hash of a word, well mixed in all its 32 bits; signed, so that it is kept without a box. */
export function wordHash(word: string): number {
  let hash = START;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), FACTOR);
  return mixed(hash);
}

/** The same of two characters that stand side by side in a text. */
export function pairHash(one: number, other: number): number {
  return mixed(Math.imul(Math.imul(START ^ one, FACTOR) ^ other, FACTOR));
}

const START = 0x811c9dc5;
const FACTOR = 0x01000193;

function mixed(sum: number): number {
  let hash = sum ^ (sum >>> 15);
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 12);
}
