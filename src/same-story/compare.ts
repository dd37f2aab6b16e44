import { coveredShare, Headline, MAX_HEADLINE_LENGTH } from './headline.ts';
import type { CommonGround, PairVerdict } from './merge-reason.ts';
import { agreeingFigures, type Figures, figuresContradict, quantitiesOf, writtenAs } from './quantities.ts';
import { areOpposite, type Stage, stageOf, stagesDiffer } from './story-stages.ts';
import { fillsTemplate } from './template.ts';
import { meaningOf } from './word-meaning.ts';

/** Result of comparing two items. */
export interface Comparison {
  readonly same: boolean;
  /** Certainty; at least 0 if they are the same story. */
  readonly surplus: number;
  /** Human-readable reason. */
  readonly why: string;
}

/** Favours precision: a wrong merge makes news hard to find, a missed one only shows it twice. */
const MATCH_THRESHOLD = 1;
const MISMATCH_SURPLUS = 5;

/**
 * Whether two items are about one story (X3). Different figures for the same thing, or a review beside a piece of news,
 * make two. All other evidence is weighted by logistic regression, fitted to labelled pairs (the fitted parts of
 * `story-sets.fixture.ts`): a different name weighs most, an omission weighs little.
 */
export function compareStories(one: StoryFeatures, other: StoryFeatures, weighWord: WordWeight): Comparison {
  if (figuresContradict(one.figures, other.figures)) return FIGURES_DIFFER;
  if (one.kind !== other.kind) return different('another kind of piece');
  if (fillsTemplate(one, other)) return different('the same form of words with another name');
  const seen = gatherEvidence(one, other, weighWord);
  const surplus = similarityScore(seen) - MATCH_THRESHOLD;
  return { same: surplus >= 0, surplus, why: surplus >= 0 ? whySame(seen) : whyNot(seen) };
}

/** How far below the threshold a pair is still in doubt. */
const DOUBT_RANGE = 1;

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
    (one.names.includes(word) || other.names.includes(word) ? names : words).push(one.written(word));
  }
  const figures = one.figures.title.filter(({ value }) =>
    other.figures.all.some((each) => each.value === value),
  );
  return { names, figures: [...new Set(figures.map((figure) => writtenAs(figure)))], words };
}

/** Result if the figures contradict each other. */
export const FIGURES_DIFFER: Comparison = different('other figures');

function different(why: string): Comparison {
  return { same: false, surplus: -MISMATCH_SURPLUS, why };
}

function similarityScore(seen: Evidence): number {
  // A title without a lead is weaker evidence: common words count less, and different words count more.
  const alone = seen.noLead * (0.62 - 1.53 * seen.shared - 0.49 * seen.otherWords);
  return (
    -2.63 +
    0.5 * seen.lesserCover +
    0.44 * seen.greaterCover +
    3.3 * seen.lesserCover * seen.shared +
    1.04 * seen.leads +
    1.98 * seen.figuresAgree +
    0.5 * seen.namesAgree -
    2.61 * seen.otherNames -
    1.27 * seen.otherBeginnings -
    1.44 * seen.otherWords -
    1.47 * seen.stagesDiffer -
    2.05 * seen.opposite +
    alone
  );
}

function whySame({ lesserCover, leads, noLead }: Evidence): string {
  if (lesserCover > 0.95) return 'the same title';
  if (noLead === 0 && leads > 0.6) return 'titles and texts agree';
  return 'the same names, figures and words';
}

function whyNot({ otherNames, greaterCover, shared, opposite, stagesDiffer: stages }: Evidence): string {
  if (shared === 0) return 'nothing in common';
  if (opposite > 0) return 'one says the opposite';
  if (stages > 0) return 'another stage of the story';
  if (otherNames > 0) return 'another name';
  return greaterCover > 0.9 ? 'much more in one of them' : 'too little in common';
}

/** The features of an item for comparison: of its title, and of the first sentences if the source provides some. */
export class StoryFeatures {
  readonly title: Headline;
  readonly lead: Headline | null;
  readonly figures: Figures;
  readonly #title: string;
  readonly #text: string | undefined;
  // Computed on first use: most items are not compared with a similar one.
  #names: readonly string[] | null = null;
  #stage: Stage | null = null;
  #kind: string | null = null;

  /** `figures`: those computed before, if any. */
  constructor(title: string, text: string | undefined, figures?: Figures) {
    this.#title = title.slice(0, MAX_HEADLINE_LENGTH);
    this.#text = text;
    const lead = leadOf(text);
    this.title = new Headline(title);
    this.lead = lead.trim() === '' ? null : new Headline(lead);
    this.figures = figures ?? figuresOf(this.title, this.lead);
  }

  /** Size in the cache. */
  get characters(): number {
    return this.title.text.length + (this.lead?.text.length ?? 0);
  }

  /** Words of the title that are written like names. */
  get names(): readonly string[] {
    this.#names ??= namesOf(this.title, this.#title, leadOf(this.#text));
    return this.#names;
  }

  /** A word of the title as it is written there. */
  written(word: string): string {
    const found = this.#title.match(/\p{L}[\p{L}\p{M}’']*/gu) ?? [];
    return found.find((token) => meaningOf(token.normalize('NFKC').toLowerCase()) === word) ?? word;
  }

  get stage(): Stage {
    this.#stage ??= stageOf(this.title.text);
    return this.#stage;
  }

  /** The kind of article by its title, if it is not plain news. */
  get kind(): string {
    this.#kind ??= pieceKindOf(this.title.text);
    return this.#kind;
  }
}

function leadOf(text: string | undefined): string {
  return text?.slice(0, MAX_LEAD_LENGTH) ?? '';
}

function figuresOf(title: Headline, lead: Headline | null): Figures {
  const figures = quantitiesOf(title.text);
  const all = lead === null ? figures : [...figures, ...quantitiesOf(lead.text)];
  return all.length === 0 ? NO_FIGURES : { title: figures, all };
}

/** Evidence for and against two items being about one story; shares from 0 to 1. */
export interface Evidence {
  /** How much of each title the other item contains: the lesser and the greater of the two. */
  readonly lesserCover: number;
  readonly greaterCover: number;
  /** How much of each lead the other item contains, on average; 0 if one has no lead. */
  readonly leads: number;
  /** How much both titles and leads share, in weights; grows slowly. */
  readonly shared: number;
  readonly figuresAgree: number;
  /** Each title has a name that the other item does not contain: the lesser weight of the two. */
  readonly otherNames: number;
  readonly namesAgree: number;
  /** The same for words of all kinds. */
  readonly otherWords: number;
  readonly noLead: number;
  /** Each title has a Japanese word whose beginning the other item does not contain: names begin words. */
  readonly otherBeginnings: number;
  readonly stagesDiffer: number;
  readonly opposite: number;
}

const NO_FIGURES: Figures = { title: [], all: [] };
const MAX_LEAD_LENGTH = 300;

const KINDS =
  /\b(review|hands[- ]on|opinion|editorial|column|interview|podcast|quiz|obituary|explained|explainer)\b|(レビュー|社説|コラム|インタビュー|解説|対談|書評)/;

function pieceKindOf(title: string): string {
  const [, english, japanese] = KINDS.exec(title) ?? [];
  return english ?? japanese ?? '';
}

const CAPITAL = /\p{Lu}/u;

/** A word that begins with a capital inside a sentence, a foreign word in Japanese, or text in quotation marks. */
function namesOf(head: Headline, title: string, lead: string): readonly string[] {
  const capitals = new Set<string>();
  for (const text of [title, lead]) {
    if (!CAPITAL.test(text)) continue;
    const words = text.match(/\p{L}[\p{L}\p{M}\p{N}’'-]*/gu) ?? [];
    const large = words.filter((word) => /^\p{Lu}/u.test(word)).length;
    if (large > words.length * 0.6 && words.length > 3) continue;
    for (const [index, word] of words.entries())
      if (/^\p{Lu}/u.test(word) && (index > 0 || /^\p{Lu}{2}/u.test(word)))
        capitals.add(meaningOf(word.normalize('NFKC').toLowerCase()));
  }
  return head.words.filter(
    (word) =>
      capitals.has(word) ||
      /^[\p{Script=Katakana}ー]{2,}$/u.test(word) ||
      (head.hasPairs && /^[a-z]{2,}$/.test(word)),
  );
}

export type WordWeight = (word: string) => number;

export function gatherEvidence(one: StoryFeatures, other: StoryFeatures, weigh: WordWeight): Evidence {
  const [mine, theirs] = [coverOf(one, other, weigh), coverOf(other, one, weigh)];
  const leads = one.lead && other.lead ? leadCover(one, other, weigh) : 0;
  return {
    lesserCover: Math.min(mine.whole, theirs.whole),
    greaterCover: Math.max(mine.whole, theirs.whole),
    leads,
    shared: Math.log(1 + (mine.shared + theirs.shared) / 2),
    figuresAgree:
      Math.min(
        2,
        agreeingFigures(one.figures.title, other.figures.all) +
          agreeingFigures(other.figures.title, one.figures.all),
      ) / 2,
    otherNames: Math.min(mine.lostNames, theirs.lostNames, 2),
    namesAgree: Math.min(mine.foundNames, theirs.foundNames, 2),
    otherWords: Math.min(mine.lost, theirs.lost, 4),
    otherBeginnings: Math.min(mine.lostBeginnings, theirs.lostBeginnings, 2),
    stagesDiffer: stagesDiffer(one.stage, other.stage) ? 1 : 0,
    opposite: areOpposite(one.stage, other.stage) ? 1 : 0,
    noLead: one.lead === null || other.lead === null ? 1 : 0,
  };
}

interface Cover {
  /** Share of the title's weight that the other item contains. */
  readonly whole: number;
  readonly shared: number;
  readonly lost: number;
  readonly lostBeginnings: number;
  readonly lostNames: number;
  readonly foundNames: number;
}

function coverOf(one: StoryFeatures, other: StoryFeatures, weigh: WordWeight): Cover {
  let [all, inWhole, lostNames, lostBeginnings, foundNames] = [0, 0, 0, 0, 0];
  for (const word of one.title.words) {
    const weight = weightOf(word, weigh);
    const title = coveredShare(word, other.title);
    const whole = other.lead === null ? title : Math.max(title, coveredShare(word, other.lead));
    all += weight;
    inWhole += weight * whole;
    if (whole < 1 && isHan(word.charCodeAt(0)) && word.length > 1 && beginsElsewhere(word, other))
      lostBeginnings += weigh(word);
    if (one.names.includes(word)) {
      if (whole < 0.5) lostNames += weight;
      else foundNames += weight;
    }
  }
  return {
    lostBeginnings,
    whole: inWhole / Math.max(all, 1e-9),
    shared: inWhole,
    lost: all - inWhole,
    lostNames,
    foundNames,
  };
}

function beginsElsewhere(word: string, { title, lead }: StoryFeatures): boolean {
  const beginning = word.slice(0, 2);
  return !title.text.includes(beginning) && !lead?.text.includes(beginning);
}

function leadCover(one: StoryFeatures, other: StoryFeatures, weigh: WordWeight): number {
  const way = (from: StoryFeatures, to: StoryFeatures): number => {
    let [all, found] = [1e-9, 0];
    for (const word of from.lead?.words ?? []) {
      const weight = weightOf(word, weigh);
      all += weight;
      found += weight * Math.max(to.lead ? coveredShare(word, to.lead) : 0, coveredShare(word, to.title));
    }
    return found / all;
  };
  return (way(one, other) + way(other, one)) / 2;
}

/** A long Japanese run is several words, since there are no spaces. */
function weightOf(word: string, weigh: WordWeight): number {
  return weigh(word) * (isHan(word.charCodeAt(0)) ? Math.min(2, Math.max(0.5, word.length / 2)) : 1);
}

/** A word has one script, so the first character decides; the rare ones beyond the basic plane do not matter. */
function isHan(code: number): boolean {
  return code >= 0x3400 && code <= 0x9fff;
}
