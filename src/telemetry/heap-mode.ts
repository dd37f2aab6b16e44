import v8 from 'node:v8';

/** A newsroom has started and read its sources by then. */
const START_MS = 10_000;

let isLimited = false;

/** Share of ten seconds that the event loop works, above which machine code is worth its memory: an idle newsroom works for 2 to 3%. */
const BUSY = 0.1;
const BUSY_CHECK_MS = 10_000;

/**
 * For a program that starts and is idle then. For the first seconds nothing is compiled to machine code, which a start is not worth,
 * and the heap may grow, which saves a tenth of the time. Then the heap is limited.
 */
export function limitHeapAfterStart(): void {
  setFlags('--no-opt', '--no-maglev', '--no-sparkplug');
  setTimeout(() => {
    setFlags('--flush-baseline-code', '--lazy');
    limitHeap();
    compileOnceBusy();
  }, START_MS).unref();
}

/** Compiles to machine code from the first busy seconds on. The compilers and their code take 8 MB, which are not returned. */
function compileOnceBusy(): void {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization < BUSY) return;
    clearInterval(timer);
    setFlags('--opt', '--maglev', '--sparkplug');
  }, BUSY_CHECK_MS).unref();
}

/**
 * Makes V8 keep its heap small and return memory early, since the program is idle most of the time. A first wave of 2,000 streams
 * takes a third of the memory, and further waves take none. What only the start used is compiled again if it is needed: 5 MB.
 */
export function limitHeap(): void {
  isLimited = true;
  setFlags('--optimize-for-size', '--semi-space-growth-factor=1', '--bytecode-old-age=1');
}

/** Lets the heap grow until the next `limitHeap`. Returns whether it was limited. */
export function allowHeapGrowth(): boolean {
  if (!isLimited) return false;
  isLimited = false;
  setFlags('--no-optimize-for-size', '--semi-space-growth-factor=2', '--bytecode-old-age=6');
  return true;
}

function setFlags(...flags: readonly string[]): void {
  for (const flag of flags) v8.setFlagsFromString(flag);
}
