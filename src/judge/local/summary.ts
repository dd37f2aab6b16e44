import type { ArticleText, SummaryStyle } from '../judge.ts';
import { countCharacters, firstCharacters, sentencesOf } from '../text-length.ts';
import { sanitiseModelText } from '../untrusted-text.ts';
import { stemOf } from './term-index.ts';
import { type FoldedText, fold, isKanji, isKatakana, isWordUnit, type Language, languageOf } from './text.ts';

/** A3. */
export const SHORT_SUMMARY = { least: 50, most: 200 } as const;
/** How much of a text is used if no sentences can be chosen. */
const BEGINNING_LENGTH = 2000;
/** Japanese needs half of the characters for the same content. */
const ENOUGH_CHARACTERS = { ja: 50, en: 120 } as const;

/** The summary of an evaluation: 50–200 characters, whatever the article gives. Its links and mentions are left out (X6). */
export function shortSummary(
  article: ArticleText,
  candidates: readonly Candidate[],
  language: Language,
): string {
  const size = { ...SHORT_SUMMARY, enough: ENOUGH_CHARACTERS[language] };
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
  const least = Math.round(style.characters * 0.4);
  const full = composeSummary(
    candidates,
    { least, most, enough: Math.round(style.characters * 0.7), sentences: style.sentences },
    language,
  );
  const sentences = [1, style.sentences[1]] as const;
  const some = full ?? composeSummary(candidates, { least: 1, most, enough: least, sentences }, language);
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
  /** Sentences; without it only the characters count. */
  readonly sentences?: readonly [least: number, most: number];
}

/**
 * Chooses the sentences with the highest weight that fit and do not repeat each other, in the order of the text. Only whole
 * sentences: where too few fit, the shorter ones of the best are taken. Returns `null` if there is not enough text.
 */
export function composeSummary(
  candidates: readonly Candidate[],
  size: SummarySize,
  language: Language,
): string | null {
  const [fewest, most] = size.sentences ?? [1, 6];
  const joint = language === 'en' ? 1 : 0;
  const ranked = [...candidates].sort((a, b) => b.weight - a.weight || a.position - b.position);
  const isEnough = (length: number, count: number): boolean =>
    length >= size.least && count >= fewest && length >= size.enough;
  const chosen = choose(ranked, size.most, joint, most, isEnough);
  if (chosen.length >= fewest && lengthOf(chosen, joint) >= size.least) return joinInOrder(chosen, joint);
  const pool = ranked.slice(0, Math.max(fewest * 3, 8)).toSorted((a, b) => a.characters - b.characters);
  const brief = choose(pool, size.most, joint, Math.max(fewest, 2), () => false);
  return brief.length >= fewest && lengthOf(brief, joint) >= size.least ? joinInOrder(brief, joint) : null;
}

/** A sentence with more of its words in another one repeats it. */
const MAX_OVERLAP = 0.8;
/** Fewer words are shared by chance. */
const MIN_COMPARED_UNITS = 4;

function choose(
  ranked: readonly Candidate[],
  room: number,
  joint: number,
  most: number,
  isEnough: (length: number, count: number) => boolean,
): Candidate[] {
  const chosen: Candidate[] = [];
  let length = 0;
  for (const whole of ranked) {
    if (chosen.length === most) break;
    const left = room - length - (chosen.length > 0 ? joint : 0);
    const candidate = whole.characters <= left ? whole : withoutClause(whole, left);
    if (candidate === null || chosen.some((other) => overlap(other, candidate) > MAX_OVERLAP)) continue;
    chosen.push(candidate);
    length += candidate.characters + (chosen.length > 1 ? joint : 0);
    if (isEnough(length, chosen.length)) break;
  }
  return chosen;
}

function lengthOf(chosen: readonly Candidate[], joint: number): number {
  return chosen.reduce((sum, { characters }) => sum + characters, 0) + joint * Math.max(0, chosen.length - 1);
}

/** A sentence without a clause at its end that only adds something, if it fits then: what remains is a whole sentence with the same statement. */
function withoutClause(candidate: Candidate, room: number): Candidate | null {
  for (let end = candidate.text.length; end > 0; ) {
    const clause = Math.max(...CLAUSES.map((start) => candidate.text.lastIndexOf(start, end - 1)));
    if (clause < candidate.text.length / 3) return null;
    const text = `${candidate.text.slice(0, clause)}.`;
    const characters = countCharacters(text);
    if (characters <= room && isBalanced(text)) return { ...candidate, text, characters };
    end = clause;
  }
  return null;
}

const CLAUSES = [
  ', which ',
  ', who ',
  ', where ',
  ', whose ',
  ', while ',
  ', after ',
  ', as ',
  ', following ',
  ', amid ',
  ', including ',
];

function isBalanced(text: string): boolean {
  return (text.match(/["“”]/g)?.length ?? 0) % 2 === 0;
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

/** Weighs every sentence by how much of what the whole text talks about is in it, and how early it comes. */
export function candidatesOf(
  text: string,
  title: string,
  interest?: (sentence: FoldedText) => number,
): Candidate[] {
  const sentences = sentencesOf(text, MAX_SENTENCES).map(bareSentence).filter(isProse).map(sentenceOf);
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
    const weight = sentenceWeight(sentence.text, sentence.units, frequency, heading.units, position);
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

/** News says the most important at the beginning: other sentences need words of the title, or of the whole text, to replace it. */
const EARLY_SLOPE = 1;
const TITLE_WEIGHT = 0.1;
const CENTRAL_WEIGHT = 0.05;
const DEPENDENT_COST = 0.05;

function sentenceWeight(
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
  const early = 1 / (1 + position * EARLY_SLOPE);
  return (
    early +
    onTitle * TITLE_WEIGHT +
    central * CENTRAL_WEIGHT -
    (NOT_STANDALONE.test(sentence) ? DEPENDENT_COST : 0)
  );
}

/** Begins with a word that refers to the previous sentence, or is a question: not understandable alone. */
const NOT_STANDALONE =
  /^(?:しかし|ただし|なお|また、|そのため|このため|これ|それ|その|この|一方|さらに|But|However|And|Also|This|That|These|Those|It|They|He|She|Such|Meanwhile|Moreover|For example)|[?？]$/;

/** What agencies and layouts put before or into a sentence: place and agency, byline, remarks in brackets. */
const DATELINE =
  /^(?:By [A-Z][\p{L}.'’-]+(?: [A-Z][\p{L}.'’-]+){1,3}\s+(?=[A-Z]{3}))?(?:(?:[A-Z][\p{L}.'’-]*,? ){0,6}\((?:[A-Z]{2,5}|Reuters|Bloomberg|Xinhua|CNN)[^)]{0,20}\)\s*[-–—:]*\s*|[A-Z]{3}[A-Z .,'’-]{0,40}\s(?:--|[-–—])\s+)/u;
/** A dateline is at the beginning, perhaps after a line or two of the layout. */
const MAX_DATELINES = 3;
const JAPANESE_DATELINE =
  /^(?:【[^】]{1,30}(?:時事|共同|ロイター|AFP|記者|発)[^】]{0,10}】|［[^］]{1,30}］)\s*[-–—]*\s*/;
const REMARK = / ?\([^()]{1,80}\)|（[^（）]{1,40}）/g;

/** A word before a colon that the sanitiser would take for the scheme of a link. */
const SCHEME_WORD = /\b(data|tel|discord):(?=\s)/gi;

function bareSentence(sentence: string, place: number): string {
  let bare = sentence;
  if (place < MAX_DATELINES && /[(【［–—]| -/.test(bare.slice(0, 80)))
    bare = bare.replace(DATELINE, '').replace(JAPANESE_DATELINE, '');
  if (bare.includes('(') || bare.includes('（')) bare = bare.replace(REMARK, '');
  if (bare.includes(': ')) bare = bare.replace(SCHEME_WORD, '$1 –');
  return bare === sentence ? sentence : bare.trim();
}

/** Lines of a page that are not its text. */
const BOILERPLATE =
  /^(?:image|photo|picture|copyright|©|click here|read more|read also|subscribe|sign up|follow us|advertisement|share this|related|last updated|all rights reserved|写真[:：=]|画像[:：=]|関連記事|続きを読む|あわせて読みたい|会員限定|無断転載|Copyright)/i;

/** A line of prose: long enough, ends like a sentence or is long, and is no address or list of names. */
function isProse(sentence: string): boolean {
  if (
    sentence.length < 8 ||
    /^https?:\S+$/.test(sentence) ||
    (sentence.length < 120 && BOILERPLATE.test(sentence))
  )
    return false;
  if (/[。.!?！？」』）)"”…]$/.test(sentence)) return true;
  return sentence.length >= 40;
}

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
