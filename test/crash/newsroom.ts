import { writeFileSync } from 'node:fs';
import { openApp } from '../../src/app.ts';
import { silentTelemetry } from '../../src/telemetry/telemetry.ts';
import { crashing } from './crashing.ts';
import { houseConfig } from './house.ts';
import { MoveFile, movedClock } from './moved-clock.ts';
import { type Point, Points } from './points.ts';
import { workThrough } from './work-through.ts';

/** What a newsroom in a process of its own is told. */
export interface NewsroomOrder {
  readonly folder: string;
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
  readonly moveFile: string;
  /** It works through once for each, after moving the time by so much. */
  readonly rounds: readonly number[];
  /** At this point the process is killed, or stopped until somebody wakes it. */
  readonly end?: { readonly at: number; readonly by: 'SIGKILL' | 'SIGSTOP' };
  /** Where it writes the names of the points that it came past. */
  readonly pointsFile: string;
}

const order = JSON.parse(process.argv[2] ?? '') as NewsroomOrder;
const time = new MoveFile(order.moveFile);
const clock = movedClock(time.by);
const points = new Points(({ number }: Point) => {
  if (number === order.end?.at) process.kill(process.pid, order.end.by);
});
const app = await openApp(houseConfig(order.text, order.folder, order.env), {
  telemetry: silentTelemetry,
  version: '0',
  clock,
  interpose: (ground) => crashing(ground, points),
});
for (const ms of order.rounds) {
  time.move(ms);
  await workThrough(app, clock, points, new AbortController().signal);
}
await app[Symbol.asyncDispose]();
writeFileSync(order.pointsFile, JSON.stringify(points.passed));
