import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StartedNewsroom } from '../scripts/started-newsroom.ts';
import { type BenchOptions, type Result, result } from './bench.ts';
import { median, rounds } from './rounds.ts';

export const about = 'from `npm start` to the first page with items, and idle memory';

const ROOT = join(import.meta.dirname, '..');
const PATIENCE_MS = 30_000;

export async function run({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-start-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{"scripts":{"start":"node -e 0"}}');
    const memory = await idleMemory(join(folder, 'rest'), quick ? 18 : 45, log);
    let started = 0;
    const contestants = {
      ours: () => timeToItems(join(folder, `data-${started++}`), log),
      empty: async () => {
        const began = performance.now();
        await once(spawn('npm', ['start'], { cwd: folder, stdio: 'ignore' }), 'exit');
        return performance.now() - began;
      },
    };
    const times = await rounds(quick ? 2 : 9, contestants, quick ? 6000 : undefined);
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
        name: 'resident memory when idle',
        ours: Number((memory / 1e6).toFixed(1)),
        unit: 'MB',
        limit: { name: 'most allowed', value: 150 },
        goal: 'at most 150 MB',
        met: memory <= 150e6,
      }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function timeToItems(data: string, log: (line: string) => void): Promise<number> {
  const newsroom = await StartedNewsroom.start(ROOT, data);
  try {
    const drops = await newsroom.drops(PATIENCE_MS);
    const ms = newsroom.age;
    log(`items after ${ms.toFixed(0)} ms (${drops})`);
    await newsroom.interrupt(10_000);
    return ms;
  } finally {
    await newsroom[Symbol.asyncDispose]();
  }
}

/** Once the start is over, its threads have ended and the garbage collector has run. In bytes. */
async function idleMemory(data: string, seconds: number, log: (line: string) => void): Promise<number> {
  const newsroom = await StartedNewsroom.start(ROOT, data);
  try {
    await newsroom.drops(PATIENCE_MS);
    log(`idle for ${seconds} s …`);
    const seen: number[] = [];
    for (let second = 0; second < seconds; second++) {
      await setTimeout(1000);
      seen.push(newsroom.memory());
    }
    log(`memory by second, in MB: ${seen.map((bytes) => Math.round(bytes / 1e6)).join(' ')}`);
    await newsroom.interrupt(10_000);
    return median(seen.slice(-3));
  } finally {
    await newsroom[Symbol.asyncDispose]();
  }
}
