import { parseArgs } from 'node:util';
import { MINUTE } from '../src/time/duration.ts';
import { crashEverywhere, type SoakReport, soak } from '../test/crash/soak.ts';

/**
 * Runs the three pipelines through seeded mixes of crashes, lost replies, silence, limits, wrong clocks and stopped workers, and
 * says what became of every item.
 *
 *   npm run soak -- --runs 10000 --seed 7 [--from 0] [--minutes 60]
 *
 *   npm run soak -- --every-point [--minutes 60]
 *
 * The same seed gives the same plans; `--from N --runs 1` plays one of them again. The other form crashes each pipeline at each
 * destination once at every point from admitting to recording.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string' },
    from: { type: 'string', default: '0' },
    minutes: { type: 'string', default: '60' },
    'every-point': { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs);
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const from = Number(values.from);
const minutes = Number(values.minutes);
const everywhere = values['every-point'];

if (![runs, seed, from].every((n) => Number.isInteger(n) && n >= 0) || !(minutes > 0)) {
  console.error('usage: npm run soak -- [--runs N] [--seed N] [--from N] [--minutes N] [--every-point]');
  process.exitCode = 2;
} else {
  const options = {
    limitMs: minutes * MINUTE,
    onViolation: (words: string) => console.error(words),
    onProgress: (done: number) => {
      if (done % 100 === 0) console.log(`${done} runs`);
    },
  };
  const report = everywhere ? await crashEverywhere(options) : await soak({ ...options, runs, seed, from });
  tell(report);
  if (report.twice + report.lost + report.odd > 0) process.exitCode = 1;
}

function tell({ runs: done, items, twice, lost, odd, parked, points, ms }: SoakReport): void {
  const all = [...parked.values()].reduce((sum, n) => sum + n, 0);
  console.log(`posted twice ${twice}, lost ${lost}, parked ${all}, otherwise wrong ${odd}`);
  for (const [cause, n] of [...parked].sort(([, a], [, b]) => b - a)) console.log(`  parked ${n}: ${cause}`);
  const which = everywhere ? 'a crash at every point' : `seed ${seed}, from ${from}, ${runs} asked for`;
  console.log(
    `${done} runs (${which}), ${items} items, ${points.size} kinds of points, ${Math.round(ms / 1000)} s`,
  );
}
