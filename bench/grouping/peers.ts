/** Other ways to group the same texts, written for this benchmark. Each returns the group of each text. */
type Words = ReadonlySet<string>;

const STOP_WORDS = new Set(
  'a an and are as at be by for from has have in is it its of on or that the to was were will with after over into than'.split(
    ' ',
  ),
);
const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

function wordsOf(text: string): string[] {
  return [...segmenter.segment(text.normalize('NFKC').toLowerCase())]
    .filter(({ isWordLike, segment }) => isWordLike === true && !STOP_WORDS.has(segment))
    .map(({ segment }) => segment)
    .filter((word) => !/^\p{Script=Hiragana}+$/u.test(word));
}

/**
 * The rule that NewsBlur publishes for its stories: at least 3 common words that are 0.6 of the shorter title, or at least 4
 * that are 0.45 of it. A story joins the first cluster with a member that matches.
 */
export function groupByOverlap(texts: readonly string[]): number[] {
  return groupInOrder(
    texts.map((text) => new Set(wordsOf(text))),
    (one: Words, other: Words) => {
      let common = 0;
      for (const word of one) if (other.has(word)) common++;
      const share = common / Math.max(1, Math.min(one.size, other.size));
      return (common >= 3 && share >= 0.6) || (common >= 4 && share >= 0.45) ? share : -1;
    },
  );
}

/** Joins the most similar earlier text with at least this cosine of TF-IDF vectors. */
export function groupByTfIdf(texts: readonly string[], minCosine: number): number[] {
  const all = texts.map(wordsOf);
  const inTexts = new Map<string, number>();
  for (const words of all) for (const word of new Set(words)) inTexts.set(word, (inTexts.get(word) ?? 0) + 1);
  const vectors = all.map((words) => {
    const vector = new Map<string, number>();
    for (const word of words)
      vector.set(word, (vector.get(word) ?? 0) + Math.log((1 + all.length) / (inTexts.get(word) ?? 1)));
    const length = Math.hypot(...vector.values());
    for (const [word, weight] of vector) vector.set(word, weight / Math.max(length, 1e-9));
    return vector;
  });
  return groupInOrder(vectors, (one, other) => {
    let cosine = 0;
    for (const [word, weight] of one) cosine += weight * (other.get(word) ?? 0);
    return cosine >= minCosine ? cosine : -1;
  });
}

/** `similarity` is below 0 for texts that are not the same story. */
function groupInOrder<T>(texts: readonly T[], similarity: (one: T, other: T) => number): number[] {
  const groups: number[] = [];
  for (const [n, text] of texts.entries()) {
    let [best, group] = [-1, n];
    for (const [m, other] of texts.slice(0, n).entries()) {
      const found = similarity(text, other);
      if (found > best) [best, group] = [found, groups[m] ?? m];
    }
    groups.push(group);
  }
  return groups;
}
