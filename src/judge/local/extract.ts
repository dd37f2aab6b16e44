import { countCharacters } from '../characters.ts';
import { sentencesOf } from '../sentences.ts';
import type { FoldedText } from './folded-text.ts';
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

/** A sentence, folded once for everything that looks at it. */
interface Sentence {
  readonly text: string;
  readonly folded: FoldedText;
  readonly units: ReadonlySet<string | number>;
}

/** Weighs every sentence by how much of what the whole text talks about is in it, and how early it comes. */
export function candidatesOf(
  text: string,
  title: string,
  interest?: (sentence: FoldedText) => number,
): Candidate[] {
  const sentences = sentencesOf(text, MOST_SENTENCES).filter(isProse).map(sentenceOf);
  const heading = sentenceOf(title);
  const bareTitle = bareText(heading.folded);
  const frequency = new Map<string | number, number>();
  for (const { units } of sentences) {
    for (const unit of units) frequency.set(unit, (frequency.get(unit) ?? 0) + 1);
  }
  const seen = new Set<string>();
  const candidates: Candidate[] = [];
  sentences.forEach((sentence, position) => {
    if (seen.has(sentence.text) || repeatsTitle(sentence, heading, bareTitle)) return;
    seen.add(sentence.text);
    const weight = weigh(sentence.text, sentence.units, frequency, heading.units, position);
    candidates.push({
      text: sentence.text,
      position,
      characters: countCharacters(sentence.text),
      units: sentence.units,
      weight: weight + (interest?.(sentence.folded) ?? 0),
    });
  });
  return candidates;
}

function sentenceOf(text: string): Sentence {
  const folded = fold(text);
  return { text, folded, units: meaningUnits(folded.lower) };
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

function repeatsTitle({ folded, units }: Sentence, title: Sentence, bareTitle: string): boolean {
  if (bareTitle === '') return false;
  // A sentence that is much longer than the title cannot be the title in other dress.
  if (folded.lower.length <= title.folded.lower.length * 2 + 10) {
    const bare = bareText(folded);
    if (bare === '') return false;
    if (bareTitle.includes(bare)) return true;
    if (bare.includes(bareTitle) && bareTitle.length >= 10 && bareTitle.length > bare.length * 0.6)
      return true;
  }
  if (units.size === 0 || title.units.size === 0) return false;
  let shared = 0;
  for (const unit of units) if (title.units.has(unit)) shared++;
  return shared / Math.max(units.size, title.units.size) >= REPEATS_TITLE;
}

function bareText({ lower }: FoldedText): string {
  return lower.replace(/[\s\p{P}\p{S}]+/gu, '');
}

/** What a sentence is about: English words without the small ones, and pairs of kanji or katakana. */
function meaningUnits(lower: string): Set<string | number> {
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
