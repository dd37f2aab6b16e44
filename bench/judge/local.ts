import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BenchOptions, type Result, result } from '../bench.ts';
import { median } from '../rounds.ts';

interface Measured {
  readonly perSecond: number;
  readonly segmenterPerSecond: number;
  readonly memory: number;
}

/** Throughput and memory of the local judge, in a process of its own, so that nothing else counts. */
export async function local({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  // As the program itself starts: with a compile cache. The first run fills it and does not count.
  const compiled = mkdtempSync(join(tmpdir(), 'bench-judge-compiled-'));
  const script = join(import.meta.dirname, 'local-child.ts');
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled };
  const runs: Measured[] = [];
  try {
    for (let round = 0; round <= (quick ? 2 : 5); round++) {
      const args = [script, quick ? '600' : '2000'];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env });
      if (round === 0) continue;
      const measured = JSON.parse(stdout) as Measured;
      log(`round ${round}: ${measured.perSecond.toFixed(0)}/s, ${(measured.memory / 1e6).toFixed(0)} MB`);
      runs.push(measured);
    }
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
  const rate = median(runs.map(({ perSecond }) => perSecond));
  const memory = median(runs.map((one) => one.memory));
  return [
    result({
      name: 'local judge, articles of 5,000 characters',
      ours: Math.round(rate),
      unit: 'articles/s',
      peer: {
        name: 'only cutting the same text into words (Intl.Segmenter)',
        value: Math.round(median(runs.map(({ segmenterPerSecond }) => segmenterPerSecond))),
      },
      goal: 'at least 300 a second on one core',
      met: rate >= 300,
    }),
    result({
      name: 'local judge, most memory of its process',
      ours: Math.round(memory / 1e6),
      unit: 'MB',
      limit: { name: 'most allowed', value: 100 },
      goal: 'at most 100 MB',
      met: memory <= 100e6,
    }),
  ];
}
