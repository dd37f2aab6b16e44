import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { article } from './articles.ts';
import { openEmpty } from './sqlite-ledger.ts';

const BATCH = 200;
/** By then SQLite's page cache is full. */
const FILLED = 100_000;

export interface Growth {
  /** Resident megabytes at the end less those after the first items, which fill the page cache. */
  readonly growth: number;
}

/** As `npm start` runs the program: see `scripts/with-setup.mjs`. */
const AS_STARTED = ['--max-semi-space-size=2', '--optimize-for-size'];

/** In a process of its own, so that nothing else is in its memory. */
export async function memoryWhileAdmitting(items: number): Promise<Growth> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    ...AS_STARTED,
    import.meta.filename,
    String(items),
  ]);
  return JSON.parse(stdout) as Growth;
}

async function measure(items: number): Promise<Growth> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-ledger-memory-'));
  const { ledger, ...stores } = openEmpty(folder);
  try {
    const seen: number[] = [];
    for (let from = 0; from < items; from += BATCH) {
      await ledger.admit(
        Array.from({ length: BATCH }, (_, index) => article(from + index)),
        {},
      );
      const there = from + BATCH;
      if (there >= FILLED && there % (items / 10) === 0) seen.push(resident());
    }
    const growth = Math.max(...seen) - (seen[0] ?? 0);
    return { growth: Number(growth.toFixed(1)) };
  } finally {
    await stores[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}

function resident(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1e6;
}

if (import.meta.main) console.log(JSON.stringify(await measure(Number(process.argv[2]))));
