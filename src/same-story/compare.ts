import { coveredShare, type Headline } from './headline.ts';
import type { CommonGround, PairVerdict } from './merge-reason.ts';
import {
  areOtherParts,
  commonFigures,
  compareFigures,
  type FigureEvidence,
  writtenAs,
} from './quantities.ts';
import type { StoryFeatures } from './story-features.ts';
import { areOpposite, isOneSided, stagesConflict, stepsConflict } from './story-stages.ts';
import { fillsTemplate } from './template.ts';
import { hasWord, type Word } from './word.ts';
import { isMonth } from './word-meaning.ts';

/** Result of comparing two items. */
export interface Comparison {
  readonly same: boolean;
  /** Certainty; at least 0 if they are the same story. */
  readonly surplus: number;
  /** Whether something else than too little in common keeps them apart. */
  readonly isContradiction?: boolean;
  /** Whether it is only another stage of the story, as far as two titles show. */
  readonly isOtherStage?: boolean;
  /** Human-readable reason. */
  readonly why: string;
}

/** Favours precision: a wrong merge makes news hard to find, a missed one only shows it twice. */
const MATCH_THRESHOLD = 0.7;
export const MISMATCH_SURPLUS = 5;

/**
 * Whether two items are about one story (X3, Q13). Parts of a series, titles with other sums or shares and no figure in
 * common, or a review beside a piece of news, are two. All other evidence is weighted by
 * logistic regression, fitted to labelled pairs.
 */
export function compareStories(one: StoryFeatures, other: StoryFeatures, weighWord: WordWeight): Comparison {
  if (areOtherParts(one.figures, other.figures)) return OTHER_PARTS;
  const figures = compareFigures(one.figures, other.figures);
  if (figures.exactConflict && figures.agreeing === 0) return OTHER_FIGURES;
  const words = gatherWords(one, other, figures, weighWord);
  if (words === null) return NOTHING_IN_COMMON;
  const weights = words.isJapanese ? JAPANESE_WEIGHTS : WEIGHTS;
  const time = timeEvidence(one, other);
  const score = Math.max(
    scoreOfWords(words, weights) - MATCH_THRESHOLD + time,
    isSameTitle(words) ? SAME_TITLE_SURPLUS : -MISMATCH_SURPLUS,
  );
  // What follows only takes away.
  if (score < -DOUBT_RANGE) return { same: false, surplus: score, why: whyNot(words) };
  if (one.kind !== other.kind) return different('another kind of piece');
  const stages = gatherStages(one, other);
  const surplus = score + scoreOfStages(stages, weights);
  if (surplus < 0) {
    const why = whyNotThen(stages) ?? (surplus - time >= 0 ? TOO_LATE : null);
    return {
      same: false,
      surplus,
      why: why ?? whyNot(words),
      isContradiction: why !== null && why !== TOO_LATE,
      isOtherStage: why === OTHER_STAGE,
    };
  }
  if (fillsTemplate(one, other)) return different('the same form of words with another name');
  return { same: true, surplus, why: words.lesserCover > EQUAL_COVER ? 'the same title' : 'much in common' };
}

/** Also where its words are in many titles of the window; one or two words are no title unless they are rare. */
function isSameTitle(seen: WordEvidence): boolean {
  const { lesserCover, shared, words, exactFiguresDiffer, countsDiffer } = seen;
  if (lesserCover <= EQUAL_COVER || exactFiguresDiffer + countsDiffer > 0) return false;
  return words >= MIN_WORDS_OF_TITLE || shared > MIN_SHARED_OF_TITLE;
}

const SAME_TITLE_SURPLUS = 2;
const MIN_WORDS_OF_TITLE = 3;
const MIN_SHARED_OF_TITLE = 0.8;

/** How far below the threshold a pair is still in doubt. */
const DOUBT_RANGE = 2;

export function isInDoubt(surplus: number): boolean {
  return surplus < 0 && surplus >= -DOUBT_RANGE;
}

/** The same, with what both have in common. */
export function pairVerdict(one: StoryFeatures, other: StoryFeatures, weighWord: WordWeight): PairVerdict {
  const { same, surplus: score, why } = compareStories(one, other, weighWord);
  const verdict = same ? 'same' : isInDoubt(score) ? 'in doubt' : 'different';
  return { verdict, score, why, common: commonGround(one, other) };
}

/** Names, figures and words that one title has and the other item contains, as the title writes them (Q14). */
export function commonGround(one: StoryFeatures, other: StoryFeatures): CommonGround {
  const [names, words]: [string[], string[]] = [[], []];
  for (const word of one.title.words) {
    const covered = Math.max(
      coveredShare(word, other.title),
      other.lead === null ? 0 : coveredShare(word, other.lead),
    );
    if (covered < 0.5) continue;
    (hasWord(one.names, word) || hasWord(other.names, word) ? names : words).push(one.written(word));
  }
  const figures = commonFigures(one.figures.title, other.figures.all).map(writtenAs);
  return { names, figures: [...new Set(figures)], words };
}

const OTHER_FIGURES: Comparison = different('other figures');
const NOTHING_IN_COMMON: Comparison = { same: false, surplus: -MISMATCH_SURPLUS, why: 'nothing in common' };

/** Result for two parts of a series. */
export const OTHER_PARTS: Comparison = different('another part of a series');

function different(why: string): Comparison {
  return { same: false, surplus: -MISMATCH_SURPLUS, why, isContradiction: true };
}

/**
 * What the times of two items take away: papers report an event within hours of each other, and what came of it later. 0
 * where a time is unknown.
 */
function timeEvidence({ publishedAt: one }: StoryFeatures, { publishedAt: other }: StoryFeatures): number {
  if (one === null || other === null) return 0;
  const late = Math.abs(one - other) / HOUR_MS - USUAL_DELAY_HOURS;
  return late <= 0 ? 0 : Math.max(-MAX_LOSS_OF_TIME, -LOSS_PER_HOUR * late);
}

const HOUR_MS = 3_600_000;
const USUAL_DELAY_HOURS = 6;
const LOSS_PER_HOUR = 0.06;
const MAX_LOSS_OF_TIME = 3;

/** Log-odds that two items are about one story, by their words and figures; linear in the weights. */
export function scoreOfWords(seen: WordEvidence, weights: Weights): number {
  const { lesserCover, noLead } = seen;
  let score = weights.bias;
  score += weights.lesserCover * lesserCover + weights.greaterCover * seen.greaterCover;
  score += weights.shared * seen.shared + weights.lesserShared * lesserCover * seen.shared;
  const isOther = seen.otherHeads > 0 || (seen.otherSubject > 0 && seen.otherNames > 0);
  const figures = seen.figuresAgree * (isOther ? OTHER_SUBJECT_FIGURES_SHARE : 1);
  score += weights.figuresAgree * figures + weights.namesAgree * seen.namesAgree;
  score += weights.exactFiguresDiffer * seen.exactFiguresDiffer + weights.countsDiffer * seen.countsDiffer;
  score += (weights.otherNames + weights.lesserOtherNames * lesserCover) * seen.otherNames;
  score += weights.otherSubject * seen.otherSubject + weights.otherHeads * seen.otherHeads;
  score += weights.otherBeginnings * seen.otherBeginnings;
  if (seen.isLoneWord) score += weights.loneWord;
  score +=
    noLead * (weights.noLead + weights.noLeadCover * lesserCover + weights.noLeadWords * seen.otherWords);
  return lesserCover > EQUAL_COVER ? score + weights.equal : score;
}

/** What places and stages add to it: 0 or less. */
export function scoreOfStages(seen: StageEvidence, weights: Weights): number {
  return (
    weights.otherPlaces * seen.otherPlaces +
    weights.backgrounds * seen.backgrounds +
    weights.stagesConflict * seen.stagesConflict +
    weights.oneSidedStage * seen.oneSidedStage +
    weights.opposite * seen.opposite
  );
}

/** Equal figures are less evidence with other subjects: two companies may recall the same number of cars. */
const OTHER_SUBJECT_FIGURES_SHARE = 0.4;

/** From this share on, two titles have all distinctive words in common. */
const EQUAL_COVER = 0.98;

/**
 * Of titles that are not both Japanese; made by `scripts/fit-grouping.ts`, but for `loneWord`: two stories about one name are
 * likelier in a newsroom than among the labelled pairs.
 */
export const WEIGHTS = {
  bias: -2.62,
  lesserCover: 0,
  greaterCover: 0.95,
  shared: 1.74,
  lesserShared: 0,
  equal: 0.41,
  figuresAgree: 2.66,
  exactFiguresDiffer: 0,
  countsDiffer: -1.94,
  namesAgree: 0.94,
  otherNames: -0.07,
  lesserOtherNames: 0,
  otherPlaces: 0,
  otherBeginnings: 0,
  otherSubject: -0.49,
  otherHeads: 0,
  backgrounds: 0,
  stagesConflict: -3.83,
  oneSidedStage: -0.9,
  opposite: -3.06,
  noLead: 0.9,
  noLeadCover: 0,
  noLeadWords: 0,
  loneWord: -1,
};

export type Weights = Readonly<Record<keyof typeof WEIGHTS, number>>;

/** Fitted when both languages had one set of weights. The bias makes up for the threshold, which was 0.4 then. */
const JAPANESE_WEIGHTS: Weights = {
  bias: -6.53,
  lesserCover: 1.76,
  greaterCover: 1.92,
  shared: 2.56,
  lesserShared: 0.69,
  equal: 0.55,
  figuresAgree: 5.18,
  exactFiguresDiffer: -4.88,
  countsDiffer: -2.39,
  namesAgree: 0.97,
  otherNames: -0.55,
  lesserOtherNames: -1.79,
  otherPlaces: -3.73,
  otherBeginnings: -0.24,
  otherSubject: -1.49,
  otherHeads: -2.57,
  backgrounds: -0.7,
  stagesConflict: -4,
  oneSidedStage: -1.62,
  opposite: -3.16,
  noLead: 0.45,
  noLeadCover: -0.44,
  noLeadWords: 0.28,
  loneWord: 0,
};

function whyNot(seen: WordEvidence): string {
  if (seen.exactFiguresDiffer > 0) return 'other figures';
  if (seen.otherNames > 0) return 'another name';
  return seen.greaterCover > 0.9 ? 'much more in one of them' : 'too little in common';
}

function whyNotThen(seen: StageEvidence): string | null {
  if (seen.opposite > 0) return 'one says the opposite';
  if (seen.otherPlaces > 0) return 'another place';
  return seen.stagesConflict > 0 || seen.oneSidedStage > 0 ? OTHER_STAGE : null;
}

const OTHER_STAGE = 'another stage of the story';
const TOO_LATE = 'too little in common for reports that far apart';

/** Words and figures for and against two items being about one story; shares from 0 to 1. */
export interface WordEvidence {
  /** How much of each title the other item contains: the lesser and the greater of the two. */
  readonly lesserCover: number;
  readonly greaterCover: number;
  /** How much both titles share, in weights; grows slowly. */
  readonly shared: number;
  /** Number of distinctive words of the shorter title. */
  readonly words: number;
  readonly figuresAgree: number;
  readonly exactFiguresDiffer: number;
  readonly countsDiffer: number;
  /** Each title has a name that the other item does not contain: the lesser weight of the two. */
  readonly otherNames: number;
  readonly namesAgree: number;
  /** The same for words of all kinds. */
  readonly otherWords: number;
  /** Each title has a Japanese word whose beginning the other item does not contain: names begin words. */
  readonly otherBeginnings: number;
  /** Each title begins with a word that the other item does not contain: a headline names its subject first. */
  readonly otherSubject: number;
  /** Each title has a Japanese word of which the other item has the end and not the beginning: 東都電機, 西都電機. */
  readonly otherHeads: number;
  readonly noLead: number;
  /** They have one word in common, and no figure: a name alone is in many stories. */
  readonly isLoneWord: boolean;
  readonly isJapanese: boolean;
}

/** What else keeps two items apart. */
export interface StageEvidence {
  /** Both titles name Japanese places, and none of them in common. */
  readonly otherPlaces: number;
  readonly stagesConflict: number;
  readonly oneSidedStage: number;
  readonly opposite: number;
  /** Words that are news in one title and background in the other, but for the first: the subject often is. */
  readonly backgrounds: number;
}

export type WordWeight = (word: Word) => number;

const RARITY: WordWeight = ({ rarity }) => rarity;
const FOREIGN_RARITY: WordWeight = ({ foreignRarity }) => foreignRarity;
/** How rare Japanese words are is not known. */
const NO_RARITY: WordWeight = () => 1;

/** `null` if no word is in common. */
export function gatherWords(
  one: StoryFeatures,
  other: StoryFeatures,
  figures: FigureEvidence,
  weigh: WordWeight,
): WordEvidence | null {
  const isJapanese = one.title.hasPairs && other.title.hasPairs;
  const rarityOf = isJapanese
    ? NO_RARITY
    : one.title.isForeign && other.title.isForeign
      ? FOREIGN_RARITY
      : RARITY;
  const mine = coverOf(one, other, rarityOf, weigh);
  if (mine.shared === 0) return null;
  const theirs = coverOf(other, one, rarityOf, weigh);
  return {
    lesserCover: Math.min(mine.whole, theirs.whole),
    greaterCover: Math.max(mine.whole, theirs.whole),
    shared: Math.log(1 + (mine.shared + theirs.shared) / 2),
    words: Math.min(one.title.words.length, other.title.words.length),
    figuresAgree: Math.min(2, figures.agreeing) / 2,
    exactFiguresDiffer: figures.exactConflict ? 1 : 0,
    countsDiffer: figures.countConflict || monthsDiffer(one.title, other.title) ? 1 : 0,
    otherNames: Math.min(2, otherNames(mine, theirs)),
    namesAgree: Math.min(mine.foundNames, theirs.foundNames, 2),
    otherWords: Math.min(mine.lost, theirs.lost, 4),
    otherBeginnings: Math.min(mine.lostBeginnings, theirs.lostBeginnings, 2),
    otherSubject: mine.lostSubject && theirs.lostSubject ? 1 : 0,
    otherHeads: Math.min(mine.lostHeads, theirs.lostHeads, 1),
    noLead: one.lead === null || other.lead === null ? 1 : 0,
    isLoneWord: figures.agreeing === 0 && Math.min(mine.found, theirs.found) < 2,
    isJapanese,
  };
}

export function gatherStages(one: StoryFeatures, other: StoryFeatures): StageEvidence {
  return {
    otherPlaces: placesDiffer(one, other) ? 1 : 0,
    stagesConflict: stagesConflict(one.stage, other.stage) || stepsConflict(one.stage, other.stage) ? 1 : 0,
    oneSidedStage: isOneSided(one.stage, other.stage) ? 1 : 0,
    opposite: areOpposite(one.stage, other.stage) ? 1 : 0,
    backgrounds: Math.max(0, Math.min(MAX_BACKGROUNDS, backgroundsOf(one, other)) - 1),
  };
}

const MAX_BACKGROUNDS = 3;

function backgroundsOf({ title: one }: StoryFeatures, { title: other }: StoryFeatures): number {
  return sharedAsNews(one.background, other) + sharedAsNews(other.background, one);
}

function sharedAsNews(background: readonly Word[], other: Headline): number {
  let shared = 0;
  for (const word of background) if (hasWord(other.words, word) && !hasWord(other.background, word)) shared++;
  return shared;
}

/** Both titles name a month, and none in common. */
function monthsDiffer({ words: one }: Headline, { words: other }: Headline): boolean {
  let found = false;
  for (const word of one) {
    if (!isMonth(word.text)) continue;
    if (hasWord(other, word)) return false;
    found = true;
  }
  return found && other.some(({ text }) => isMonth(text));
}

/** The first word of a title is written like a name whatever it is: it counts as one beside a certain one. */
function otherNames(one: Cover, other: Cover): number {
  const likely = ({ lostNames, lostSubject }: Cover): number => Math.max(lostNames, lostSubject ? 1 : 0);
  return Math.max(Math.min(likely(one), other.lostNames), Math.min(one.lostNames, likely(other)));
}

function placesDiffer(one: StoryFeatures, other: StoryFeatures): boolean {
  if (one.places.length === 0 || other.places.length === 0) return false;
  const isKnown = (place: string, to: StoryFeatures): boolean =>
    to.title.text.includes(place) || to.lead?.text.includes(place) === true;
  return (
    !one.places.some((place) => isKnown(place, other)) && !other.places.some((place) => isKnown(place, one))
  );
}

interface Cover {
  /** Share of the title's weight that the other item contains. */
  readonly whole: number;
  readonly shared: number;
  /** Number of words that the other item contains. */
  readonly found: number;
  readonly lost: number;
  readonly lostBeginnings: number;
  readonly lostHeads: number;
  readonly lostSubject: boolean;
  readonly lostNames: number;
  readonly foundNames: number;
}

const SECOND_NAME_SHARE = 0.5;
/** Many words with a capital are verbs where all words have one. */
const UNCERTAIN_NAME_SHARE = 0.5;

function coverOf(one: StoryFeatures, other: StoryFeatures, rarityOf: WordWeight, weigh: WordWeight): Cover {
  // Separate variables: this is the innermost loop.
  let all = 0;
  let inWhole = 0;
  let found = 0;
  let lostNames = 0;
  let lostBeginnings = 0;
  let lostHeads = 0;
  let foundNames = 0;
  let lostSubject = false;
  const { words } = one.title;
  const ownNames = one.names;
  const certain = one.certainNames;
  const otherNames = other.names;
  let afterName = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as Word;
    const isName = hasWord(ownNames, word) || hasWord(otherNames, word);
    const evidence = weigh(word) * rarityOf(word);
    // First name and family name are one name.
    const weight = evidence * word.factor * (isName && afterName ? SECOND_NAME_SHARE : 1);
    afterName = isName || (index === 0 && !word.isCommon);
    const title = coveredShare(word, other.title);
    const whole =
      other.lead === null || title === 1 ? title : Math.max(title, coveredShare(word, other.lead));
    all += weight;
    inWhole += weight * whole;
    if (whole >= 0.5) found++;
    if (whole < 1 && word.isHan && word.text.length > 1 && beginsElsewhere(word.text, other)) {
      lostBeginnings += evidence;
      if (whole >= 0.3) lostHeads++;
    }
    if (index === 0 && whole < 0.5 && !word.isCommon) lostSubject = true;
    if (isName) {
      if (whole < 0.5) lostNames += hasWord(certain, word) ? weight : weight * UNCERTAIN_NAME_SHARE;
      else foundNames += weight;
    }
  }
  return {
    lostBeginnings,
    lostHeads,
    lostSubject,
    whole: inWhole / Math.max(all, 1e-9),
    shared: inWhole,
    found,
    lost: all - inWhole,
    lostNames,
    foundNames,
  };
}

/** Before a word they belong to no name. */
const PREFIXES = '元前新同全各両約計最初再旧現副総';

function beginsElsewhere(word: string, { title, lead }: StoryFeatures): boolean {
  const at = word.length > 2 && PREFIXES.includes(word.charAt(0)) ? 1 : 0;
  const beginning = word.slice(at, at + 2);
  return !title.text.includes(beginning) && !lead?.text.includes(beginning);
}
