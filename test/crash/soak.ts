import { everyPoint, inWords, type Plan, planOf } from './plan.ts';
import { type Played, Stage } from './stage.ts';

export interface PlayOptions {
  /** Stops before the next run when this much time is over. */
  readonly limitMs: number;
  readonly onViolation?: (words: string) => void;
  readonly onProgress?: (done: number) => void;
}

export interface SoakOptions extends PlayOptions {
  readonly seed: number;
  /** How many runs, and the number of the first. */
  readonly runs: number;
  readonly from?: number;
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
export function soak(options: SoakOptions): Promise<SoakReport> {
  const { seed, runs, from = 0 } = options;
  return playAll(options, async function* () {
    for (let run = from; run < from + runs; run++) yield planOf(seed, run);
  });
}

/** Crashes every pipeline at every destination at every point that it comes past when nothing goes wrong. */
export function crashEverywhere(options: PlayOptions): Promise<SoakReport> {
  return playAll(options, (stage) => everyPoint(async (plan) => (await stage.play(plan)).points.length));
}

async function playAll(
  { limitMs, onViolation, onProgress }: PlayOptions,
  plansFor: (stage: Stage) => AsyncIterable<Plan>,
): Promise<SoakReport> {
  const started = performance.now();
  const parked = new Map<string, number>();
  const points = new Set<string>();
  const sums = { runs: 0, items: 0, twice: 0, lost: 0, odd: 0 };
  const stage = await Stage.open();
  try {
    for await (const plan of plansFor(stage)) {
      if (performance.now() - started > limitMs) break;
      const found = await stage.play(plan).catch(broken);
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
      if (wrong.length > 0) onViolation?.(`${inWords(plan)}\n  ${wrong.join('\n  ')}`);
      onProgress?.(sums.runs);
    }
  } finally {
    await stage[Symbol.asyncDispose]();
  }
  return { ...sums, parked, points, ms: performance.now() - started };
}

/** A program that does not even run is wrong as well. */
function broken(error: unknown): Played {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { items: 0, twice: [], lost: [], odd: [words], parked: new Map(), points: [] };
}

/** One cause is one cause, whatever port it was at. */
function withoutAddresses(cause: string): string {
  return cause.replaceAll(/127\.0\.0\.1(:\d+)?/g, 'the other side');
}
