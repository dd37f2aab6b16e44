import type { ArticleText, SummaryStyle } from '../judge.ts';
import { countCharacters, firstCharacters } from '../text-length.ts';
import { sanitiseModelText } from '../untrusted-text.ts';
import { proseOf } from './prose.ts';
import { shorterForms } from './shorter-forms.ts';
import { stemOf } from './term-index.ts';
import { type FoldedText, fold, isKanji, isKatakana, isWordUnit, type Language, languageOf } from './text.ts';

/** A3. */
export const SHORT_SUMMARY = { least: 50, most: 200 } as const;
/** How much of a text is used if no sentences can be chosen. */
const BEGINNING_LENGTH = 2000;
/** English fills the room; a Japanese sentence or two say as much in less. */
const ENOUGH_CHARACTERS = { ja: 50, en: SHORT_SUMMARY.most } as const;

/** A minor sentence of less weight does not fill a short summary. */
const MIN_FILLING_WEIGHT = 0.3;

/** The summary of an evaluation: 50–200 characters, whatever the article gives. Its links and mentions are left out (X6). */
export function shortSummary(
  article: ArticleText,
  candidates: readonly Candidate[],
  language: Language,
): string {
  const size = { ...SHORT_SUMMARY, enough: ENOUGH_CHARACTERS[language], fillingWeight: MIN_FILLING_WEIGHT };
  const composed = sanitiseModelText(composeSummary(candidates, size, language) ?? '');
  if (countCharacters(composed) >= SHORT_SUMMARY.least) return composed;
  const beginning = sanitiseModelText(firstCharacters(article.text, BEGINNING_LENGTH));
  if (countCharacters(beginning) >= SHORT_SUMMARY.least) return cutAtClause(beginning, SHORT_SUMMARY.most);
  return noticeForShortText(beginning, language);
}

/** Summary of an article with hardly any text: states that instead of inventing something. */
function noticeForShortText(text: string, language: Language): string {
  if (language === 'ja') {
    const tail = '本文がほとんどないため、くわしい内容は元の記事を開いて確かめる必要がある。';
    if (text === '') return `この記事には読み取れる本文がない。${tail}`;
    return `本文は次のとおり短い。「${text}」${tail}`;
  }
  const tail = 'There is hardly any text here; open the article itself for the rest.';
  return firstCharacters(
    text === '' ? `No text could be read. ${tail}` : `${text} ${tail}`,
    SHORT_SUMMARY.most,
  );
}

/** The summary that a page is published with (B16): so many sentences, about so many characters. */
export function styledSummary(page: ArticleText, text: string, style: SummaryStyle): string {
  const language = languageOf(text, page.language);
  const candidates = candidatesOf(text, page.title);
  const most = Math.round(style.characters * 1.15);
  const enough = Math.round(style.characters * 0.7);
  const [fewest, count] = style.sentences;
  const some =
    composeSummary(candidates, { least: 1, most, enough, sentences: [fewest, count] }, language) ??
    composeSummary(candidates, { least: 1, most, enough, sentences: [1, count] }, language);
  return (
    sanitiseModelText(some ?? '') ||
    cutAtClause(sanitiseModelText(firstCharacters(text, BEGINNING_LENGTH)), most)
  );
}

export interface SummarySize {
  /** Characters in all. */
  readonly least: number;
  readonly most: number;
  /** Sufficient length; a longer summary is read less. */
  readonly enough: number;
  /** Where the summary could end, a sentence of less weight does not fill the room that is left. */
  readonly fillingWeight?: number;
  /** Sentences; without it only the characters count. */
  readonly sentences?: readonly [least: number, most: number];
}

/**
 * Chooses the sentences with the highest weight that fit and do not repeat each other, in the order of the text. Only whole
 * sentences: one that is too long is taken in a shorter form. Returns `null` if there is not enough text.
 */
export function composeSummary(
  candidates: readonly Candidate[],
  size: SummarySize,
  language: Language,
): string | null {
  const [fewest, most] = size.sentences ?? [1, 6];
  const joint = language === 'en' ? 1 : 0;
  const statements = candidates.filter(({ text }) => !QUESTION.test(text));
  const ranked = (statements.length > fewest ? statements : candidates).toSorted(
    (a, b) => b.weight - a.weight || a.position - b.position,
  );
  const pool = ranked.slice(0, Math.max(fewest * 3, MIN_POOL));
  let trials = 0;
  let standalone = true;
  /** Takes the best that fits, and goes back to the next best only where sentences or characters would be missing. */
  const complete = (
    from: number,
    chosen: readonly Candidate[],
    length: number,
  ): readonly Candidate[] | null => {
    const sufficient = chosen.length >= fewest && length >= size.least ? chosen : null;
    if (chosen.length === most || (sufficient && length >= size.enough)) return sufficient;
    for (const [i, candidate] of pool.entries()) {
      if (i < from || (standalone && isDangling(candidate, chosen))) continue;
      if (sufficient && candidate.weight < (size.fillingWeight ?? 0)) continue;
      for (const form of formsOf(candidate)) {
        if (++trials > MAX_TRIALS) return sufficient;
        const longer = length + form.characters + (chosen.length > 0 ? joint : 0);
        if (longer > size.most || chosen.some((other) => overlap(other, form) > MAX_OVERLAP)) continue;
        const completed = complete(i + 1, [...chosen, form], longer);
        if (completed) return completed;
      }
    }
    return sufficient;
  };
  let chosen = complete(0, [], 0);
  if (chosen === null) {
    trials = 0;
    standalone = false;
    chosen = complete(0, [], 0);
  }
  return chosen === null ? null : joinInOrder(chosen, joint);
}

/** How many of the best sentences are tried. */
const MIN_POOL = 8;
/** Bounds the search where hardly any combination fits. */
const MAX_TRIALS = 2000;
/** A sentence with more of its words in another one repeats it. */
const MAX_OVERLAP = 0.65;
/** Fewer words are shared by chance. */
const MIN_COMPARED_UNITS = 4;

/** A sentence and its shorter forms, the longest first. */
function* formsOf(candidate: Candidate): Generator<Candidate> {
  yield candidate;
  for (const text of shorterForms(candidate.text))
    yield { ...candidate, text, characters: countCharacters(text) };
}

/** Needs a sentence that is not in the summary. */
function isDangling({ isDependent, position }: Candidate, chosen: readonly Candidate[]): boolean {
  return isDependent && !chosen.some((other) => other.position === position - 1);
}

function joinInOrder(chosen: readonly Candidate[], joint: number): string {
  return chosen
    .toSorted((a, b) => a.position - b.position)
    .map((piece) => piece.text)
    .join(joint === 1 ? ' ' : '');
}

function overlap(a: Candidate, b: Candidate): number {
  const small = a.units.size < b.units.size ? a.units : b.units;
  const large = small === a.units ? b.units : a.units;
  if (small.size < MIN_COMPARED_UNITS) return 0;
  let shared = 0;
  for (const unit of small) if (large.has(unit)) shared++;
  return shared / small.size;
}

/** Cuts at the end of a clause where there is one in the second half, otherwise at a word, and shows that it was cut. */
export function cutAtClause(text: string, most: number): string {
  if (countCharacters(text) <= most) return text;
  const room = firstCharacters(text, most - 1);
  const clause = Math.max(room.lastIndexOf('、'), room.lastIndexOf(', '), room.lastIndexOf('; '));
  if (clause > room.length / 2) return `${room.slice(0, clause)}…`;
  const space = room.lastIndexOf(' ');
  return `${space > room.length * 0.6 ? room.slice(0, space) : room}…`;
}

/** A sentence of the text with what is needed to choose it. */
export interface Candidate {
  readonly text: string;
  /** Its place in the text, from 0. */
  readonly position: number;
  readonly characters: number;
  /** Words, or pairs of Japanese characters, that carry meaning. */
  readonly units: ReadonlySet<string | number>;
  /** Understandable only after the previous sentence, or not worth a place alone. */
  readonly isDependent: boolean;
  readonly weight: number;
}

/** Sentences further on are hardly ever the point of an article, and reading them costs time. */
const MAX_SENTENCES = 80;
/** Share of the title's words above which a sentence repeats the title. */
const TITLE_OVERLAP = 0.85;

/** A sentence, folded once for all uses. */
interface Sentence {
  readonly text: string;
  readonly folded: FoldedText;
  readonly units: ReadonlySet<string | number>;
}

export interface Weighing {
  /** What the interests of the reader add to the weight of a sentence. */
  readonly interest?: (sentence: FoldedText) => number;
  /**
   * For a summary of one or two sentences: it has no room for a first sentence that tells nothing, and without a title the
   * words that the text repeats say what it is about. Three sentences are better from the beginning.
   */
  readonly short?: boolean;
}

/** Weighs every sentence: how early it comes, and what of the title and which figures are in it. */
export function candidatesOf(
  text: string,
  title: string,
  { interest, short = false }: Weighing = {},
): Candidate[] {
  const sentences = proseOf(text, MAX_SENTENCES).map(sentenceOf);
  const heading = sentenceOf(title);
  const bareTitle = bareText(heading.folded);
  const subject = short && heading.units.size === 0 ? repeatedUnits(sentences) : heading.units;
  const shares = sentences.map(({ units }) => sharedWith(subject, units));
  const hasTeaser = short && beginsWithTeaser(sentences);
  const start = startOf(shares) || (hasTeaser ? 1 : 0);
  const seen = new Set<string>();
  const candidates: Candidate[] = [];
  sentences.forEach((sentence, position) => {
    if (seen.has(sentence.text) || repeatsTitle(sentence, heading, bareTitle)) return;
    seen.add(sentence.text);
    const place = position < start ? position + 1 : position - start;
    const weight = sentenceWeight(sentence, shares[position] ?? 0, place);
    candidates.push({
      text: sentence.text,
      position,
      characters: countCharacters(sentence.text),
      units: sentence.units,
      isDependent:
        position === 0
          ? hasTeaser
          : position < start || DEPENDENT.test(sentence.text) || BARE_QUOTE.test(sentence.text),
      weight: weight + (interest?.(sentence.folded) ?? 0),
    });
  });
  return candidates;
}

function sentenceOf(text: string): Sentence {
  const folded = fold(text);
  return { text, folded, units: meaningUnits(folded.lower) };
}

const MAX_REPEATED_UNITS = 10;
/** A word is repeated if so many sentences have it. */
const MIN_REPEATED = 3;

/** The words that most sentences have. */
function repeatedUnits(sentences: readonly Sentence[]): ReadonlySet<string | number> {
  const counts = new Map<string | number, number>();
  for (const { units } of sentences) for (const unit of units) counts.set(unit, (counts.get(unit) ?? 0) + 1);
  const repeated = [...counts].filter(([, count]) => count >= MIN_REPEATED).toSorted((a, b) => b[1] - a[1]);
  return new Set(repeated.slice(0, MAX_REPEATED_UNITS).map(([unit]) => unit));
}

/** Share of the title's words that a sentence has. */
function sharedWith(title: ReadonlySet<string | number>, units: ReadonlySet<string | number>): number {
  let shared = 0;
  for (const unit of title) if (units.has(unit)) shared++;
  return title.size === 0 ? 0 : shared / title.size;
}

/** How far into a text the news can begin. */
const MAX_START = 6;
/** The first sentence is a scene or an anecdote if a later one has so much more of the title. */
const MIN_START_GAIN = 0.4;

/** The place of the sentence that the news begins with: the first one, unless the text comes to its subject later. */
function startOf(shares: readonly number[]): number {
  const near = shares.slice(0, MAX_START);
  const best = Math.max(0, ...near);
  return best - (near[0] ?? 0) >= MIN_START_GAIN ? near.indexOf(best) : 0;
}

/** A text with fewer sentences has none to spare. */
const MIN_BEYOND_TEASER = 4;
const MAX_TEASER = 60;
/** Begins with a pronoun, before anything has been named. */
const UNNAMED = /^(?:It|They|He|She|This|That|These|There)\b/;

/** Whether an English text begins with a sentence that makes curious: it begins with a pronoun, or has no name and no figure. */
function beginsWithTeaser(sentences: readonly Sentence[]): boolean {
  const text = sentences[0]?.text ?? '';
  if (sentences.length < MIN_BEYOND_TEASER) return false;
  return (
    UNNAMED.test(text) ||
    (text.length < MAX_TEASER && /^[A-Z]/.test(text) && !/\d|\p{Lo}|\P{L}\p{Lu}/u.test(text))
  );
}

/** News says the most important first; the rest decides between neighbours. Chosen on the tuning half of the labelled sets. */
const TITLE_WEIGHT = 0.3;
const FIGURE_WEIGHT = 0.15;
const QUOTE_COST = 0.3;
const QUESTION_COST = 1;

function sentenceWeight({ text, folded, units }: Sentence, onTitle: number, place: number): number {
  if (units.size === 0) return 0;
  return (
    1 / (1 + place) +
    onTitle * TITLE_WEIGHT +
    (/\d/.test(folded.lower) ? FIGURE_WEIGHT : 0) -
    (QUOTE.test(text) ? QUOTE_COST : 0) -
    (QUESTION.test(text) ? QUESTION_COST : 0)
  );
}

const QUOTE = /^["“‘「『]/;
/** A quotation without its speaker. */
const BARE_QUOTE = /^(?:["“][^"”]*["”]?|「[^」]*」?|『[^』]*』?)[。.]?$/;
const QUESTION = /[?？]["”」]?$|(?:だろう|でしょう|の)か。$/;
/** Begins with a word that refers to the previous sentence: not understandable alone. */
const DEPENDENT =
  /^(?:しかし|ただし|だが|なお|また、|そのため|このため|これ|それ|その|この|こう|そう|そこで|すると|一方|さらに|(?:But|However|And|Also|This|That|These|Those|It|They|He|She|Such|So|Yet|Nor|Still|Then|Instead|Neither|Others|None of|Not all|Meanwhile|Moreover|For example|As a result|By contrast|In addition)\b)/;

function repeatsTitle({ folded, units }: Sentence, title: Sentence, bareTitle: string): boolean {
  if (bareTitle === '') return false;
  // A sentence that is much longer than the title cannot be a variant of it.
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
  return (
    folded.lower.length <= title.folded.lower.length * 1.4 &&
    shared / Math.max(units.size, title.units.size) >= TITLE_OVERLAP
  );
}

function bareText({ lower }: FoldedText): string {
  return lower.replace(/[\s\p{P}\p{S}]+/gu, '');
}

/** Content words of a sentence: English words without stop words, and pairs of kanji or katakana. */
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

/** English stop words. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about above after again against all also am an and any are as at be because been before being below between both ' +
    'but by can could did do does doing down during each either even ever every few for from further get gets got had has ' +
    'have having he her here hers him his how however i if in into is it its itself just last like made make makes many may ' +
    'me might more most much must my near new next no nor not now of off on once one only or other our out over own per ' +
    'said same say says see she should since so some still such than that the their them then there these they this those ' +
    'through to today too two under until up upon us use used using very was way we week well were what when where which ' +
    'while who whom why will with within without would year years yes yet you your'
  ).split(' '),
);
