import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { SoakReport } from './soak.ts';
import type { PlainReport, SoakMessage, SoakTask } from './soak-worker-entry.ts';

const WORKER = join(import.meta.dirname, 'soak-worker-entry.ts');

export interface ParallelOptions {
  /** How many processes share the work. */
  readonly workers: number;
  readonly onViolation: (words: string) => void;
  readonly onProgress: (done: number) => void;
}

/** Shares a task among processes and adds up what they found. The runs are the same, however many share them. */
export async function soakInParallel(
  task: SoakTask,
  { workers, onViolation, onProgress }: ParallelOptions,
): Promise<SoakReport> {
  const started = performance.now();
  let done = 0;
  const reports = await Promise.all(
    Array.from({ length: workers }, (_, mine) =>
      soakInWorker({ ...task, share: { of: workers, mine } }, onViolation, () => onProgress(++done)),
    ),
  );
  return { ...reports.reduce(sum, NOTHING), ms: performance.now() - started };
}

function soakInWorker(
  task: SoakTask,
  onViolation: (words: string) => void,
  onProgress: () => void,
): Promise<SoakReport> {
  return new Promise((resolve, reject) => {
    const child = fork(WORKER, [JSON.stringify(task)]);
    let report: PlainReport | undefined;
    child.on('message', (message: SoakMessage) => {
      if ('violation' in message) onViolation(message.violation);
      else if ('done' in message) onProgress();
      else report = message.report;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (report === undefined) reject(new Error(`a soak worker exited with ${code ?? signal}`));
      else resolve({ ...report, parked: new Map(report.parked), points: new Set(report.points), ms: 0 });
    });
  });
}

const NOTHING: SoakReport = {
  runs: 0,
  items: 0,
  twice: 0,
  lost: 0,
  odd: 0,
  parked: new Map(),
  points: new Set(),
  ms: 0,
};

function sum(a: SoakReport, b: SoakReport): SoakReport {
  const parked = new Map(a.parked);
  for (const [cause, n] of b.parked) parked.set(cause, (parked.get(cause) ?? 0) + n);
  return {
    runs: a.runs + b.runs,
    items: a.items + b.items,
    twice: a.twice + b.twice,
    lost: a.lost + b.lost,
    odd: a.odd + b.odd,
    parked,
    points: a.points.union(b.points),
    ms: 0,
  };
}
