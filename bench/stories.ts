import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TIMESPANS, type Timespan } from '../src/stories/story.ts';
import { type BenchOptions, type Result, result } from './bench.ts';
import { median } from './rounds.ts';
import { fill } from './stories/fill.ts';
import { copyForOriginal } from './stories/original.ts';
import type { Served } from './stories/serve.ts';

export const about =
  'first pages of every timespan while the worker writes, beside the original program’s SQL';

const run1 = promisify(execFile);
/** As `npm start` runs the program: see `scripts/with-setup.mjs`. */
const AS_STARTED = ['--max-semi-space-size=2', '--optimize-for-size'];

export async function run({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const stories = quick ? 500_000 : 5_000_000;
  const hidden = quick ? 20_000 : 100_000;
  const folder = mkdtempSync(join(tmpdir(), 'bench-stories-'));
  const path = (name: string): string => join(folder, name);
  const now = Date.now();
  try {
    log(`filling ${words(stories)} stories, ${words(hidden)} of them hidden by the reader`);
    await timed(log, () => fill(path('many.db'), stories, hidden, now));
    log(`filling ${words(stories / 10)}`);
    await timed(log, () => fill(path('few.db'), stories / 10, hidden / 10, now));
    log('copying for the original program');
    await timed(log, () => copyForOriginal(path('many.db'), path('original.db')));

    log('serving while the worker writes');
    const seconds = quick ? 5 : 30;
    const [many, idle] = await Promise.all([served(path('many.db'), seconds), idling(seconds)]);
    const few = await served(path('few.db'), seconds / 2);
    log(`the original's SQL`);
    const original = await originals(path('original.db'), quick ? 2 : 5, now);
    log(JSON.stringify({ first: many.first, written: many.written, original }));
    return [
      ...TIMESPANS.flatMap((timespan) => [
        most(`${timespan}, first page of 500, median`, median(many.pages[timespan]), 'ms', 5),
        most(`${timespan}, first page of 500, p99`, quantile(many.pages[timespan], 0.99), 'ms', 25),
      ]),
      ...TIMESPANS.map((timespan) => coldPage(timespan, many, few)),
      worstOfOriginal(many, original),
      ...TIMESPANS.map((timespan) => scaled(timespan, many, few, stories)),
      block(many, idle),
      most('resident memory', many.resident, 'MB', 400),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In a process of its own, so that nothing else uses its memory or delays it. */
async function served(path: string, seconds: number): Promise<Served> {
  const script = join(import.meta.dirname, 'stories', 'serve.ts');
  const args = [...AS_STARTED, script, path, String(seconds)];
  const { stdout } = await run1(process.execPath, args, { maxBuffer: 2 ** 28 });
  return JSON.parse(stdout) as Served;
}

/** Stalls caused by the machine, measured by an idle process at the same time. */
async function idling(seconds: number): Promise<number> {
  const script = join(import.meta.dirname, 'stories', 'idle.ts');
  return Number((await run1(process.execPath, [script, String(seconds)])).stdout);
}

function block({ longestBlock }: Served, idle: number): Result {
  return result({
    name: 'longest time that nothing else could run',
    ours: round(longestBlock),
    unit: 'ms',
    limit: { name: 'an idle process beside it', value: round(idle) },
    goal: 'at most 50 ms',
    met: longestBlock <= 50,
  });
}

async function originals(path: string, rounds: number, now: number): Promise<Record<Timespan, number>> {
  const script = join(import.meta.dirname, 'stories', 'original.ts');
  const { stdout } = await run1(process.execPath, [script, path, String(rounds), String(now)]);
  const times = JSON.parse(stdout) as Record<Timespan, number[]>;
  return Object.fromEntries(TIMESPANS.map((name) => [name, median(times[name])])) as Record<Timespan, number>;
}

function most(name: string, ours: number, unit: string, value: number): Result {
  return result({
    name,
    ours: round(ours),
    unit,
    limit: { name: 'most allowed', value },
    goal: `at most ${value} ${unit}`,
    met: ours <= value,
  });
}

/** Without a cached list: the merge of ordered buckets alone. */
function coldPage(timespan: Timespan, many: Served, few: Served): Result {
  const ours = median(many.cold[timespan]);
  const tenth = median(few.cold[timespan]);
  return result({
    name: `${timespan}, from the index alone, median`,
    ours: round(ours),
    unit: 'ms',
    limit: { name: 'with a tenth of the stories', value: round(tenth) },
    goal: 'at most 25 ms',
    met: ours <= 25,
  });
}

function worstOfOriginal(many: Served, original: Readonly<Record<Timespan, number>>): Result {
  const [worst] = [...TIMESPANS].sort((a, b) => original[b] - original[a]);
  if (worst === undefined) throw new Error('no timespan');
  const ours = median(many.pages[worst]);
  return result({
    name: `${worst}, where the original is slowest`,
    ours: round(ours),
    unit: 'ms',
    peer: { name: 'the original’s SQL, without hidden stories', value: round(original[worst]) },
    goal: 'at least 10× as fast',
    met: original[worst] >= 10 * ours,
  });
}

function scaled(timespan: Timespan, many: Served, few: Served, stories: number): Result {
  const [ours, tenth] = [median(many.pages[timespan]), median(few.pages[timespan])];
  return result({
    name: `${timespan} with ${words(stories)} stories`,
    ours: round(ours),
    unit: 'ms',
    limit: { name: `with ${words(stories / 10)}`, value: round(tenth) },
    goal: 'within 2×',
    met: ours <= 2 * tenth,
  });
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

async function timed(log: BenchOptions['log'], work: () => Promise<void> | void): Promise<void> {
  const began = performance.now();
  await work();
  log(`  ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

function words(n: number): string {
  return n.toLocaleString('en');
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
