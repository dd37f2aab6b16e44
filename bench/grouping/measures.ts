/** How well items were grouped: of pairs of items, and B³, which counts for each item how right its own group is. */
export interface Quality {
  readonly pairPrecision: number;
  readonly pairRecall: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** `groups` and `events`: the group and the event of each item. */
export function qualityOf(groups: readonly number[], events: readonly number[]): Quality {
  const [inGroup, inEvent] = [counts(groups), counts(events)];
  const both = counts(groups.map((group, n) => `${group} ${events[n]}`));
  let [precision, recall] = [0, 0];
  for (const [n, group] of groups.entries()) {
    const event = events[n] ?? -1;
    const common = both.get(`${group} ${event}`) ?? 0;
    precision += common / (inGroup.get(group) ?? 1) / groups.length;
    recall += common / (inEvent.get(event) ?? 1) / groups.length;
  }
  return {
    pairPrecision: pairsIn(both) / Math.max(1, pairsIn(inGroup)),
    pairRecall: pairsIn(both) / Math.max(1, pairsIn(inEvent)),
    precision,
    recall,
    f1: (2 * precision * recall) / (precision + recall),
  };
}

function counts<T>(values: readonly T[]): ReadonlyMap<T, number> {
  const found = new Map<T, number>();
  for (const value of values) found.set(value, (found.get(value) ?? 0) + 1);
  return found;
}

function pairsIn(sizes: ReadonlyMap<unknown, number>): number {
  let pairs = 0;
  for (const size of sizes.values()) pairs += (size * (size - 1)) / 2;
  return pairs;
}
