import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StartedNewsroom } from '../scripts/started-newsroom.ts';
import { type BenchOptions, type Result, result } from './bench.ts';
import { median, rounds } from './rounds.ts';

export const about = 'from `npm start` to the first page with items, and memory at rest';

const ROOT = join(import.meta.dirname, '..');
const PATIENCE_MS = 30_000;

export async function run({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-start-'));
  const memories: number[] = [];
  let started = 0;
  try {
    writeFileSync(join(folder, 'package.json'), '{"scripts":{"start":"node -e 0"}}');
    const contestants = {
      ours: async () => {
        const data = join(folder, `data-${started++}`);
        const newsroom = await StartedNewsroom.start(ROOT, data);
        try {
          const drops = await newsroom.drops(PATIENCE_MS);
          const ms = newsroom.age;
          // At rest: the first rush is over, the threads that it needed have ended, the collector had its time.
          await setTimeout(quick ? 1000 : 30_000);
          memories.push(newsroom.memory());
          log(
            `round ${started}: ${drops} drops after ${ms.toFixed(0)} ms, ${mebibytes(memories.at(-1) ?? 0)} MiB`,
          );
          await newsroom.interrupt(10_000);
          return ms;
        } finally {
          await newsroom[Symbol.asyncDispose]();
        }
      },
      empty: async () => {
        const began = performance.now();
        await once(spawn('npm', ['start'], { cwd: folder, stdio: 'ignore' }), 'exit');
        return performance.now() - began;
      },
    };
    const times = await rounds(quick ? 3 : 7, contestants, quick ? 20_000 : undefined);
    const memory = mebibytes(median(memories));
    return [
      result({
        name: 'npm start to the first page with items',
        ours: Math.round(times.ours),
        unit: 'ms',
        limit: { name: 'npm start of an empty program', value: Math.round(times.empty) },
        goal: 'at most 2 seconds',
        met: times.ours <= 2000,
      }),
      result({
        name: 'resident memory at rest',
        ours: memory,
        unit: 'MiB',
        limit: { name: 'most allowed', value: 150 },
        goal: 'at most 150 MB',
        met: median(memories) <= 150e6,
      }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function mebibytes(bytes: number): number {
  return Number((bytes / 2 ** 20).toFixed(1));
}
