import { setFlagsFromString } from 'node:v8';

/** A newsroom has started and read its sources by then. */
const START_MS = 10_000;

let isLimited = false;

/**
 * For a program that starts and is idle then. For the first seconds nothing is compiled to machine code: what only a start does is
 * not worth the 14 MB, which are not returned, and the heap may grow, which saves a tenth of the time. Then the heap is limited.
 */
export function limitHeapAfterStart(): void {
  setFlags('--no-opt', '--no-maglev', '--no-sparkplug');
  setTimeout(() => {
    setFlags('--opt', '--maglev', '--sparkplug', '--flush-baseline-code');
    limitHeap();
  }, START_MS).unref();
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
  for (const flag of flags) setFlagsFromString(flag);
}
