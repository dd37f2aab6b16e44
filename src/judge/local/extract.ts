import { countCharacters } from '../characters.ts';
import { sentencesOf } from '../sentences.ts';
import { fold, isKanji, isKatakana, isWordUnit } from './folded-text.ts';
import { STOP_WORDS } from './stop-words.ts';
import { stemOf } from './term-index.ts';

/** A sentence of the text with what is needed to choose it. */
export interface Candidate {
  readonly text: string;
  /** Its place in the text, from 0. */
  readonly position: number;
  readonly characters: number;
  /** Words, or pairs of Japanese characters, that carry meaning. */
  readonly units: ReadonlySet<string | number>;
  readonly weight: number;
}

/** Sentences further on are hardly ever the point of an article, and reading them costs time. */
const MOST_SENTENCES = 80;
/** More of the title's words than this in a sentence, and it says the title again. */
const REPEATS_TITLE = 0.72;

/** Weighs every sentence by how much of what the whole text talks about is in it, and how early it comes. */
export function candidatesOf(
  text: string,
  title: string,
  interest?: (sentence: string) => number,
): Candidate[] {
  const sentences = sentencesOf(text).slice(0, MOST_SENTENCES).filter(isProse);
  const unitsOf = sentences.map((sentence) => meaningUnits(sentence));
  const frequency = new Map<string | number, number>();
  for (const units of unitsOf) for (const unit of units) frequency.set(unit, (frequency.get(unit) ?? 0) + 1);
  const titleUnits = meaningUnits(title);
  const seen = new Set<string>();
  const candidates: Candidate[] = [];
  sentences.forEach((sentence, position) => {
    const units = unitsOf[position] ?? new Set();
    if (seen.has(sentence) || repeatsTitle(sentence, units, title, titleUnits)) return;
    seen.add(sentence);
    const weight = weigh(sentence, units, frequency, titleUnits, position) + (interest?.(sentence) ?? 0);
    candidates.push({ text: sentence, position, characters: countCharacters(sentence), units, weight });
  });
  return candidates;
}

function weigh(
  sentence: string,
  units: ReadonlySet<string | number>,
  frequency: ReadonlyMap<string | number, number>,
  titleUnits: ReadonlySet<string | number>,
  position: number,
): number {
  if (units.size === 0) return 0;
  let common = 0;
  let titled = 0;
  for (const unit of units) {
    common += (frequency.get(unit) ?? 1) - 1;
    if (titleUnits.has(unit)) titled++;
  }
  const central = common / (units.size + 4);
  const onTitle = titleUnits.size === 0 ? 0 : titled / titleUnits.size;
  const early = position === 0 ? 1 : 1 / (1 + position * 0.6);
  return central * 0.6 + onTitle + early - (DANGLING.test(sentence) ? 0.3 : 0);
}

/** Begins with a word that points at the sentence before, or is a question: it does not stand alone. */
const DANGLING =
  /^(?:しかし|ただし|なお|また、|そのため|このため|これ|それ|その|この|一方|さらに|But|However|And|Also|This|That|These|Those|It|They|He|She|Such|Meanwhile|Moreover|For example)|[?？]$/;

/** A line of prose: long enough, ends like a sentence or is long, and is no address or list of names. */
function isProse(sentence: string): boolean {
  if (sentence.length < 12 || /^https?:\S+$/.test(sentence)) return false;
  if (/[。.!?！？」』）)"”…]$/.test(sentence)) return true;
  return sentence.length >= 40;
}

function repeatsTitle(
  sentence: string,
  units: ReadonlySet<string | number>,
  title: string,
  titleUnits: ReadonlySet<string | number>,
): boolean {
  const bare = bareText(sentence);
  const bareTitle = bareText(title);
  if (bare === '' || bareTitle === '') return false;
  if (bareTitle.includes(bare)) return true;
  if (bare.includes(bareTitle) && bareTitle.length >= 10 && bareTitle.length > bare.length * 0.6) return true;
  if (units.size === 0 || titleUnits.size === 0) return false;
  let shared = 0;
  for (const unit of units) if (titleUnits.has(unit)) shared++;
  return shared / Math.max(units.size, titleUnits.size) >= REPEATS_TITLE;
}

function bareText(text: string): string {
  return fold(text).lower.replace(/[\s\p{P}\p{S}]+/gu, '');
}

/** What a sentence is about: English words without the small ones, and pairs of kanji or katakana. */
export function meaningUnits(sentence: string): Set<string | number> {
  const { lower } = fold(sentence);
  const units = new Set<string | number>();
  for (let i = 0; i < lower.length; i++) {
    const unit = lower.charCodeAt(i);
    if (isWordUnit(unit)) {
      let end = i + 1;
      while (end < lower.length && isWordUnit(lower.charCodeAt(end))) end++;
      const word = lower.slice(i, end);
      if (word.length > 1 && !STOP_WORDS.has(word)) units.add(stemOf(word));
      i = end - 1;
    } else if (carriesMeaning(unit) && i + 1 < lower.length) {
      const next = lower.charCodeAt(i + 1);
      if (carriesMeaning(next)) units.add(unit * 65_536 + next);
    }
  }
  return units;
}

function carriesMeaning(unit: number): boolean {
  return isKanji(unit) || isKatakana(unit);
}
