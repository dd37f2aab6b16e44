import { type Headline, uncoveredIn } from './headline.ts';

/** Two tellings compared. */
export interface Comparison {
  readonly same: boolean;
  /** 0 to 1: how much of both titles has its counterpart. */
  readonly likeness: number;
  /** Why, for people. */
  readonly why: string;
}

/** How much the texts overlap, 0 to 1; `null` where one of them has none. */
export type TextLikeness = number | null;

/** Words in common without which even equal titles may be chance: "Weekly links", "お知らせ". */
const FEWEST_SHARED = 3;

/**
 * Whether two titles tell one story (X3). In doubt they do not: a wrong merge hides news, a missed one only shows it
 * twice. So a name or a number that stands in the place of another tells two stories, however alike the rest is; what
 * is only left out or added does not.
 */
export function sameStory(one: Headline, other: Headline, text: TextLikeness): Comparison {
  const [myNumbers, theirNumbers] = [newNumbers(one, other), newNumbers(other, one)];
  if (myNumbers > 0 && theirNumbers > 0) return { same: false, likeness: 0, why: 'other numbers' };
  const [mine, theirs] = [uncovered(one, other), uncovered(other, one)];
  const shared = one.words.length - mine.length + (one.numbers.length - myNumbers);
  const likeness = likenessOf(one, other, mine.length + theirs.length + myNumbers + theirNumbers);
  const tell = (same: boolean, why: string): Comparison => ({ same, likeness, why });

  if (text !== null && text >= 0.6 && shared > 0) return tell(true, 'the same text');
  if (mine.length > 0 && theirs.length > 0) {
    const agrees = text !== null && text >= 0.35 && likeness >= 0.45;
    return agrees ? tell(true, 'titles and texts agree') : tell(false, 'another name or thing');
  }
  // A name and a number with nothing beside them: "PostgreSQL 18 released", "PostgreSQL 18 is here".
  const named = likeness === 1 && one.numbers.length > 0 && one.words.some((word) => word.length > 4);
  const enough = named || (weight(one, mine) >= FEWEST_SHARED && shared >= 2);
  if (!enough)
    return text !== null && text >= 0.35
      ? tell(true, 'short titles, texts agree')
      : tell(false, 'too little to tell');
  if (text !== null && text < 0.02) return tell(false, 'other texts');
  return likeness >= 0.62 ? tell(true, 'the same title') : tell(false, 'much more in one of them');
}

/** The words of one title that have no full counterpart in the other. */
function uncovered(one: Headline, other: Headline): string[] {
  return one.words.filter((word) => uncoveredIn(word, other).length > 0);
}

function newNumbers(one: Headline, other: Headline): number {
  return one.numbers.filter((number) => !other.numbers.includes(number)).length;
}

function likenessOf(one: Headline, other: Headline, missing: number): number {
  const sizes = one.words.length + one.numbers.length + other.words.length + other.numbers.length;
  if (sizes === 0) return one.text === other.text ? 1 : 0;
  return 1 - missing / sizes;
}

/** How much is shared: a word counts one; a long Japanese run is several words, since nothing parts them. */
function weight(one: Headline, missing: readonly string[]): number {
  const lost = new Set(missing);
  let sum = one.numbers.length;
  for (const word of one.words)
    if (!lost.has(word))
      sum += /^[\p{L}]/u.test(word) && /\p{Script=Han}/u.test(word) ? Math.max(1, word.length / 2) : 1;
  return sum;
}
