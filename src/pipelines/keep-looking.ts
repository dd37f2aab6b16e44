import type { ItemKey } from '../item/item.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Handled } from '../queue/queue.ts';
import { SECOND } from '../time/duration.ts';
import { type EndlessParts, endless } from './endless.ts';

/** Each look costs one read, and a dead worker's item must be taken up within a minute (X21). */
const LOOK_EVERY = 45 * SECOND;
/** A queue that works delivers within a second to whoever has room. */
const LATE_AFTER = 10 * SECOND;

export interface LookingParts extends Omit<EndlessParts, 'loop'> {
  readonly ledger: Pick<Ledger, 'unhanded'>;
  readonly leaseMs: number;
}

/**
 * Takes up what a separate queue does not bring, while there is room for it: what a worker that died had taken (X21), what is
 * due for another try, what was recorded by a check that died (D7), and what the queue holds back or delivered to somebody who
 * is gone. The queue may still bring it afterwards: then there is nothing left to do.
 */
export async function keepLooking(
  parts: LookingParts,
  free: () => number,
  handle: (key: ItemKey) => Promise<Handled>,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, clock, leaseMs } = parts;
  // Who chose a shorter lease wants what a dead worker had back sooner.
  const everyMs = Math.min(LOOK_EVERY, leaseMs);
  const under = new Set<Promise<Handled>>();
  const turn = async (): Promise<'again'> => {
    const limit = free();
    const handedBefore = clock.now() - LATE_AFTER;
    const keys = limit > 0 ? await ledger.unhanded({ limit, handedBefore }) : [];
    const works = keys.map((key) => {
      const work = handle(key).finally(() => under.delete(work));
      under.add(work);
      return work;
    });
    const over = new AbortController();
    const pause = clock.sleep(everyMs, AbortSignal.any([signal, over.signal])).catch(() => {});
    await Promise.race([pause, allDone(works)]);
    over.abort();
    await pause;
    return 'again';
  };
  try {
    await endless(turn, { ...parts, loop: 'looking' }, signal);
  } finally {
    await Promise.all(under);
  }
}

/** Where all went well there may be more; otherwise the next look is soon enough. */
async function allDone(works: readonly Promise<Handled>[]): Promise<void> {
  const handled = await Promise.all(works);
  if (handled.length === 0 || handled.includes('later')) await new Promise(() => {});
}
