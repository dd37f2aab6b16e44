import { contradict } from './quantities.ts';
import { type Evidence, evidence, type ReadTelling, type Weigh } from './story-evidence.ts';

/** Two tellings compared. */
export interface Comparison {
  readonly same: boolean;
  /** The more, the surer; at least 0 where they are the same. */
  readonly surplus: number;
  /** Why, for people. */
  readonly why: string;
}

/** In doubt they are two: a wrong merge makes news hard to find, a missed one only shows it twice. */
const SURE_ENOUGH = 1;
const CERTAINLY_NOT = 5;

/**
 * Whether two tellings are of one story (X3). Other figures for the same thing, and a review beside a piece of news, tell
 * two. All other evidence has its weight, fitted by logistic regression to labelled pairs (the fitted parts of
 * `story-sets.fixture.ts`): a name in the place of another weighs most, what one only leaves out weighs little.
 */
export function sameStory(one: ReadTelling, other: ReadTelling, weighWord: Weigh): Comparison {
  if (contradict(one.figures, other.figures)) return OTHER_FIGURES;
  if (one.kind !== other.kind) return otherwise('another kind of piece');
  const seen = evidence(one, other, weighWord);
  const surplus = weigh(seen) - SURE_ENOUGH;
  return { same: surplus >= 0, surplus, why: surplus >= 0 ? whySame(seen) : whyNot(seen) };
}

/** What figures alone decide. */
export const OTHER_FIGURES: Comparison = otherwise('other figures');

function otherwise(why: string): Comparison {
  return { same: false, surplus: -CERTAINLY_NOT, why };
}

function weigh(seen: Evidence): number {
  // A title alone says less: what both share counts less there, and what neither shares counts more.
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
