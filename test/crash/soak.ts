import { everyPoint, inWords, type Plan, planOf } from './plan.ts';
import { Scene } from './scene.ts';
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

/** One thing to try: how to find it again, and how to do it. */
interface Trial {
  readonly name: string;
  play(): Promise<Played>;
}

/** Plays so many plans of a seed, one after the other, and counts what must not be. */
export function soak(options: SoakOptions): Promise<SoakReport> {
  const { seed, runs, from = 0 } = options;
  return onStage(options, async function* () {
    for (let run = from; run < from + runs; run++) yield planOf(seed, run);
  });
}

/** Crashes every pipeline at every destination at every point that it comes past when nothing goes wrong. */
export function crashEverywhere(options: PlayOptions): Promise<SoakReport> {
  return onStage(options, (stage) => everyPoint(async (plan) => (await stage.play(plan)).points.length));
}

/** Kills newsrooms in processes of their own with SIGKILL, each at a point of the seed's choosing. */
export function killMany(options: SoakOptions): Promise<SoakReport> {
  const { seed, runs, from = 0 } = options;
  return playAll(options, killings(seed, from, runs));
}

async function* killings(seed: number, from: number, runs: number): AsyncGenerator<Trial> {
  for (let run = from; run < from + runs; run++) {
    const { kind, destination, lives } = planOf(seed, run);
    const at = lives[0]?.at ?? 1;
    const play = async (): Promise<Played> => {
      const scene = await Scene.set({ kind, destination });
      try {
        const { found, points } = await scene.killAt(at);
        return { ...found, points };
      } finally {
        await scene[Symbol.asyncDispose]();
      }
    };
    yield { name: `seed ${seed}, run ${run}: ${kind} → ${destination}, killed at ${at}`, play };
  }
}

async function onStage(
  options: PlayOptions,
  plansFor: (stage: Stage) => AsyncIterable<Plan>,
): Promise<SoakReport> {
  const stage = await Stage.open();
  async function* trials(): AsyncGenerator<Trial> {
    for await (const plan of plansFor(stage)) yield { name: inWords(plan), play: () => stage.play(plan) };
  }
  try {
    return await playAll(options, trials());
  } finally {
    await stage[Symbol.asyncDispose]();
  }
}

async function playAll(
  { limitMs, onViolation, onProgress }: PlayOptions,
  trials: AsyncIterable<Trial>,
): Promise<SoakReport> {
  const started = performance.now();
  const parked = new Map<string, number>();
  const points = new Set<string>();
  const sums = { runs: 0, items: 0, twice: 0, lost: 0, odd: 0 };
  for await (const { name, play } of trials) {
    if (performance.now() - started > limitMs) break;
    const found = await play().catch(broken);
    sums.runs++;
    sums.items += found.items;
    sums.twice += found.twice.length;
    sums.lost += found.lost.length;
    sums.odd += found.odd.length;
    for (const [cause, n] of found.parked) {
      const general = withoutAddresses(cause);
      parked.set(general, (parked.get(general) ?? 0) + n);
    }
    for (const point of found.points) points.add(point);
    const wrong = [...found.twice, ...found.lost, ...found.odd];
    if (wrong.length > 0) onViolation?.(`${name}\n  ${wrong.join('\n  ')}`);
    onProgress?.(sums.runs);
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
