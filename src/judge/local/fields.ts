import type { TermMatch } from './term-index.ts';
import type { FoldedText } from './text.ts';
import type { Field, FieldWeights, Vocabulary } from './vocabulary/vocabulary.ts';

/** How much a text is about each broad field, by the words of that field. */
export interface FieldEvidence {
  /** Weighted words, by field. */
  readonly sums: Float64Array;
  /** Words of weight, by field. */
  readonly mentions: Uint32Array;
  /** Those in the title. */
  readonly inTitle: Uint32Array;
}

/** How much of a text is read for its field: what it is about is said at the beginning. */
const MAX_UNITS = { ja: 1000, en: 2500 };
/** A word in the title counts as much as so many in the text. */
const TITLE_FACTOR = 2;
/** What a repeated word adds at most, in uses. */
const MAX_REPEATED = 3;
/** Words of at least this weight are named as mentions. */
const MENTION_WEIGHT = 1;
/** A field with this sum counts half of what it can. */
const HALF_SUM = 3;
/** What speaks against every field: a text with a single weak word is about nothing in particular. */
const BACKGROUND = 1;

/** What stands before two numbers that are no result: dates, ages. */
const NO_SIDE = '(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec|Age)';
const POINTS = '(?:1?\\d)?\\d';

/** What shows the field of a title without being a word of it, and the weight of the word that it counts as. */
const TITLE_SIGNS: readonly {
  readonly fields: readonly string[];
  readonly weight: number;
  readonly sign: RegExp;
}[] = [
  {
    // A result: "Rovers 3-1 Mill Town", "Millers 112, Coopers 106", "wins 6-4, 6-3", 「3-1で」, 「2対0の勝利」.
    fields: ['sport'],
    weight: 3,
    sign: new RegExp(
      `(?!\\b${NO_SIDE}[a-z]* )\\b\\p{Lu}\\p{L}+ ${POINTS}[-–]${POINTS} \\p{Lu}\\p{L}` +
        `|^(?:No\\. ?\\d+ )?\\p{Lu}[\\p{L}. ]+ ${POINTS}, (?:No\\. ?\\d+ )?\\p{Lu}[\\p{L}. ]+ ${POINTS}$` +
        `|\\b[0-7][-–][0-7],? \\(?[0-7][-–][0-7]\\b` +
        `|\\b(?:beat|win|won|lose|lost|draw)s? (?:\\p{L}+ ){0,3}${POINTS}[-–]${POINTS}\\b` +
        `|(?<!\\d)${POINTS}(?:[-–]|対)${POINTS}(?:で|の(?:引き分け|勝利|快勝|惜敗|完敗))`,
      'u',
    ),
  },
  // The name of a work stands in these marks.
  { fields: ['entertainment', 'film'], weight: 0.5, sign: /『[^』]{2,40}』/ },
];

export function fieldEvidence(
  title: FoldedText,
  body: FoldedText,
  language: 'ja' | 'en',
  words: Vocabulary,
): FieldEvidence {
  const count = words.fields.length;
  const evidence = {
    sums: new Float64Array(count),
    mentions: new Uint32Array(count),
    inTitle: new Uint32Array(count),
  };
  const uses = new Map<FieldWeights, number>();
  const add = (
    finds: readonly TermMatch<FieldWeights>[],
    factor: number,
    counts: readonly Uint32Array[],
  ): void => {
    for (const { meaning } of finds) {
      const before = uses.get(meaning) ?? 0;
      uses.set(meaning, before + 1);
      if (before >= MAX_REPEATED) continue;
      for (let i = 0; i < meaning.length; i += 2) {
        const field = meaning[i] ?? 0;
        const weight = meaning[i + 1] ?? 0;
        evidence.sums[field] = (evidence.sums[field] ?? 0) + (weight * factor) / (1 + before);
        if (weight < MENTION_WEIGHT) continue;
        for (const count of counts) count[field] = (count[field] ?? 0) + 1;
      }
    }
  };
  add(words.fieldIndex.find(title), TITLE_FACTOR, [evidence.mentions, evidence.inTitle]);
  for (const { fields, weight, sign } of TITLE_SIGNS) {
    if (!sign.test(title.cased)) continue;
    for (const { id } of fields.flatMap((name) => words.fieldsOf(name))) {
      evidence.sums[id] = (evidence.sums[id] ?? 0) + weight * TITLE_FACTOR;
      if (weight < MENTION_WEIGHT) continue;
      for (const count of [evidence.mentions, evidence.inTitle]) count[id] = (count[id] ?? 0) + 1;
    }
  }
  const limit = MAX_UNITS[language];
  const beginning = body.lower.length <= limit ? body : cut(body, limit);
  add(words.fieldIndex.find(beginning), 1, [evidence.mentions]);
  return evidence;
}

/**
 * How much the text is about these fields, 0–1: their share of the weighted words of all fields, less the fewer words
 * there are. Squares let the strongest field stand out; relatives do not speak against each other.
 */
export function fieldStrength(evidence: FieldEvidence, own: readonly Field[]): number {
  let ours = 0;
  for (const { id } of own) ours += evidence.sums[id] ?? 0;
  if (ours === 0) return 0;
  let others = BACKGROUND;
  evidence.sums.forEach((sum, id) => {
    if (!own.some(({ relatives }) => relatives.has(id))) others += sum * sum;
  });
  const share = (ours * ours) / (ours * ours + others);
  return share * (ours / (ours + HALF_SUM));
}

function cut(text: FoldedText, units: number): FoldedText {
  return { cased: text.cased.slice(0, units), lower: text.lower.slice(0, units) };
}
