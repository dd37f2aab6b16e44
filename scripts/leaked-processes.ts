import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** A variable that every process started during the run inherits, and by which it is recognised afterwards. */
export const RUN_MARK = 'KAWARABAN_TEST_RUN';

export interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

/** Processes that carry this run's mark and do not end within `timeoutMs`. Linux only; elsewhere none are found. */
export async function leftProcesses(mark: string, timeoutMs = 3000): Promise<readonly LeftProcess[]> {
  for (let waited = 0; ; waited += 100) {
    const left = marked(mark);
    if (left.length === 0 || waited >= timeoutMs) return left;
    await setTimeout(100);
  }
}

function marked(mark: string): readonly LeftProcess[] {
  const wanted = `${RUN_MARK}=${mark}`;
  return processIds()
    .filter((pid) => pid !== process.pid && read(`/proc/${pid}/environ`).split('\0').includes(wanted))
    .map((pid) => ({ pid, command: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, 200) }))
    .filter(({ command }) => command !== ''); // A zombie has no command and only waits for its parent.
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => Number.isInteger(pid) && pid > 0);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // Ended meanwhile, or not ours to read.
  }
}

/** What is left in the temporary folder of the run. */
export function leftFiles(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => !MADE_BY_TOOLS.some((pattern) => pattern.test(name)));
}

/** Files of tools, which they reuse in the next run. */
const MADE_BY_TOOLS = [/^node-compile-cache$/, /^vitest-/, /^v8-compile-cache/];
