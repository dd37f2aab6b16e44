/** Of what was chosen, how much is worth it; and of what is worth it, how much was chosen. */
export function precisionAndRecall(pairs: readonly { readonly chosen: boolean; readonly worth: boolean }[]): {
  precision: number;
  recall: number;
  chosen: number;
} {
  const chosen = pairs.filter((pair) => pair.chosen);
  const right = chosen.filter((pair) => pair.worth).length;
  const worth = pairs.filter((pair) => pair.worth).length;
  return {
    precision: chosen.length === 0 ? 0 : right / chosen.length,
    recall: worth === 0 ? 0 : right / worth,
    chosen: chosen.length,
  };
}

/** Agreement of a ranking with the labels over its first places: 1 = the best possible order. */
export function ndcg(ranked: readonly number[], places: number): number {
  const best = dcg(
    ranked.toSorted((a, b) => b - a),
    places,
  );
  return best === 0 ? 1 : dcg(ranked, places) / best;
}

function dcg(labels: readonly number[], places: number): number {
  return labels
    .slice(0, places)
    .reduce((sum, label, place) => sum + (2 ** label - 1) / Math.log2(place + 2), 0);
}

const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });

/** F-measure of shared words (n = 1) or pairs of words (n = 2) between a summary and its reference. */
export function rouge(summary: string, reference: string, n: 1 | 2): number {
  const ours = grams(summary, n);
  const theirs = grams(reference, n);
  let shared = 0;
  for (const [gram, count] of ours) shared += Math.min(count, theirs.get(gram) ?? 0);
  const total = (map: Map<string, number>): number =>
    [...map.values()].reduce((sum, count) => sum + count, 0);
  const precision = shared / Math.max(1, total(ours));
  const recall = shared / Math.max(1, total(theirs));
  return shared === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}

function grams(text: string, n: number): Map<string, number> {
  const words = [...segmenter.segment(text.normalize('NFKC').toLowerCase())]
    .filter((part) => part.isWordLike)
    .map((part) => part.segment);
  const counts = new Map<string, number>();
  for (let i = 0; i + n <= words.length; i++) {
    const gram = words.slice(i, i + n).join(' ');
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

export function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
