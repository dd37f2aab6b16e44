/**
 * Fits the weights of `src/same-story/compare.ts` for English titles by logistic regression, and prints them. It learns from the
 * development half of our labelled events, from the fitted stories, and from headlines in the files that `GROUPING_CORPUS` names.
 * For each group of pairs it prints the recall at a precision of 0.95, 0.9 and 0.8, by weights that were fitted to other families.
 *
 *   GROUPING_CORPUS=headlines.tsv npx node scripts/fit-grouping.ts
 */
import {
  type Collection,
  headlinesIn,
  inAnyOrder,
  type LabelledItem,
  labelledItems,
} from '../bench/grouping/corpus.ts';
import {
  gatherStages,
  gatherWords,
  scoreOfStages,
  scoreOfWords,
  WEIGHTS,
  type Weights,
} from '../src/same-story/compare.ts';
import { areOtherParts, compareFigures } from '../src/same-story/quantities.ts';
import { StoryFeatures } from '../src/same-story/story-features.ts';
import { type StorySet, storySet } from '../src/same-story/story-sets.fixture.ts';
import { fillsTemplate } from '../src/same-story/template.ts';
import { searchTerms, WordIndex, WordWeights, weightedTerms } from '../src/same-story/word-index.ts';

interface Pair {
  readonly values: Float64Array;
  /** What the chosen weights say. */
  readonly chosen: number;
  readonly isSame: boolean;
  readonly family: string;
  readonly group: string;
}

type Name = keyof Weights;

const NAMES = Object.keys(WEIGHTS) as Name[];
/** Weights that were chosen, not fitted. */
const CHOSEN = ['loneWord'] as const satisfies Name[];
/** What speaks against one story: a weight of the other sign is chance. */
const NEGATIVE: ReadonlySet<Name> = new Set([
  ...(['exactFiguresDiffer', 'countsDiffer', 'otherNames', 'lesserOtherNames', 'otherSubject'] as const),
  ...(['backgrounds', 'stagesConflict', 'oneSidedStage', 'opposite', 'noLeadWords'] as const),
]);
/** What speaks for one story. */
const POSITIVE: ReadonlySet<Name> = new Set([
  ...(['lesserCover', 'greaterCover', 'shared', 'lesserShared', 'equal'] as const),
  ...(['figuresAgree', 'namesAgree', 'noLeadCover'] as const),
]);
/** Of Japanese titles alone. */
const JAPANESE: ReadonlySet<Name> = new Set([
  'otherPlaces',
  'otherBeginnings',
  'otherHeads',
  'lesserOtherNames',
  'exactFiguresDiffer',
]);

const MAX_PER_STORY = 8;
const NEIGHBOURS = 16;
const FOLDS = 5;
const RIDGE = 10;
/** Each group counts as this many pairs. */
const PAIRS_OF_GROUP = 3000;

const pairs = [
  ...groupOf('fitted titles', storiesOf('fitted titles')),
  ...groupOf('fitted with leads', storiesOf('fitted')),
  ...(['english', 'outlets'] satisfies Collection[]).flatMap((collection) => {
    const items = labelledItems('development', collection);
    return [
      ...groupOf(
        `${collection}, titles`,
        items.map((item) => ({ ...item, lead: undefined })),
      ),
      ...groupOf(`${collection}, with leads`, items),
    ];
  }),
  ...corpora().flatMap(({ name, items }) =>
    [1, 2, 3, 4].flatMap((order) => groupOf(name, firstOfEachStory(inAnyOrder(items, order)))),
  ),
];
const groups = [...new Set(pairs.map(({ group }) => group))];
const sizes = Map.groupBy(pairs, ({ group }) => group);
const importance = pairs.map(({ group }) => PAIRS_OF_GROUP / (sizes.get(group)?.length ?? 1));

const names = namesToFit();
const scores = crossValidated(names);
for (const group of groups) {
  const own = pairs.flatMap(({ isSame, group: other }, n) =>
    other === group ? [{ isSame, score: scores[n] ?? 0 }] : [],
  );
  console.log(
    `${group}: ${own.length} pairs, recall ${[0.95, 0.9, 0.8].map((p) => recallAt(own, p).toFixed(2)).join(' / ')}`,
  );
}
const found = fitted(names, () => true);
console.log(
  Object.fromEntries(
    NAMES.map((name) => {
      const isChosen = CHOSEN.some((chosen) => chosen === name);
      return [name, isChosen ? WEIGHTS[name] : Number((found[names.indexOf(name)] ?? 0).toFixed(2))];
    }),
  ),
);

function storiesOf(set: StorySet): LabelledItem[] {
  return storySet(set)
    .flatMap((lines, event) =>
      lines.map((line) => {
        const [title = '', lead] = line.split(' || ');
        return { title, lead, event, family: event, inThread: true };
      }),
    )
    .filter(({ title }) => !new StoryFeatures({ title }).title.hasPairs);
}

function corpora(): { readonly name: string; readonly items: readonly LabelledItem[] }[] {
  const files = (process.env.GROUPING_CORPUS ?? '').split(',').filter((name) => name !== '');
  return files.map((name) => ({ name, items: headlinesIn(name) }));
}

function firstOfEachStory(items: readonly LabelledItem[]): readonly LabelledItem[] {
  const counts = new Map<number, number>();
  return items.filter(({ event }) => {
    const count = (counts.get(event) ?? 0) + 1;
    counts.set(event, count);
    return count <= MAX_PER_STORY;
  });
}

/** The pairs that grouping would compare, if it had found every story so far. */
function groupOf(group: string, items: readonly LabelledItem[]): Pair[] {
  const [weights, index] = [new WordWeights(), new WordIndex()];
  const known: { readonly features: StoryFeatures; readonly event: number }[] = [];
  const stories = new Set<number>();
  const found: Pair[] = [];
  for (const { title, lead, event, family } of inAnyOrder(items, 1)) {
    const features = new StoryFeatures({ title, ...(lead !== undefined && { text: lead }) });
    const terms = searchTerms(features);
    for (const number of index.nearest(terms, (term) => weights.of(term), NEIGHBOURS)) {
      const other = known[number];
      const values = other === undefined ? null : valuesOf(features, other.features, weights);
      if (values === null) continue;
      const chosen = CHOSEN.reduce(
        (sum, name) => sum + WEIGHTS[name] * (values[NAMES.indexOf(name)] ?? 0),
        0,
      );
      found.push({ values, chosen, isSame: other?.event === event, family: `${group} ${family}`, group });
    }
    index.add(known.length, terms);
    weights.add(weightedTerms(features, terms));
    if (!stories.has(event)) weights.addStory(terms);
    stories.add(event);
    known.push({ features, event });
  }
  return found;
}

/** What each weight is multiplied by; `null` if no weight decides. */
function valuesOf(one: StoryFeatures, other: StoryFeatures, weights: WordWeights): Float64Array | null {
  if (areOtherParts(one.figures, other.figures) || one.kind !== other.kind || fillsTemplate(one, other))
    return null;
  const figures = compareFigures(one.figures, other.figures);
  if (figures.exactConflict && figures.agreeing === 0) return null;
  const words = gatherWords(one, other, figures, ({ hash }) => weights.evidenceOf(hash));
  if (words === null || words.isJapanese) return null;
  const stages = gatherStages(one, other);
  const none = Object.fromEntries(NAMES.map((name) => [name, 0])) as Weights;
  return Float64Array.from(NAMES, (name) => {
    const alone = { ...none, [name]: 1 };
    return scoreOfWords(words, alone) + scoreOfStages(stages, alone);
  });
}

/** All, without those whose sign would be wrong: one after another, as each changes the others. */
function namesToFit(): readonly Name[] {
  let names = NAMES.filter((name) => !JAPANESE.has(name) && !CHOSEN.some((chosen) => chosen === name));
  for (;;) {
    const weights = fitted(names, () => true);
    const wrong = names
      .map((name, n) => ({ name, weight: weights[n] ?? 0 }))
      .filter(({ name, weight }) => (weight > 0 ? NEGATIVE : POSITIVE).has(name))
      .sort((one, other) => Math.abs(other.weight) - Math.abs(one.weight))[0];
    if (wrong === undefined) return names;
    names = names.filter((name) => name !== wrong.name);
  }
}

/** Scores by weights that were fitted to the other families. */
function crossValidated(names: readonly Name[]): readonly number[] {
  const foldOf = new Map(
    [...new Set(pairs.map(({ family }) => family))].map((family, n) => [family, n % FOLDS]),
  );
  const fits = Array.from({ length: FOLDS }, (_, fold) =>
    fitted(names, ({ family }) => foldOf.get(family) !== fold),
  );
  const places = names.map((name) => NAMES.indexOf(name));
  return pairs.map(({ values, chosen, family }) => {
    const weights = fits[foldOf.get(family) ?? 0] ?? [];
    return places.reduce((sum, place, n) => sum + (weights[n] ?? 0) * (values[place] ?? 0), chosen);
  });
}

/** Newton's method for logistic regression, with a ridge for all weights but the first. */
function fitted(names: readonly Name[], isLearnt: (pair: Pair) => boolean): readonly number[] {
  const places = names.map((name) => NAMES.indexOf(name));
  let weights = names.map(() => 0);
  for (let round = 0; round < 30; round++) {
    const gradient = weights.map((weight, n) => (n === 0 ? 0 : -RIDGE * weight));
    const curvature = weights.map((_, n) =>
      weights.map((__, m): number => (n === m ? (n === 0 ? 1e-6 : RIDGE) : 0)),
    );
    for (const [number, pair] of pairs.entries()) {
      if (!isLearnt(pair)) continue;
      const values = places.map((place) => pair.values[place] ?? 0);
      const chance =
        1 / (1 + Math.exp(-values.reduce((sum, value, n) => sum + value * (weights[n] ?? 0), pair.chosen)));
      const count = importance[number] ?? 1;
      for (const [n, value] of values.entries()) {
        if (value === 0) continue;
        gradient[n] = (gradient[n] ?? 0) + count * ((pair.isSame ? 1 : 0) - chance) * value;
        const row: number[] = curvature[n] ?? [];
        for (const [m, other] of values.entries())
          row[m] = (row[m] ?? 0) + count * Math.max(1e-6, chance * (1 - chance)) * value * other;
      }
    }
    const step = solved(curvature, gradient);
    weights = weights.map((weight, n) => weight + (step[n] ?? 0));
    if (Math.max(...step.map(Math.abs)) < 1e-6) break;
  }
  return weights;
}

/** By Gauss and Jordan. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, n) => [...row, right[n] ?? 0]);
  for (let n = 0; n < rows.length; n++) {
    let best = n;
    for (let m = n + 1; m < rows.length; m++)
      if (Math.abs(rows[m]?.[n] ?? 0) > Math.abs(rows[best]?.[n] ?? 0)) best = m;
    [rows[n], rows[best]] = [rows[best] ?? [], rows[n] ?? []];
    const pivot = rows[n] ?? [];
    for (const [m, row] of rows.entries()) {
      const factor = m === n ? 0 : (row[n] ?? 0) / (pivot[n] ?? 1);
      if (factor !== 0)
        for (let k = n; k < row.length; k++) row[k] = (row[k] ?? 0) - factor * (pivot[k] ?? 0);
    }
  }
  return rows.map((row, n) => (row.at(-1) ?? 0) / (row[n] ?? 1));
}

function recallAt(
  scored: readonly { readonly isSame: boolean; readonly score: number }[],
  precision: number,
): number {
  const all = scored.filter(({ isSame }) => isSame).length;
  let [right, seen, best] = [0, 0, 0];
  for (const { isSame } of scored.toSorted((a, b) => b.score - a.score)) {
    seen++;
    if (isSame) right++;
    if (right / seen >= precision) best = right / all;
  }
  return best;
}
