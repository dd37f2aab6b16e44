import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetTimelineRequest } from '../../proto/gen/avion/timeline.ts';
import { type BenchOptions, type Result, result } from '../bench.ts';
import { median } from '../rounds.ts';
import { type Load, load } from './grpc-load.ts';
import { type Measured, pageOf, startEmbedded, startWithRedis } from './grpc-programs.ts';
import { startBenchRedis } from './redis-server.ts';

const CONCURRENCY = 50;
const PATH = '/avion.TimelineService/GetHomeTimeline';
/** Ticks per second of the processor times in `/proc`, on every Linux. */
const TICKS = 100;

const NAMES = ['bare', 'bareRedis', 'embedded', 'redis'] as const;
type Name = (typeof NAMES)[number];
type Round = Readonly<Record<Name, Seen>>;

interface Seen extends Load {
  /** Processor time of the server's process for one call, user and system together. */
  readonly cpuUs: number;
}

/**
 * `GetHomeTimeline` of 50 IDs as an outside client sees it: the program as it is started, in a process of its own and with its
 * metrics, called by 50 people with their tokens. Beside it, each in its own process and in turns, a bare grpc-js server that answers the
 * same page as a constant, and one that reads it from Redis by one script.
 */
export async function grpcResults({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-grpc-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const redis = stack.use(await startBenchRedis());
  const withRedis = stack.use(await startWithRedis(folder, redis.port));
  const embedded = stack.use(await startEmbedded(folder));
  // Homes are built when they are first read, which is not measured.
  for (const { address, tokens } of [withRedis, embedded])
    for (const token of tokens) await pageOf({ address, tokens: [token] });
  const page = await pageOf(withRedis);
  const servers: Readonly<Record<Name, Measured>> = {
    bare: stack.use(await startBare(page, withRedis.tokens)),
    bareRedis: stack.use(await startBare(page, withRedis.tokens, redis.port)),
    embedded,
    redis: withRedis,
  };
  log(`GetHomeTimeline of 50 IDs, ${CONCURRENCY} at a time`);
  return results(await measure(servers, quick, log));
}

async function startBare(page: Uint8Array, tokens: readonly string[], redisPort?: number): Promise<Measured> {
  const args = [Buffer.from(page).toString('base64'), ...(redisPort === undefined ? [] : [`${redisPort}`])];
  const child = fork(join(import.meta.dirname, 'grpc-bare.ts'), args);
  const [address] = (await once(child, 'message')) as [string];
  return {
    address,
    pid: child.pid ?? 0,
    tokens,
    async [Symbol.asyncDispose]() {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}

async function measure(
  servers: Readonly<Record<Name, Measured>>,
  quick: boolean,
  log: BenchOptions['log'],
): Promise<readonly Round[]> {
  const message = GetTimelineRequest.encode(GetTimelineRequest.fromPartial({ limit: 50 })).finish();
  const ask = async ({ address, tokens, pid }: Measured, isWarmUp: boolean): Promise<Seen> => {
    const before = cpuSeconds(pid);
    const seen = await load({
      address,
      path: PATH,
      tokens,
      message,
      atLeastBytes: 50 * 38,
      atOnce: CONCURRENCY,
      forMs: (quick ? 1000 : 4000) * (isWarmUp ? 3 : 1),
    });
    return { ...seen, cpuUs: ((cpuSeconds(pid) - before) / seen.calls) * 1e6 };
  };
  const rounds: Round[] = [];
  for (let round = 0; round <= (quick ? 5 : 7); round++) {
    const seen: Partial<Record<Name, Seen>> = {};
    // Alternating, beginning with another one each time, so that a busy moment of the machine favours none.
    for (const n of NAMES.keys()) {
      const name = NAMES[(round + n) % NAMES.length] ?? 'bare';
      seen[name] = await ask(servers[name], round === 0);
      log(`${name.padEnd(10)} ${JSON.stringify(seen[name])}`);
    }
    // The first one warms up.
    if (round > 0) rounds.push(seen as Round);
  }
  return rounds;
}

function results(rounds: readonly Round[]): readonly Result[] {
  const middle = (pick: (round: Round) => number): number => median(rounds.map(pick));
  /** The ratio is the median of the ratios of each round, so that both sides had the same load. */
  const beside = (name: Name, other: Name, what: keyof Seen) => ({
    ratio: middle((round) => round[name][what] / round[other][what]),
    value: Number(
      (
        middle((round) => round[name][what]) / middle((round) => round[name][what] / round[other][what])
      ).toPrecision(4),
    ),
  });
  return (['redis', 'embedded'] as const).flatMap((name) => {
    const place = name === 'redis' ? 'Redis and remote services' : 'embedded';
    const figure = (what: keyof Seen, unit: string, goal: string, isMet: (ratio: number) => boolean) => {
      const bare = beside(name, 'bare', what);
      return result({
        name: `GetHomeTimeline, ${place}, ${unit}`,
        ours: Number(middle((round) => round[name][what]).toPrecision(4)),
        unit,
        limit: { name: 'bare grpc-js', value: bare.value },
        ...(name === 'redis' && {
          peer: { name: 'bare grpc-js with one EVALSHA', value: beside(name, 'bareRedis', what).value },
        }),
        goal,
        met: isMet(bare.ratio),
      });
    };
    return [
      figure('perSecond', 'calls/s', 'at least 0.8× bare grpc-js', (ratio) => ratio >= 0.8),
      figure('cpuUs', 'µs of processor time a call', 'at most 1.5× bare grpc-js', (ratio) => ratio <= 1.5),
      figure('p99Ms', 'ms, p99', 'at most 2× bare grpc-js', (ratio) => ratio <= 2),
    ];
  });
}

/** User and system time of a process, all its threads. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
