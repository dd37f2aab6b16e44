import pLimit from 'p-limit';
import type { Item, ItemKey } from '../item/item.ts';
import { type LifecycleEvent, OPEN_STATES } from '../item/lifecycle.ts';
import type { Claim, Ledger, Step } from '../ledger/ledger.ts';
import type { Handled, Queue, QueueDelivery } from '../queue/queue.ts';
import {
  LOOP_BACKOFF,
  type LoopDependencies,
  runLoop,
  runTogether,
  sleepFor,
  stopsProgram,
} from '../scheduler/loop.ts';
import type { ItemOutcome, RunProgress, RunReport } from '../scheduler/run-report.ts';
import { errorMessage } from '../telemetry/errors.ts';
import { inSpan } from '../telemetry/tracing.ts';
import { SECOND } from '../time/duration.ts';
import { backoff } from '../time/retry.ts';
import { eventWhenJudgeUnavailable } from './evaluate.ts';
import {
  LifecycleError,
  outcomeOf,
  recordAndReport,
  recordStep,
  releaseItem,
  whileClaimed,
} from './item-step.ts';
import { beginRun, type RunDependencies, type RunOptions } from './pipeline.ts';
import type { Processed, Processor } from './processor.ts';
import { composeMessages, dispatchDue, type PublishDependencies } from './publish.ts';

/** How many videos are handed over in one batch. */
const HAND_OVER_BATCH_SIZE = 200;
/** How many videos a dry run shows. */
const MAX_PROCESSED_AT_ONCE = 100;
/** Several minutes of backoff in total. */
const MAX_RECORD_ATTEMPTS = 10;

export interface CheckDependencies extends RunDependencies {
  readonly ledger: Ledger;
  readonly queue: Queue;
  /** Items still waiting this long after their hand-over are handed over again (D7). */
  readonly handOverAgainAfterMs: number;
}

/**
 * Polls for new videos, records each exactly once (D3) and hands it over to the queue, including those that an
 * earlier check recorded and did not hand over because it crashed (D7).
 */
export async function checkSources(
  deps: CheckDependencies,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
  options?: RunOptions,
): Promise<RunReport> {
  const run = await beginRun(deps, signal, watch, options);
  const { queue, ledger } = deps;
  if (queue.abilities.separate) {
    const count = await handOver(deps, signal);
    if (count > 0) run.note(`${count} handed over to the queue`);
  } else {
    // The ledger is the queue: this only wakes the workers of this process.
    await queue.enqueue(await openItems(await ledger.upcoming(1), ledger));
  }
  return run.finish(deps.clock.now());
}

/**
 * A check and then the processing of every item that is due, in this process: what a dry run does on a copy of the
 * stores.
 */
export async function checkAndProcess(
  check: RunDependencies,
  work: ProcessDependencies,
  signal: AbortSignal,
  watch?: (progress: RunProgress) => void,
  options?: RunOptions,
): Promise<RunReport> {
  const run = await beginRun(check, signal, watch, options);
  const { ledger, owner, leaseMs } = work;
  for (const key of await ledger.upcoming(MAX_PROCESSED_AT_ONCE)) {
    if (signal.aborted) break;
    const claim = await ledger.claim(key, { owner, leaseMs });
    if (claim !== null) run.item(await processOne(claim, work, signal));
  }
  return run.finish(check.clock.now());
}

async function handOver(
  { ledger, queue, clock, handOverAgainAfterMs }: CheckDependencies,
  signal: AbortSignal,
): Promise<number> {
  const handedOver = new Set<ItemKey>();
  while (!signal.aborted) {
    const keys = await ledger.pendingHandOver({
      limit: HAND_OVER_BATCH_SIZE,
      handedBefore: clock.now() - handOverAgainAfterMs,
    });
    // Items that could not be marked are returned again; the next check hands them over once more.
    if (keys.every((key) => handedOver.has(key))) break;
    await queue.enqueue(await openItems(keys, ledger));
    await ledger.markHandedOver(keys);
    for (const key of keys) handedOver.add(key);
  }
  return handedOver.size;
}

/** Items in an open state: another program may have finished some meanwhile. */
async function openItems(keys: readonly ItemKey[], ledger: Ledger): Promise<readonly Item[]> {
  const items = await Promise.all(keys.map((key) => ledger.find(key)));
  return items.filter((item) => item !== null).filter(isOpen);
}

export interface ProcessDependencies extends PublishDependencies {
  readonly ledger: Ledger;
  readonly processor: Processor;
  readonly leaseMs: number;
}

export interface WorkDependencies extends ProcessDependencies {
  readonly queue: Queue;
  readonly concurrency: number;
}

/**
 * Processes what the queue delivers, until the signal. The ledger decides whether there is anything to do (D6).
 * Failures of an item, the queue or the store are reported and retried.
 */
export async function runWorker(deps: WorkDependencies, signal: AbortSignal): Promise<void> {
  const { queue, concurrency, pipeline, clock, events } = deps;
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const limit = pLimit(concurrency);
  const handle = async (delivery: QueueDelivery): Promise<Handled> => {
    try {
      return await limit(() => handleDelivery(delivery, deps, stop));
    } catch (error) {
      if (stopsProgram(error)) ended.abort(error);
      const detail = `${delivery.key}: ${errorMessage(error)}`;
      events.loopFailed({ pipeline, loop: 'item', failures: 1, waitMs: 0, detail, error });
      return 'later';
    }
  };
  const iterate = async (): Promise<'over'> => {
    await queue.consume(handle, { concurrency, signal: stop });
    if (!signal.aborted) ended.signal.throwIfAborted();
    return 'over';
  };
  const processing = (until: AbortSignal): Promise<void> =>
    runLoop(iterate, { pipeline, loop: 'processing', clock, events }, until);
  if (!queue.abilities.separate) return processing(signal);
  const free = (): number => concurrency - limit.activeCount - limit.pendingCount;
  await runTogether(
    [processing, (until) => pollUnqueued(deps, free, (key) => handle({ key }), until)],
    signal,
  );
}

async function handleDelivery(
  delivery: QueueDelivery,
  deps: WorkDependencies,
  signal: AbortSignal,
): Promise<Handled> {
  const { key } = delivery;
  const claim = await claimDelivered(delivery, deps);
  if (claim === 'done' || claim === 'later') return claim;
  const { pipeline } = deps;
  const { outcome } = await inSpan(
    'item.process',
    { pipeline, item: key },
    () => processOne(claim, deps, signal),
    ({ outcome, why }) => (outcome === 'published' ? null : `${outcome}: ${why}`),
  );
  if (outcome === 'published') await dispatchDue(deps, signal);
  return outcome === 'published' || outcome === 'failed' ? 'done' : 'later';
}

/**
 * Claims a delivered item (D6); completed → done. Another program's message may name a video that is not recorded
 * yet, or one that failed there without reaching the retry limit (D9): both are processed.
 */
async function claimDelivered(
  { key, sighting }: QueueDelivery,
  deps: WorkDependencies,
): Promise<Claim | Handled> {
  const { ledger, owner, leaseMs, queue, pipeline, events } = deps;
  const request = { owner, leaseMs };
  const claim = await ledger.claim(key, request);
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
  return (await ledger.claim(key, request)) ?? 'later';
}

function isOpen({ state }: Item): boolean {
  return OPEN_STATES.includes(state);
}

/** Claimed → processing → completed, or failed with the error's message (D6). */
async function processOne(
  claimed: Claim,
  deps: ProcessDependencies,
  signal: AbortSignal,
): Promise<ItemOutcome> {
  const requeued = await requeueDeferred(claimed, deps);
  if (requeued === null) return outcomeOf(claimed.item, 'lost', 'another worker has it');
  const { result } = await whileClaimed(requeued, deps, signal, async (until, current) => {
    const processed = await deps.processor.process(requeued.item, until);
    const claim = current();
    if (claim === null) return null;
    if (processed.outcome === 'stopped') return releaseItem(claim, deps);
    return recordResult(claim, processed, deps, until);
  });
  if (result !== null) return result;
  const { item, owner } = claimed;
  deps.events.claimLost({ pipeline: deps.pipeline, item: item.key, owner });
  return outcomeOf(item, 'lost', 'another worker took over');
}

/** A failed video is requeued before it is processed again: there is no direct transition from failed to processing (D2). */
async function requeueDeferred(claim: Claim, deps: ProcessDependencies): Promise<Claim | null> {
  if (claim.item.state !== 'deferred') return claim;
  if ((await recordStep(claim, { type: 'requeue' }, deps, { keepClaim: true })) === 'lost') return null;
  const item = await deps.ledger.find(claim.item.key);
  return item === null ? null : { ...claim, item };
}

async function recordResult(
  claim: Claim,
  result: Exclude<Processed, { outcome: 'stopped' }>,
  deps: ProcessDependencies,
  signal: AbortSignal,
): Promise<ItemOutcome> {
  if (result.outcome === 'unanswered')
    return recordWithRetry(
      claim,
      eventWhenJudgeUnavailable(result.judged, deps.clock.now()),
      deps,
      {},
      signal,
    );
  const notes = { output: result.output };
  switch (result.outcome) {
    case 'done': {
      const step: Step = {
        notes,
        messages: await composeMessages(
          [{ item: claim.item, summary: result.summary, alsoSeenIn: [] }],
          deps,
        ),
      };
      return recordWithRetry(claim, { type: 'publish' }, deps, step, signal);
    }
    case 'later':
    case 'failed': {
      const defer = { type: 'defer', reason: 'processor_failed', detail: result.detail } as const;
      return recordWithRetry(claim, defer, deps, { notes }, signal);
    }
  }
}

/**
 * Stores the result of a video. Retries while the store is unavailable and the claim is still renewed: otherwise the
 * video would be processed twice.
 */
async function recordWithRetry(
  claim: Claim,
  event: LifecycleEvent,
  deps: ProcessDependencies,
  step: Step,
  signal: AbortSignal,
): Promise<ItemOutcome> {
  const at = deps.clock.now();
  for (let failures = 1; ; failures++) {
    try {
      return await recordAndReport(claim, event, deps, step, at);
    } catch (error) {
      const isOver = signal.aborted || failures === MAX_RECORD_ATTEMPTS;
      if (isOver || stopsProgram(error) || error instanceof LifecycleError) throw error;
      const [waitMs, detail] = [backoff(failures, LOOP_BACKOFF), errorMessage(error)];
      deps.events.loopFailed({
        pipeline: deps.pipeline,
        loop: 'recording',
        failures,
        waitMs,
        detail,
        error,
      });
      await sleepFor(deps.clock, waitMs, signal);
    }
  }
}

/** Each poll costs one read, and the item of a dead worker must be claimed within a minute (X21). */
const POLL_INTERVAL_MS = 45 * SECOND;
/** A working queue delivers within a second to a worker with free capacity. */
const QUEUE_LATE_AFTER_MS = 10 * SECOND;

export interface PollUnqueuedDependencies extends Omit<LoopDependencies, 'loop'> {
  readonly ledger: Pick<Ledger, 'pendingHandOver'>;
  readonly leaseMs: number;
}

/**
 * Polls the ledger for items that a separate queue does not deliver, while there is free capacity: items whose worker
 * died (X21), retries that are due, items recorded by a check that crashed (D7), and items that the queue delays or
 * delivered to a dead consumer. A later delivery of the same item by the queue is a no-op.
 */
export async function pollUnqueued(
  deps: PollUnqueuedDependencies,
  free: () => number,
  handle: (key: ItemKey) => Promise<Handled>,
  signal: AbortSignal,
): Promise<void> {
  const { pipeline, events, ledger, clock, leaseMs } = deps;
  // A shorter lease asks for a faster recovery from dead workers.
  const intervalMs = Math.min(POLL_INTERVAL_MS, leaseMs);
  const inFlight = new Set<Promise<Handled>>();
  const iterate = async (): Promise<'again'> => {
    const limit = free();
    const handedBefore = clock.now() - QUEUE_LATE_AFTER_MS;
    const keys = limit > 0 ? await ledger.pendingHandOver({ limit, handedBefore }) : [];
    const works = keys.map((key) => {
      const work = handle(key).finally(() => inFlight.delete(work));
      inFlight.add(work);
      return work;
    });
    const over = new AbortController();
    const pause = clock.sleep(intervalMs, AbortSignal.any([signal, over.signal])).catch(() => {});
    await Promise.race([pause, waitForHandled(works)]);
    over.abort();
    await pause;
    return 'again';
  };
  try {
    await runLoop(iterate, { pipeline, loop: 'polling unqueued items', clock, events }, signal);
  } finally {
    await Promise.all(inFlight);
  }
}

/**
 * Resolves when all were handled, since more may be due; never resolves otherwise, so that the next poll waits for
 * the interval.
 */
async function waitForHandled(works: readonly Promise<Handled>[]): Promise<void> {
  const handled = await Promise.all(works);
  if (handled.length === 0 || handled.includes('later')) await new Promise(() => {});
}
