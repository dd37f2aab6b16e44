/** One contestant: does its work once and returns its figure (a time, a rate), or nothing to be timed. */
export type Contestant = () => Promise<number | undefined> | number | undefined;

/**
 * Runs the contestants in turn, several rounds, beginning with another one each time, so that a busy moment of the
 * machine or a warm cache favours none. The first round warms up and does not count. Returns each one's median;
 * where a contestant returns nothing, of its time in milliseconds. `withinMs`: no further round is begun after that
 * time, once there is one that counts.
 */
export async function rounds<Name extends string>(
  count: number,
  contestants: Readonly<Record<Name, Contestant>>,
  withinMs = Number.POSITIVE_INFINITY,
): Promise<Readonly<Record<Name, number>>> {
  const names = Object.keys(contestants) as Name[];
  const figures = new Map<Name, number[]>(names.map((name) => [name, []]));
  const start = performance.now();
  for (let round = 0; round <= count; round++) {
    if (round > 1 && performance.now() - start > withinMs) break;
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length];
      if (name === undefined) continue;
      const began = performance.now();
      const returned = await contestants[name]();
      const figure = returned ?? performance.now() - began;
      if (round > 0) figures.get(name)?.push(figure);
    }
  }
  return Object.fromEntries([...figures].map(([name, seen]) => [name, median(seen)])) as Record<Name, number>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2;
}
