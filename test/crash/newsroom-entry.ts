import { writeFileSync } from 'node:fs';
import { openApp } from '../../src/app/app.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { withCrashPoints } from './crash-injection.ts';
import { Points } from './crash-points.ts';
import { newsroomConfig, quickReader } from './newsroom-config.ts';
import { runUntilIdle } from './run-until-idle.ts';
import { ClockOffsetFile, skewedClock } from './skewed-clock.ts';

/** Input of a newsroom in a process of its own. */
export interface NewsroomTask {
  readonly folder: string;
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
  readonly offsetFile: string;
  /** Runs all pipelines once for each entry, after moving the clock by that much; without any it runs until it is stopped. */
  readonly rounds: readonly number[];
  /** At this point, or the first of this name, the process is killed, or stopped until it gets SIGCONT. */
  readonly end?: { readonly at: number | string; readonly by: 'SIGKILL' | 'SIGSTOP' };
  /** Reads pages without an extraction process, which saves a second. */
  readonly quick?: boolean;
  /** Where it writes the names of the points that it passed, when it ends and before it is stopped. */
  readonly pointsFile: string;
}

const task = JSON.parse(process.argv[2] ?? '') as NewsroomTask;
const time = new ClockOffsetFile(task.offsetFile);
const clock = skewedClock(time.by);
let over = false;
const points = new Points(({ number, name }) => {
  const { end } = task;
  if (end === undefined || over || (end.at !== number && end.at !== name)) return;
  over = true;
  writePoints();
  process.kill(process.pid, end.by);
});
const app = await openApp(newsroomConfig(task.text, task.folder, task.env), {
  telemetry: silentTelemetry,
  version: '0',
  clock,
  interpose: (infrastructure) =>
    withCrashPoints(task.quick ? { ...infrastructure, reader: quickReader } : infrastructure, points),
});
for (const ms of task.rounds) {
  time.move(ms);
  await runUntilIdle(app, clock, points, new AbortController().signal);
}
if (task.rounds.length === 0) await app.run(untilSigterm());
await app[Symbol.asyncDispose]();
writePoints();

function writePoints(): void {
  writeFileSync(task.pointsFile, JSON.stringify(points.passed));
}

function untilSigterm(): AbortSignal {
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  return stop.signal;
}
