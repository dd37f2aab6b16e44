import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetTimelineRequest } from '../../proto/gen/avion/timeline.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';
import { median } from '../rounds.ts';
import { type Load, load } from './grpc-load.ts';

const AT_ONCE = 50;
const PATH = '/avion.TimelineService/GetHomeTimeline';

interface Addresses {
  readonly ours: string;
  readonly empty: string;
  readonly token: string;
}

/** `GetHomeTimeline` of 50 IDs beside an empty method that answers 50 constant IDs, in one process, in turns. */
export async function grpcResults({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-grpc-'));
  const child = fork(join(import.meta.dirname, 'grpc-child.ts'), [folder], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const [addresses] = (await once(child, 'message')) as [Addresses];
    return await measure(addresses, quick, log);
  } finally {
    const gone = once(child, 'exit');
    child.send('stop');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  { ours, empty, token }: Addresses,
  quick: boolean,
  log: BenchOptions['log'],
): Promise<readonly Result[]> {
  const message = GetTimelineRequest.encode(GetTimelineRequest.fromPartial({ limit: 50 })).finish();
  const ask = (address: string): Promise<Load> =>
    load({
      address,
      path: PATH,
      token,
      message,
      atLeastBytes: 50 * 38,
      atOnce: AT_ONCE,
      forMs: quick ? 1500 : 4000,
    });
  log(`GetHomeTimeline of 50 IDs, ${AT_ONCE} at a time`);
  const seen: { ours: Load; empty: Load }[] = [];
  for (let round = 0; round <= (quick ? 5 : 7); round++) {
    // By turns, so that a busy moment of the machine favours nobody.
    const both =
      round % 2 === 0
        ? { ours: await ask(ours), empty: await ask(empty) }
        : await (async () => {
            const first = await ask(empty);
            return { ours: await ask(ours), empty: first };
          })();
    log(JSON.stringify(both));
    if (round > 0) seen.push(both);
  }
  const middle = (pick: (both: { ours: Load; empty: Load }) => number): number => median(seen.map(pick));
  const rate = middle((both) => both.ours.perSecond);
  const p99 = middle((both) => both.ours.p99Ms);
  const throughput = middle((both) => both.ours.perSecond / both.empty.perSecond);
  const slowness = middle((both) => both.ours.p99Ms / both.empty.p99Ms);
  return [
    result({
      name: 'GetHomeTimeline, 50 IDs',
      ours: Math.round(rate),
      unit: 'calls/s',
      limit: { name: 'empty method', value: Math.round(rate / throughput) },
      goal: 'at least 0.7× an empty method',
      met: throughput >= 0.7,
    }),
    result({
      name: 'GetHomeTimeline, p99',
      ours: Number(p99.toPrecision(3)),
      unit: 'ms',
      limit: { name: 'empty method', value: Number((p99 / slowness).toPrecision(3)) },
      goal: 'at most 2× an empty method',
      met: slowness <= 2,
    }),
  ];
}
