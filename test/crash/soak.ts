import { inWords, planOf } from './plan.ts';
import { Stage } from './stage.ts';

export interface SoakOptions {
  readonly seed: number;
  /** How many runs, and the number of the first. */
  readonly runs: number;
  readonly from?: number;
  /** Stops before the next run when this much time is over. */
  readonly limitMs: number;
  readonly onViolation?: (words: string) => void;
  readonly onProgress?: (done: number) => void;
}

export interface SoakReport {
  readonly runs: number;
  readonly items: number;
  readonly twice: number;
  readonly lost: number;
  readonly odd: number;
  readonly parked: ReadonlyMap<string, number>;
  /** The names of the points that were passed in all runs together. */
  readonly points: ReadonlySet<string>;
  readonly ms: number;
}

/** Plays so many plans of a seed, one after the other, and counts what must not be. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { seed, runs, from = 0, limitMs, onViolation, onProgress } = options;
  const started = performance.now();
  const parked = new Map<string, number>();
  const points = new Set<string>();
  const sums = { runs: 0, items: 0, twice: 0, lost: 0, odd: 0 };
  const stage = await Stage.open();
  try {
    for (let run = from; run < from + runs && performance.now() - started < limitMs; run++) {
      const plan = planOf(seed, run);
      const found = await stage.play(plan);
      sums.runs++;
      sums.items += found.items;
      sums.twice += found.twice.length;
      sums.lost += found.lost.length;
      sums.odd += found.odd.length;
      for (const [cause, n] of found.parked) {
        const general = withoutAddresses(cause);
        parked.set(general, (parked.get(general) ?? 0) + n);
      }
      for (const name of found.points) points.add(name);
      const wrong = [...found.twice, ...found.lost, ...found.odd];
      if (wrong.length > 0) onViolation?.(`run ${run}: ${inWords(plan)}\n  ${wrong.join('\n  ')}`);
      onProgress?.(sums.runs);
    }
  } finally {
    await stage[Symbol.asyncDispose]();
  }
  return { ...sums, parked, points, ms: performance.now() - started };
}

/** One cause is one cause, whatever port it was at. */
function withoutAddresses(cause: string): string {
  return cause.replaceAll(/127\.0\.0\.1(:\d+)?/g, 'the other side');
}
