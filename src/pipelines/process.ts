import pLimit from 'p-limit';
import type { Item, ItemKey } from '../item/item.ts';
import { type LifecycleEvent, OPEN_STATES } from '../item/lifecycle.ts';
import type { Claim, Ledger, Step } from '../ledger/ledger.ts';
import type { Delivery, Handled, Queue } from '../queue/queue.ts';
import { errorMessage } from '../telemetry/errors.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { backoff } from '../time/retry.ts';
import { beginRun, type RunOptions, type RunParts } from './begin-run.ts';
import { stopsProgram } from './ending-errors.ts';
import { allGoing, endless, LOOP_BACKOFF } from './endless.ts';
import { holding } from './holding.ts';
import { giveBack, LifecycleError, outcomeOf, take, takeAndTell } from './item-step.ts';
import { keepLooking } from './keep-looking.ts';
import { compose, dispatchDue, type PressParts } from './press-room.ts';
import type { Processed, Processor } from './processor.ts';
import type { ItemOutcome, RunProgress, RunReport } from './run-report.ts';
import { slept } from './slept.ts';
import { whenJudgeIsAway } from './verdict.ts';

/** How many videos are handed over at a time. */
const BATCH = 200;
/** Several minutes: what cannot be stored by then never can. */
const MAX_RECORD_TRIES = 10;

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
  options?: RunOptions,
): Promise<RunReport> {
  const run = await beginRun(parts, signal, watch, options);
  const { queue, ledger } = parts;
  if (queue.abilities.separate) {
    const handed = await handOver(parts, signal);
    if (handed > 0) run.note(`${handed} handed over to the queue`);
  } else {
    // Recording was handing over; workers of this process need not wait until they look again.
    await queue.enqueue(await itemsOf(await ledger.upcoming(1), ledger));
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
    await queue.enqueue(await itemsOf(keys, ledger));
    await ledger.markHanded(keys);
    for (const key of keys) handed.add(key);
  }
  return handed.size;
}

/** Those that are still to be worked on: another program may have settled some meanwhile. */
async function itemsOf(keys: readonly ItemKey[], ledger: Ledger): Promise<readonly Item[]> {
  const items = await Promise.all(keys.map((key) => ledger.find(key)));
  return items.filter((item) => item !== null).filter(isOpen);
}

export interface WorkParts extends PressParts {
  readonly ledger: Ledger;
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
  const handle = async (delivery: Delivery): Promise<Handled> => {
    try {
      return await room(() => workOn(delivery, parts, stop));
    } catch (error) {
      if (stopsProgram(error)) ended.abort(error);
      const detail = `${delivery.key}: ${errorMessage(error)}`;
      events.loopFailed({ pipeline, loop: 'item', failures: 1, waitMs: 0, detail, error });
      return 'later';
    }
  };
  const turn = async (): Promise<'over'> => {
    await queue.consume(handle, { concurrency, signal: stop });
    if (!signal.aborted) ended.signal.throwIfAborted();
    return 'over';
  };
  const processing = (until: AbortSignal): Promise<void> =>
    endless(turn, { ...parts, loop: 'processing' }, until);
  if (!queue.abilities.separate) return processing(signal);
  const free = (): number => concurrency - room.activeCount - room.pendingCount;
  await allGoing([processing, (until) => keepLooking(parts, free, (key) => handle({ key }), until)], signal);
}

async function workOn(delivery: Delivery, parts: WorkParts, signal: AbortSignal): Promise<Handled> {
  const { key } = delivery;
  const claim = await claimOf(delivery, parts);
  if (claim === 'done' || claim === 'later') return claim;
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

/**
 * The right to work on what was delivered (D6): completed → done. Another program's message may name a video that has no
 * document yet, or one that failed in its own hands, which no limit of attempts ended (D9): both are processed.
 */
async function claimOf({ key, sighting }: Delivery, parts: WorkParts): Promise<Claim | Handled> {
  const { ledger, owner, leaseMs, queue, pipeline, events } = parts;
  const ask = { owner, leaseMs };
  const claim = await ledger.claim(key, ask);
  if (claim !== null) return claim;
  const item = await ledger.find(key);
  if (item === null && sighting !== undefined) {
    const [outcome = 'refused'] = await ledger.admit([sighting], { handOver: queue.abilities.separate });
    events.itemAdmitted({ pipeline, item: key, source: '', outcome });
    if (outcome === 'swept' || outcome === 'refused') return 'done';
  } else if (item?.state === 'failed' && item.reason === 'processor_failed' && sighting !== undefined) {
    await ledger.intervene(key, { type: 'requeue' }, 'a message of the queue');
  } else {
    return item !== null && isOpen(item) ? 'later' : 'done';
  }
  return (await ledger.claim(key, ask)) ?? 'later';
}

function isOpen({ state }: Item): boolean {
  return OPEN_STATES.includes(state);
}

/** → processing, then the processor runs, then completed, or failed with the error's message (D6). */
async function processOne(claimed: Claim, parts: WorkParts, signal: AbortSignal): Promise<ItemOutcome> {
  const requeued = await backInLine(claimed, parts);
  if (requeued === null) return outcomeOf(claimed.item, 'lost', 'another worker has it');
  const { result } = await holding(requeued, parts, signal, async (until, held) => {
    const processed = await parts.processor.process(requeued.item, until);
    const claim = held();
    if (claim === null) return null;
    if (processed.outcome === 'stopped') return giveBack(claim, parts);
    return settleProcessed(claim, processed, parts, until);
  });
  if (result !== null) return result;
  const { item, owner } = claimed;
  parts.events.claimLost({ pipeline: parts.pipeline, item: item.key, owner });
  return outcomeOf(item, 'lost', 'another worker took over');
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
  signal: AbortSignal,
): Promise<ItemOutcome> {
  if (result.outcome === 'unanswered')
    return record(claim, whenJudgeIsAway(result.judged, parts.clock.now()), parts, {}, signal);
  const notes = { output: result.output };
  switch (result.outcome) {
    case 'done': {
      const step: Step = {
        notes,
        intents: await compose([{ item: claim.item, summary: result.summary, alsoSeenIn: [] }], parts),
      };
      return record(claim, { type: 'publish' }, parts, step, signal);
    }
    case 'later':
    case 'failed': {
      const defer = { type: 'defer', reason: 'processor_failed', detail: result.detail } as const;
      return record(claim, defer, parts, { notes }, signal);
    }
  }
}

/**
 * Stores what became of a video. While the store is away it is asked again for as long as the claim is held, which is renewed
 * meanwhile: otherwise the video would be processed twice.
 */
async function record(
  claim: Claim,
  event: LifecycleEvent,
  parts: WorkParts,
  step: Step,
  signal: AbortSignal,
): Promise<ItemOutcome> {
  const at = parts.clock.now();
  for (let failures = 1; ; failures++) {
    try {
      return await takeAndTell(claim, event, { ...parts, at }, step);
    } catch (error) {
      const isOver = signal.aborted || failures === MAX_RECORD_TRIES;
      if (isOver || stopsProgram(error) || error instanceof LifecycleError) throw error;
      const [waitMs, detail] = [backoff(failures, LOOP_BACKOFF), errorMessage(error)];
      parts.events.loopFailed({
        pipeline: parts.pipeline,
        loop: 'recording',
        failures,
        waitMs,
        detail,
        error,
      });
      await slept(parts.clock, waitMs, signal);
    }
  }
}
