import { parseArgs } from 'node:util';
import { MINUTE } from '../src/time/duration.ts';
import {
  CHAOS_CONFIGURATIONS,
  type ChaosConfiguration,
  runTimelineChaos,
} from '../test/chaos/timeline-chaos.ts';
import { ENGINES, type EngineName } from '../test/crash/newsroom-config.ts';
import type { SoakReport } from '../test/crash/soak.ts';
import type { SoakTask } from '../test/crash/soak-worker-entry.ts';
import { soakInParallel } from '../test/crash/soak-workers.ts';
import { type Emulator, startEmulator } from '../test/emulators.ts';

const USAGE = `usage: npm run soak -- [--runs N] [--seed N] [--from N] [--kill] [--engine sqlite|firestore]
       npm run soak -- --every-point | --matrix [--engine sqlite|firestore|both]
       each with [--minutes N] [--workers N]
       npm run soak -- --timelines [--configuration aof|memory|merge] [--minutes N] [--seed N]`;

/**
 * Runs the three pipelines through seeded mixes of crashes, lost replies, silence, rate limits, wrong clocks and stopped workers, and
 * reports the outcome of every item.
 *
 *   npm run soak -- --runs 10000 --seed 7 [--from 0] [--minutes 60]
 *   npm run soak -- --matrix
 *
 * The same seed gives the same plans; `--from N --runs 1` repeats one of them. `--every-point` crashes
 * each pipeline at each destination once at every point from admitting to recording. Both crash within a process, which
 * takes a fraction of a second; `--kill` and `--matrix` do the same to real processes with SIGKILL, which takes longer.
 * `--timelines` kills Redis and replicas of the timeline service for so many minutes in each configuration, beside a model
 * of what every page and every stream should show.
 */
const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    runs: { type: 'string', default: '200' },
    seed: { type: 'string' },
    from: { type: 'string', default: '0' },
    minutes: { type: 'string', default: '60' },
    workers: { type: 'string', default: '2' },
    engine: { type: 'string' },
    'every-point': { type: 'boolean', default: false },
    matrix: { type: 'boolean', default: false },
    kill: { type: 'boolean', default: false },
    timelines: { type: 'boolean', default: false },
    configuration: { type: 'string' },
  },
});
const runs = Number(values.runs);
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const from = Number(values.from);
const minutes = Number(values.minutes);
const workers = Number(values.workers);
const everywhere = values['every-point'] || values.matrix;
const engine = values.engine ?? (everywhere ? 'both' : 'sqlite');
const engines: readonly EngineName[] = ENGINES.filter((name) => engine === name || engine === 'both');
const counts = [runs, seed, from].every((n) => Number.isInteger(n) && n >= 0);

const configurations = CHAOS_CONFIGURATIONS.filter(
  (name) => values.configuration === undefined || values.configuration === name,
);

if (values.help) console.log(USAGE);
else if (
  !counts ||
  configurations.length === 0 ||
  !(minutes > 0) ||
  !(Number.isInteger(workers) && workers > 0) ||
  engines.length === 0
) {
  console.error(USAGE);
  process.exitCode = 2;
} else if (values.timelines) {
  for (const configuration of configurations) await soakTimelines(configuration);
} else {
  let emulator: Emulator | null = null;
  try {
    if (engines.includes('firestore')) emulator = await startEmulator('firestore');
    await run(emulator);
  } finally {
    await emulator?.[Symbol.asyncDispose]();
  }
}

async function run(emulator: Emulator | null): Promise<void> {
  const shared = {
    limitMs: minutes * MINUTE,
    projects: emulator === null ? null : { emulator: emulator.host },
  };
  const task: SoakTask = everywhere
    ? { ...shared, how: values.matrix ? 'matrix' : 'every-point', engines }
    : { ...shared, how: values.kill ? 'kill' : 'soak', runs, seed, from, engine: engines[0] ?? 'sqlite' };
  const report = await soakInParallel(task, {
    workers,
    onViolation: (words) => console.error(words),
    onProgress: (done) => {
      if (done % 100 === 0) console.log(`${done} runs`);
    },
  });
  printReport(report);
  if (report.twice + report.lost + report.odd > 0) process.exitCode = 1;
}

async function soakTimelines(configuration: ChaosConfiguration): Promise<void> {
  console.log(`${configuration}, seed ${seed}, ${minutes} minutes`);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('interrupted')));
  const report = await runTimelineChaos({
    configuration,
    seed,
    ms: minutes * MINUTE,
    signal: stop.signal,
    log: (line) => console.log(`  ${line}`),
  });
  const { wrong, killed, ...counts } = report;
  for (const words of wrong.slice(0, 50)) console.error(`  ${words}`);
  console.log(
    `  pages wrong ${counts.pagesWrong}, readers wrong ${counts.readersWrong}, events twice ${counts.eventsTwice}, events after delete ${counts.eventsAfterDelete}, received drops lost ${counts.receivedLost}`,
  );
  console.log(
    `  ${counts.drops} drops, ${counts.deleted} deleted, ${counts.received} received, ${counts.events} events, ${counts.reconnects} reconnects, ${counts.pagesRead} pages read; killed: Redis ${killed.redis}, replicas ${killed.replicas}; stopped: ${killed.stopped}`,
  );
  if (wrong.length > 0) process.exitCode = 1;
}

function printReport({ runs: done, items, twice, lost, odd, parked, points, ms }: SoakReport): void {
  const all = [...parked.values()].reduce((sum, n) => sum + n, 0);
  console.log(`posted twice ${twice}, lost ${lost}, parked ${all}, otherwise wrong ${odd}`);
  for (const [cause, n] of [...parked].sort(([, a], [, b]) => b - a)) console.log(`  parked ${n}: ${cause}`);
  const which = everywhere
    ? `${values.matrix ? 'killed' : 'a crash'} at every point`
    : `seed ${seed}, from ${from}, ${runs} requested`;
  console.log(
    `${done} runs (${engines.join(' and ')}; ${which}), ${items} items, ${points.size} kinds of points, ${Math.round(ms / 1000)} s`,
  );
}
