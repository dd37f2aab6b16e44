import { writeFileSync } from 'node:fs';
import { openApp } from '../../src/app/app.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { crashing } from './crash-injection.ts';
import { Points } from './crash-points.ts';
import { houseConfig, quickReader } from './newsroom-config.ts';
import { workThrough } from './run-until-idle.ts';
import { MoveFile, movedClock } from './skewed-clock.ts';

/** Input of a newsroom in a process of its own. */
export interface NewsroomOrder {
  readonly folder: string;
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
  readonly moveFile: string;
  /** Runs all pipelines once for each entry, after moving the clock by that much; without any it runs until it is stopped. */
  readonly rounds: readonly number[];
  /** At this point, or the first of this name, the process is killed, or stopped until it gets SIGCONT. */
  readonly end?: { readonly at: number | string; readonly by: 'SIGKILL' | 'SIGSTOP' };
  /** Reads pages without an extraction process, which saves a second. */
  readonly quick?: boolean;
  /** Where it writes the names of the points that it passed, when it ends and before it is stopped. */
  readonly pointsFile: string;
}

const order = JSON.parse(process.argv[2] ?? '') as NewsroomOrder;
const time = new MoveFile(order.moveFile);
const clock = movedClock(time.by);
let over = false;
const points = new Points(({ number, name }) => {
  const { end } = order;
  if (end === undefined || over || (end.at !== number && end.at !== name)) return;
  over = true;
  writePoints();
  process.kill(process.pid, end.by);
});
const app = await openApp(houseConfig(order.text, order.folder, order.env), {
  telemetry: silentTelemetry,
  version: '0',
  clock,
  interpose: (infrastructure) =>
    crashing(order.quick ? { ...infrastructure, reader: quickReader } : infrastructure, points),
});
for (const ms of order.rounds) {
  time.move(ms);
  await workThrough(app, clock, points, new AbortController().signal);
}
if (order.rounds.length === 0) await app.run(untilTold());
await app[Symbol.asyncDispose]();
writePoints();

function writePoints(): void {
  writeFileSync(order.pointsFile, JSON.stringify(points.passed));
}

function untilTold(): AbortSignal {
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  return stop.signal;
}
