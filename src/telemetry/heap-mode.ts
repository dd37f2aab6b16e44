import { setFlagsFromString } from 'node:v8';

/** A newsroom has started and read its sources by then. */
const START_MS = 10_000;

let isLimited = false;

/**
 * For a program that starts and is idle then. For the first seconds nothing is optimised: what only a start does is not worth
 * the 12 MB, which are not returned, and the heap may grow, which saves a tenth of the time. Then the heap is limited.
 */
export function limitHeapAfterStart(): void {
  setFlags('--no-opt', '--no-maglev');
  setTimeout(() => {
    setFlags('--opt', '--maglev');
    limitHeap();
  }, START_MS).unref();
}

/**
 * Makes V8 keep its heap small and return memory early, since the program is idle most of the time. A first wave of 2,000 streams
 * takes a third of the memory, and further waves take none.
 */
export function limitHeap(): void {
  isLimited = true;
  setFlags('--optimize-for-size', '--semi-space-growth-factor=1');
}

/** Lets the heap grow until the next `limitHeap`. Returns whether it was limited. */
export function allowHeapGrowth(): boolean {
  if (!isLimited) return false;
  isLimited = false;
  setFlags('--no-optimize-for-size', '--semi-space-growth-factor=2');
  return true;
}

function setFlags(...flags: readonly string[]): void {
  for (const flag of flags) setFlagsFromString(flag);
}
