/** What a person can do with an article that says something about their taste. */
export const REACTION_KINDS = ['star', 'more', 'finished', 'hide', 'less'] as const;
export type ReactionKind = (typeof REACTION_KINDS)[number];

export const LEARNED_FEATURES = ['concept', 'name', 'word', 'source', 'author'] as const;
export type LearnedFeature = (typeof LEARNED_FEATURES)[number];

/** One rule that moved a score: what the reactions have in common with the article. */
export interface LearnedRule {
  /** A whole number, never 0. */
  readonly points: number;
  readonly feature: LearnedFeature;
  /** The concept, words, source or author. */
  readonly label: string;
  /** The same in Japanese, of a concept. */
  readonly labelJa?: string;
  /** How many reactions of each kind. */
  readonly reactions: Readonly<Partial<Record<ReactionKind, number>>>;
}

/** The sum of the rules that apply to an article. */
export interface Movement {
  readonly points: number;
  /** Strongest first; their points add up to `points`. */
  readonly rules: readonly LearnedRule[];
}

/** What reactions of people did to a verdict. */
export interface LearnedVerdict extends Movement {
  /** The score of the judge alone. */
  readonly base: number;
  /** Of the reactions that were used. */
  readonly version: string;
  /** How many reactions a model got as examples. Then nothing is moved afterwards. */
  readonly examples?: number;
}

/** Whose reactions: those of the person who reads it, or of the people of a pipeline. */
export type WhoReacted = 'you' | 'people';

/** "+8: you starred 5 about Rust". */
export function learnedRuleText(rule: LearnedRule, language: 'en' | 'ja', who: WhoReacted): string {
  const points = rule.points > 0 ? `+${rule.points}` : `−${-rule.points}`;
  return `${points}: ${language === 'ja' ? inJapanese(rule, who) : inEnglish(rule, who)}`;
}

const ENGLISH: Readonly<Record<ReactionKind, (n: number) => string>> = {
  star: (n) => `starred ${n}`,
  more: (n) => `wanted more like ${n}`,
  finished: (n) => `read ${n} to the end`,
  hide: (n) => `hid ${n}`,
  less: (n) => `wanted less like ${n}`,
};
/** Of people: the number comes first, as in "5 starred". */
const ENGLISH_OF_PEOPLE: Readonly<Record<ReactionKind, (n: number) => string>> = {
  star: (n) => `${n} starred`,
  more: (n) => `${n} “more like this”`,
  finished: (n) => `${n} read to the end`,
  hide: (n) => `${n} hidden`,
  less: (n) => `${n} “less like this”`,
};
const PREPOSITIONS: Readonly<Record<LearnedFeature, string>> = {
  concept: 'about',
  name: 'about',
  word: 'about',
  source: 'from',
  author: 'by',
};

function inEnglish(rule: LearnedRule, who: WhoReacted): string {
  const texts = who === 'you' ? ENGLISH : ENGLISH_OF_PEOPLE;
  const done = eachKind(rule, (kind, n) => texts[kind](n)).join(', ');
  return `${who === 'you' ? 'you ' : ''}${done} ${PREPOSITIONS[rule.feature]} ${rule.label}`;
}

const JAPANESE: Readonly<Record<ReactionKind, (n: number) => string>> = {
  star: (n) => `${n}件にスター`,
  more: (n) => `${n}件に「もっと見たい」`,
  finished: (n) => `${n}件を最後まで閲読`,
  hide: (n) => `${n}件を非表示`,
  less: (n) => `${n}件に「減らす」`,
};
const JAPANESE_FEATURES: Readonly<Record<LearnedFeature, string>> = {
  concept: 'に関する記事',
  name: 'に関する記事',
  word: 'に関する記事',
  source: 'の記事',
  author: 'さんの記事',
};

function inJapanese(rule: LearnedRule, who: WhoReacted): string {
  const label = `「${rule.labelJa ?? rule.label}」${JAPANESE_FEATURES[rule.feature]}`;
  const done = eachKind(rule, (kind, n) => JAPANESE[kind](n)).join('、');
  return `${who === 'you' ? 'あなたは' : ''}${label}${done}`;
}

function eachKind(
  { reactions }: LearnedRule,
  show: (kind: ReactionKind, count: number) => string,
): readonly string[] {
  return REACTION_KINDS.flatMap((kind) => {
    const count = reactions[kind] ?? 0;
    return count === 0 ? [] : [show(kind, count)];
  });
}
