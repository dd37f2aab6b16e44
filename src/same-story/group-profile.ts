import type { StoryFeatures } from './story-features.ts';
import type { Stage } from './story-stages.ts';
import { hasWord, type Word } from './word.ts';
import { isIncident } from './word-meaning.ts';

/** Below this, the headlines of a group say too little about what is typical of it. */
export const MIN_PROFILE_SIZE = 5;
/** From this size on, a story is wide: its headlines tell of several stages, and name it without saying what happened. */
const WIDE_SIZE = 24;

/** A subject of the group is in half of its headlines, and this much (a logarithm) more frequent there than elsewhere. */
const MIN_SUBJECT_SHARE = 0.5;
const MIN_SUBJECT_LIFT = 2;
/** A typical word is in at least two headlines, in this share of them, and more frequent there than elsewhere. */
const MIN_TYPICAL_SHARE = 0.03;
const MIN_TYPICAL_LIFT = 1;
/** One word is not certain, however rare it is elsewhere. */
const MAX_LIFT = 4;
/** How often each word is expected elsewhere, so that a small window says little. */
const PRIOR_COUNT = 1;
const PRIOR_COUNT_OF_COMMON = 5;
const PRIOR_ITEMS = 200;
/** Number of subjects and typical words that a headline needs, and without the name of a group that has one. */
const MIN_WORDS = 2;
const MIN_WORDS_WITHOUT_NAME = 3;
/** Sum of lifts that a headline needs. */
const MIN_EVIDENCE = 4;
/**
 * Below this size a follow-up is likelier than a headline about the same event: none with a name that the group does not have
 * joins, and none with more unknown words than this, as a share of the known ones.
 */
const CERTAIN_SIZE = 12;
const MAX_UNKNOWN_SHARE = 0.7;
/** What a word takes away that the group does not have. */
const UNKNOWN_NAME = 1;
const UNKNOWN_WORD = 0.3;
const SECOND_NAME_SHARE = 0.5;
/** A subject is a name if it is written like one for certain in this share; a name at the beginning of a title never is. */
const MIN_NAME_SHARE = 0.05;
/** Words that stand beside each other in this share of the headlines are one name. */
const MIN_ONE_NAME_SHARE = 0.8;

/**
 * When the name of a group is enough: there are this many headlines, no other group with the name is larger than a twelfth of them,
 * hardly one arrived before the group began, and the headline says little else: one unknown word, one more each time the
 * group doubles.
 */
const MIN_SIZE_FOR_NAME = 12;
const MAX_RIVAL_SHARE = 1 / 12;
const MAX_EARLIER_SHARE = 0.1;

/** What the window knows beyond the group. */
export interface Window {
  /** Number of items that have a word, and of all. */
  countOf(word: number): number;
  count(): number;
  bearersOf(subject: number): Bearers;
}

/** Items outside of a group that have a subject of it. */
export interface Bearers {
  /** Size of the largest other group. */
  readonly rival: number;
  /** How many arrived before the group began. */
  readonly earlier: number;
}

/**
 * What the headlines of one large group have in common (Q13). Reports of a wide story often share too little with any other
 * one, and still have its subject and another of its words: "What unions think of a Torvik merger" beside forty headlines about
 * the merger of Torvik and Sundra. Only titles count.
 */
export class GroupProfile {
  #size = 0;
  readonly #counts = new Map<number, number>();
  /** How many headlines have a word as a name for certain. */
  readonly #asNames = new Map<number, number>();
  readonly #neighbours = new Map<number, number>();
  readonly #kinds = new Set<string>();
  #stages = 0;
  #hasIncident = false;
  /** Size at which items outside were last looked for. */
  gatheredAt = 0;

  get size(): number {
    return this.#size;
  }

  add({ title, stage, kind, certainNames }: StoryFeatures): void {
    this.#size++;
    for (const { hash } of certainNames) increment(this.#asNames, hash);
    let before = 0;
    for (const { hash, text } of title.words) {
      increment(this.#counts, hash);
      this.#hasIncident ||= isIncident(text);
      increment(this.#neighbours, neighbours(before, hash));
      before = hash;
    }
    this.#stages |= stage.stages;
    this.#kinds.add(kind);
  }

  /** Words that at least half of the headlines have. */
  get subjects(): readonly number[] {
    return [...this.#counts].filter(([, count]) => this.#isSubject(count)).map(([word]) => word);
  }

  /** Whether it has a stage, a kind of piece or an incident, and no headline of the group has it: a follow-up, a review, an accident. */
  isOtherPiece({ title, stage, kind }: StoryFeatures): boolean {
    if (!this.#kinds.has(kind)) return true;
    if (!this.#hasIncident && title.words.some(({ text }) => isIncident(text))) return true;
    return this.#size < WIDE_SIZE && this.#isNewStage(stage);
  }

  #isNewStage({ stages }: Stage): boolean {
    return stages !== 0 && (stages & this.#stages) === 0;
  }

  /** How certain it is that a headline belongs to the group: at least 0 if it does. */
  surplusOf(features: StoryFeatures, window: Window): number {
    const seen = this.#match(features, window);
    const { evidence, subjects, others, everyday, unknown, unknownNames, isOtherSubject, name } = seen;
    if (subjects === 0) return -MIN_EVIDENCE;
    const known = features.title.words.length - unknown;
    if (this.#size < CERTAIN_SIZE && (unknownNames > 0 || unknown > known * MAX_UNKNOWN_SHARE))
      return -MIN_EVIDENCE;
    const surplus = evidence - MIN_EVIDENCE;
    if (name === null) {
      // Bankruptcies are many: without the name of this one, little is certain, and a headline with another name is about that.
      const isNamed = this.#hasNameAsSubject;
      if (isNamed && (unknownNames > 0 || isOtherSubject)) return -MIN_EVIDENCE;
      return subjects + others < (isNamed ? MIN_WORDS_WITHOUT_NAME : MIN_WORDS) ? -MIN_EVIDENCE : surplus;
    }
    const saysLittleElse =
      unknownNames === 0 && unknown <= this.#maxBesideName && !this.#isNewStage(features.stage);
    if (saysLittleElse && this.#isOwnName(name, window)) return Math.max(0, surplus);
    return subjects + others + everyday < MIN_WORDS ? -MIN_EVIDENCE : surplus;
  }

  #match(features: StoryFeatures, window: Window): Match {
    let evidence = 0;
    let [subjects, others, everyday] = [0, 0, 0];
    let [unknown, unknownNames] = [0, 0];
    let isOtherSubject = false;
    let name: number | null = null;
    let [before, afterName, afterSubject]: [Word | null, boolean, boolean] = [null, false, false];
    for (const word of features.title.words) {
      const isName = hasWord(features.names, word);
      const share = isName && afterName ? SECOND_NAME_SHARE : 1;
      const count = this.#counts.get(word.hash) ?? 0;
      let isSubject = false;
      if (count === 0) {
        unknown++;
        // In Japanese nothing shows which words are names.
        if (word.isJapanese || hasWord(features.certainNames, word)) unknownNames++;
        else if (before === null && !word.isCommon) isOtherSubject = true;
        evidence -= share * (isName ? UNKNOWN_NAME : UNKNOWN_WORD * word.factor);
      } else {
        const lift = this.#liftOf(word, count, window);
        evidence += share * Math.min(Math.max(lift, 0), MAX_LIFT);
        isSubject = this.#isSubject(count) && lift >= MIN_SUBJECT_LIFT && canBeSubject(word);
        if (isSubject) {
          if (before === null || !afterSubject || !this.#areOneName(before, word)) subjects++;
          if (this.#isName(word.hash, count)) name = word.hash;
        } else if (this.#isTypical(count) && lift >= MIN_TYPICAL_LIFT && !(isName && afterSubject)) {
          if (word.isEveryday) everyday++;
          else others++;
        }
      }
      afterName = isName || (before === null && !word.isCommon);
      afterSubject = isSubject;
      before = word;
    }
    return { evidence, subjects, others, everyday, unknown, unknownNames, isOtherSubject, name };
  }

  /** Number of unknown words that a headline may have beside the name of the group. */
  get #maxBesideName(): number {
    return 1 + Math.floor(Math.log2(this.#size / MIN_SIZE_FOR_NAME));
  }

  /** Whether the window has a subject because of this group. */
  #isOwnName(subject: number, window: Window): boolean {
    if (this.#size < MIN_SIZE_FOR_NAME) return false;
    const { rival, earlier } = window.bearersOf(subject);
    return rival <= this.#size * MAX_RIVAL_SHARE && earlier <= this.#size * MAX_EARLIER_SHARE;
  }

  #isSubject(count: number): boolean {
    return count >= this.#size * MIN_SUBJECT_SHARE;
  }

  #isName(word: number, count: number): boolean {
    return (this.#asNames.get(word) ?? 0) >= count * MIN_NAME_SHARE;
  }

  /** Also if nothing is known to be a name, as where every word of every headline has a capital. */
  get #hasNameAsSubject(): boolean {
    return (
      this.#asNames.size === 0 ||
      this.subjects.some((word) => this.#isName(word, this.#counts.get(word) ?? 0))
    );
  }

  #isTypical(count: number): boolean {
    return count >= 2 && count >= this.#size * MIN_TYPICAL_SHARE;
  }

  /** Logarithm of how much more frequent a word is in the group than elsewhere in the window. */
  #liftOf({ hash, isCommon }: Word, count: number, window: Window): number {
    const elsewhere =
      Math.max(0, window.countOf(hash) - count) + (isCommon ? PRIOR_COUNT_OF_COMMON : PRIOR_COUNT);
    return Math.log((count / this.#size) * ((window.count() - this.#size + PRIOR_ITEMS) / elsewhere));
  }

  /** Whether the group hardly has one of two words without the other beside it: first name and family name. */
  #areOneName(one: Word, other: Word): boolean {
    const [count, otherCount] = [this.#counts.get(one.hash) ?? 0, this.#counts.get(other.hash) ?? 0];
    const together = this.#neighbours.get(neighbours(one.hash, other.hash)) ?? 0;
    return together >= MIN_ONE_NAME_SHARE * Math.min(count, otherCount);
  }
}

/** The words of a headline beside those of a group. */
interface Match {
  /** Sum of lifts, less for unknown words. */
  readonly evidence: number;
  /** Number of subjects of the group, of its other typical words, and of everyday names among these. */
  readonly subjects: number;
  readonly others: number;
  readonly everyday: number;
  readonly unknown: number;
  readonly unknownNames: number;
  /** It begins with an unknown word: a headline names its subject first. */
  readonly isOtherSubject: boolean;
  /** A subject that is a name. */
  readonly name: number | null;
}

/** What is in the news every day is the subject of many stories. */
function canBeSubject({ isCommon, isEveryday }: Word): boolean {
  return !isCommon && !isEveryday;
}

function increment(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** One key for two words in this order. */
function neighbours(one: number, other: number): number {
  return (Math.imul(one, 31) + other) | 0;
}
