import { describePlan, everyPoint, type Plan, planOf } from './fault-plan.ts';
import { type Projects, whereOf } from './firestore-projects.ts';
import { InProcessRunner, type PlanResult } from './in-process-run.ts';
import type { EngineName } from './newsroom-config.ts';
import { ProcessRunner } from './process-run.ts';

export interface TrialOptions {
  /** Stops before the next run once this much time has passed. */
  readonly limitMs: number;
  /** Emulator for the runs on Firestore. */
  readonly projects?: Projects | null;
  /** Runs only every n-th trial, from this one on: the others belong to other processes. */
  readonly share?: { readonly of: number; readonly mine: number };
  readonly onViolation?: (words: string) => void;
  readonly onProgress?: (done: number) => void;
}

export interface SoakOptions extends TrialOptions {
  readonly seed: number;
  /** How many runs, and the number of the first. */
  readonly runs: number;
  readonly from?: number;
  readonly engine?: EngineName;
}

export interface MatrixOptions extends TrialOptions {
  readonly engines: readonly EngineName[];
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

/** One trial: how to reproduce it, and how to run it. */
interface Trial {
  readonly name: string;
  run(): Promise<PlanResult>;
}

/** Runs so many plans of a seed, one after the other, and counts violations. */
export function soak(options: SoakOptions): Promise<SoakReport> {
  return withRunner(options, async function* (runner) {
    for (const plan of plansOf(options)) yield { name: describePlan(plan), run: () => runner.run(plan) };
  });
}

/** Crashes every pipeline at every destination at every point that it passes without faults. */
export function crashEverywhere(options: MatrixOptions): Promise<SoakReport> {
  return withRunner(options, async function* (runner) {
    for await (const plan of everyPoint(options.engines, countOn(runner)))
      yield { name: describePlan(plan), run: () => runner.run(plan) };
  });
}

/** The same with newsrooms in processes of their own, which are killed with SIGKILL. */
export function killEverywhere(options: MatrixOptions): Promise<SoakReport> {
  return withRunner(options, async function* (runner) {
    for await (const plan of everyPoint(options.engines, countOn(runner), { withEdits: false }))
      yield killing(plan, options);
  });
}

/** Kills newsrooms in processes of their own with SIGKILL, each at a point of the seed's choosing. */
export function killMany(options: SoakOptions): Promise<SoakReport> {
  async function* killings(): AsyncGenerator<Trial> {
    for (const plan of plansOf(options)) yield killing(plan, options);
  }
  return runTrials(options, killings());
}

function* plansOf({ seed, runs, from = 0, engine = 'sqlite' }: SoakOptions): Generator<Plan> {
  for (let run = from; run < from + runs; run++) yield planOf(seed, run, engine);
}

function countOn(runner: InProcessRunner) {
  return async (plan: Plan): Promise<{ points: number; editing: number }> => {
    const { points, editing } = await runner.run(plan);
    return { points: points.length, editing: editing.length };
  };
}

function killing(plan: Plan, { projects = null }: TrialOptions): Trial {
  const { name, engine, kind, destination, lifetimes } = plan;
  const at = lifetimes[0]?.at ?? 1;
  const run = async (): Promise<PlanResult> => {
    const runner = await ProcessRunner.open({ kind, destination, where: whereOf(engine, projects) });
    try {
      const { found, points } = await runner.killAt(at);
      return { ...found, points, editing: [] };
    } finally {
      await runner[Symbol.asyncDispose]();
    }
  };
  return { name: `${name}: ${engine}, ${kind} → ${destination}, killed at ${at}`, run };
}

async function withRunner(
  options: TrialOptions,
  trialsOn: (runner: InProcessRunner) => AsyncIterable<Trial>,
): Promise<SoakReport> {
  const runner = await InProcessRunner.open(options.projects);
  try {
    return await runTrials(options, trialsOn(runner));
  } finally {
    await runner[Symbol.asyncDispose]();
  }
}

async function runTrials(
  { limitMs, share = { of: 1, mine: 0 }, onViolation, onProgress }: TrialOptions,
  trials: AsyncIterable<Trial>,
): Promise<SoakReport> {
  const started = performance.now();
  const parked = new Map<string, number>();
  const points = new Set<string>();
  const sums = { runs: 0, items: 0, twice: 0, lost: 0, odd: 0 };
  let nth = 0;
  for await (const { name, run } of trials) {
    if (nth++ % share.of !== share.mine) continue;
    if (performance.now() - started > limitMs) break;
    const found = await run().catch(broken);
    sums.runs++;
    sums.items += found.items;
    sums.twice += found.twice.length;
    sums.lost += found.lost.length;
    sums.odd += found.odd.length;
    for (const [cause, n] of found.parked) {
      const general = withoutAddresses(cause);
      parked.set(general, (parked.get(general) ?? 0) + n);
    }
    for (const point of [...found.points, ...found.editing]) points.add(point);
    const wrong = [...found.twice, ...found.lost, ...found.odd];
    if (wrong.length > 0) onViolation?.(`${name}\n  ${wrong.join('\n  ')}`);
    onProgress?.(sums.runs);
  }
  return { ...sums, parked, points, ms: performance.now() - started };
}

/** A program that does not run at all is a violation as well. */
function broken(error: unknown): PlanResult {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { items: 0, twice: [], lost: [], odd: [words], parked: new Map(), points: [], editing: [] };
}

/** The same cause counts once, whatever port it was at. */
function withoutAddresses(cause: string): string {
  return cause.replaceAll(/127\.0\.0\.1(:\d+)?/g, 'the other side');
}
