import pLimit from 'p-limit';
import type { Item, ItemKey } from '../item/item.ts';
import type { Claim, Ledger, Step } from '../ledger/ledger.ts';
import type { Handled, Queue } from '../queue/queue.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { beginRun, type RunParts } from './begin-run.ts';
import { stopsProgram } from './ending-errors.ts';
import { allGoing, endless } from './endless.ts';
import { holding } from './holding.ts';
import { giveBack, outcomeOf, take, takeAndTell } from './item-step.ts';
import { keepLooking } from './keep-looking.ts';
import { compose, dispatchDue, type PressParts } from './press-room.ts';
import type { Processed, Processor } from './processor.ts';
import type { ItemOutcome, RunProgress, RunReport } from './run-report.ts';
import { whenJudgeIsAway } from './verdict.ts';

/** How many videos are handed over at a time. */
const BATCH = 200;

export interface CheckParts extends RunParts {
  readonly ledger: Ledger;
  readonly queue: Queue;
  /** What was handed over longer ago than this and still lies there is handed over again (D7). */
  readonly handAgainAfter: number;
}

/**
 * Looks for new videos, records each exactly once (D3) and hands it over. What was recorded but not handed over, by a crash
 * in between, goes with the rest (D7).
 */
export async function check(
  parts: CheckParts,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
): Promise<RunReport> {
  const run = await beginRun(parts, signal, watch);
  const { queue, ledger } = parts;
  if (queue.abilities.separate) {
    const handed = await handOver(parts, signal);
    if (handed > 0) run.note(`${handed} handed over to the queue`);
  } else {
    // Recording was handing over; workers of this process need not wait until they look again.
    await queue.enqueue(await ledger.upcoming(BATCH));
  }
  return run.finish(parts.clock.now());
}

async function handOver(
  { ledger, queue, clock, handAgainAfter }: CheckParts,
  signal: AbortSignal,
): Promise<number> {
  const handed = new Set<ItemKey>();
  while (!signal.aborted) {
    const keys = await ledger.unhanded({ limit: BATCH, handedBefore: clock.now() - handAgainAfter });
    // What could not be marked comes again; the next check hands it over once more.
    if (keys.every((key) => handed.has(key))) break;
    await queue.enqueue(keys);
    await ledger.markHanded(keys);
    for (const key of keys) handed.add(key);
  }
  return handed.size;
}

export interface WorkParts extends PressParts {
  readonly queue: Queue;
  readonly processor: Processor;
  readonly concurrency: number;
  readonly leaseMs: number;
}

/**
 * Processes what the queue delivers, until the signal. The ledger decides whether there is anything to do (D6). An item that
 * cannot be handled, and a queue or a store that is away, is told and comes again.
 */
export async function work(parts: WorkParts, signal: AbortSignal): Promise<void> {
  const { queue, concurrency, pipeline, events } = parts;
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const room = pLimit(concurrency);
  const handle = async (key: ItemKey): Promise<Handled> => {
    try {
      return await room(() => workOn(key, parts, stop));
    } catch (error) {
      if (stopsProgram(error)) ended.abort(error);
      const detail = `${key}: ${error instanceof Error ? error.message : String(error)}`;
      events.loopFailed({ pipeline, loop: 'item', failures: 1, waitMs: 0, detail, error });
      return 'later';
    }
  };
  const turn = async (): Promise<'over'> => {
    await queue.consume(({ key }) => handle(key), { concurrency, signal: stop });
    if (!signal.aborted) ended.signal.throwIfAborted();
    return 'over';
  };
  const processing = (until: AbortSignal): Promise<void> =>
    endless(turn, { ...parts, loop: 'processing' }, until);
  if (!queue.abilities.separate) return processing(signal);
  const free = (): number => concurrency - room.activeCount - room.pendingCount;
  await allGoing([processing, (until) => keepLooking(parts, free, handle, until)], signal);
}

async function workOn(key: ItemKey, parts: WorkParts, signal: AbortSignal): Promise<Handled> {
  const { ledger, owner, leaseMs } = parts;
  const claim = await ledger.claim(key, { owner, leaseMs });
  if (claim === null) return isOpen(await ledger.find(key)) ? 'later' : 'done';
  const { pipeline } = parts;
  const { outcome } = await inSpan(
    'item.process',
    { pipeline, item: key },
    () => processOne(claim, parts, signal),
    ({ outcome, why }) => (outcome === 'published' ? null : `${outcome}: ${why}`),
  );
  if (outcome === 'published') await dispatchDue(parts, signal);
  return outcome === 'published' || outcome === 'failed' ? 'done' : 'later';
}

function isOpen(item: Item | null): boolean {
  return (
    item !== null && (item.state === 'waiting' || item.state === 'deferred' || item.state === 'accepted')
  );
}

/** → processing, then the processor runs, then completed, or failed with the error's message (D6). */
async function processOne(claimed: Claim, parts: WorkParts, signal: AbortSignal): Promise<ItemOutcome> {
  const requeued = await backInLine(claimed, parts);
  if (requeued === null) return outcomeOf(claimed.item, 'lost', 'another worker has it');
  const { result, claim } = await holding(requeued, parts, signal, (s) =>
    parts.processor.process(requeued.item, s),
  );
  if (claim === null) {
    const { item, owner } = claimed;
    parts.events.claimLost({ pipeline: parts.pipeline, item: item.key, owner });
    return outcomeOf(item, 'lost', 'another worker took over');
  }
  if (result.outcome === 'stopped') return giveBack(claim, parts);
  return settleProcessed(claim, result, parts);
}

/** A failed video is queued again before it is processed again: nothing goes from failed to processing directly (D2). */
async function backInLine(claim: Claim, parts: WorkParts): Promise<Claim | null> {
  if (claim.item.state !== 'deferred') return claim;
  if ((await take(claim, { type: 'requeue' }, parts, { keepClaim: true })) === 'lost') return null;
  const item = await parts.ledger.find(claim.item.key);
  return item === null ? null : { ...claim, item };
}

async function settleProcessed(
  claim: Claim,
  result: Exclude<Processed, { outcome: 'stopped' }>,
  parts: WorkParts,
): Promise<ItemOutcome> {
  if (result.outcome === 'unanswered')
    return takeAndTell(claim, whenJudgeIsAway(result.judged, parts.clock.now()), parts);
  const notes = { output: result.output };
  switch (result.outcome) {
    case 'done': {
      const step: Step = {
        notes,
        intents: await compose([{ item: claim.item, summary: result.summary, alsoSeenIn: [] }], parts),
      };
      return takeAndTell(claim, { type: 'publish' }, parts, step);
    }
    case 'later':
    case 'failed':
      return takeAndTell(claim, { type: 'defer', reason: 'processor_failed', detail: result.detail }, parts, {
        notes,
      });
  }
}
