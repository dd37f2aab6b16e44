import type { Item, ItemKey } from '../item/item.ts';
import {
  advance,
  type ItemStatus,
  type LifecycleEvent,
  type LifecyclePolicy,
  type Transition,
} from '../item/lifecycle.ts';
import type { Claim, Ledger, Step } from '../ledger/ledger.ts';
import { keepLeaseRenewed } from '../scheduler/lease.ts';
import { stopsProgram } from '../scheduler/loop.ts';
import { currentOutcome, type ItemOutcome, outcomeOf, reasonText } from '../scheduler/run-report.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';

export { outcomeOf } from '../scheduler/run-report.ts';

export interface StepDependencies {
  readonly pipeline: string;
  readonly events: Events;
  readonly ledger: Ledger;
  readonly policy: LifecyclePolicy;
  readonly clock: Clock;
}

/** Records one lifecycle step of a claimed item. */
export async function recordStep(
  claim: Claim,
  event: LifecycleEvent,
  deps: StepDependencies,
  step: Step = {},
): Promise<'recorded' | 'lost'> {
  return (await storeStep(claim, event, deps, step, deps.clock.now())) === null ? 'lost' : 'recorded';
}

/** Returns the new status of the item; `null` if the claim is lost. */
async function storeStep(
  claim: Claim,
  event: LifecycleEvent,
  { pipeline, events, ledger, policy }: StepDependencies,
  step: Step,
  at: number,
): Promise<ItemStatus | null> {
  const next = advance(claim.item, event, at, policy);
  if (!next.allowed) throw new LifecycleError(claim.item.key, next.why);
  const recorded = await ledger.record(claim, next.transition, step);
  if (recorded === 'lost') {
    events.claimLost({ pipeline, item: claim.item.key, owner: claim.owner });
    return null;
  }
  emitStep(claim.item.key, next.transition, step, { pipeline, events });
  return next.transition.to;
}

function emitStep(
  item: ItemKey,
  { from, to }: Transition,
  step: Step,
  { pipeline, events }: Pick<StepDependencies, 'pipeline' | 'events'>,
): void {
  if (step.verdict !== undefined) {
    const { judge, score, provisional } = step.verdict;
    events.itemJudged({ pipeline, item, judge, score, provisional });
  }
  events.itemFinished({ pipeline, item, from, to: to.state, reason: to.reason, detail: to.detail });
}

/** Emits a stored step as events and returns it as a line of the run report. */
export function reportStep(
  item: Item,
  event: LifecycleEvent,
  transition: Transition,
  step: Step,
  deps: Pick<StepDependencies, 'pipeline' | 'events'>,
): ItemOutcome {
  emitStep(item.key, transition, step, deps);
  return outcomeAfter({ ...item, ...transition.to, verdict: step.verdict ?? item.verdict }, event);
}

function outcomeAfter(item: Item, event: LifecycleEvent): ItemOutcome {
  // A defer past the retry limit fails the item.
  if (item.state === 'failed') return currentOutcome(item);
  return outcomeOf(item, OUTCOME_OF_EVENT[event.type], reasonText(item));
}

/**
 * Records one step and returns its line of the run report. `at` is the time of the step; a retry after a lost reply
 * is recognised by it.
 */
export async function recordAndReport(
  claim: Claim,
  event: LifecycleEvent,
  deps: StepDependencies,
  step: Step = {},
  at = deps.clock.now(),
): Promise<ItemOutcome> {
  const to = await storeStep(claim, event, deps, step, at);
  const verdict = step.verdict ?? claim.item.verdict;
  if (to === null) return outcomeOf({ ...claim.item, verdict }, 'lost', 'another worker took over');
  return outcomeAfter({ ...claim.item, ...to, verdict }, event);
}

/** Releases an unchanged item because the run is being stopped. */
export async function releaseItem(
  claim: Claim,
  { ledger }: Pick<StepDependencies, 'ledger'>,
): Promise<ItemOutcome> {
  await ledger.release(claim);
  return outcomeOf(claim.item, 'postponed', 'the run was stopped');
}

const OUTCOME_OF_EVENT: Readonly<Record<LifecycleEvent['type'], ItemOutcome['outcome']>> = {
  accept: 'accepted',
  publish: 'published',
  reject: 'rejected',
  defer: 'deferred',
  postpone: 'postponed',
  giveUp: 'failed',
  park: 'parked',
  requeue: 'postponed',
  markSent: 'published',
  drop: 'rejected',
};

/** A step that the lifecycle does not allow: a bug in the program, not in the data. */
export class LifecycleError extends Error {
  readonly key: ItemKey;
  constructor(key: ItemKey, why: string) {
    super(`${why} (${key})`);
    this.name = 'LifecycleError';
    this.key = key;
  }
}

export interface ClaimDependencies {
  readonly pipeline: string;
  readonly events: Pick<Events, 'loopFailed'>;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly leaseMs: number;
}

/** The claim on the item was lost to another worker. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';
  constructor() {
    super('the claim was lost to another worker');
  }
}

/**
 * Runs `work` while renewing the lease of the claim (D8), retrying failed renewals until it expires. When the claim
 * is lost, the signal of `work` is aborted and its result must not be stored (X21). `current()` and the returned
 * claim are the latest renewal.
 */
export async function whileClaimed<T>(
  claim: Claim,
  deps: ClaimDependencies,
  signal: AbortSignal,
  work: (signal: AbortSignal, current: () => Claim | null) => Promise<T>,
): Promise<{ readonly result: T; readonly claim: Claim | null }> {
  const over = new AbortController();
  const lost = new AbortController();
  const holder = { claim: claim as Claim | null };
  const renewing = keepClaimRenewed(holder, deps, over.signal, lost);
  try {
    const result = await work(AbortSignal.any([signal, lost.signal]), () => holder.claim);
    if (stopsProgram(lost.signal.reason)) throw lost.signal.reason;
    return { result, claim: holder.claim };
  } finally {
    over.abort();
    await renewing;
  }
}

/** Never rejects: an error becomes the abort reason of `lost`. */
async function keepClaimRenewed(
  holder: { claim: Claim | null },
  { ledger, clock, leaseMs, pipeline, events }: ClaimDependencies,
  over: AbortSignal,
  lost: AbortController,
): Promise<void> {
  const renew = async (): Promise<boolean> => {
    const renewed = holder.claim === null ? null : await ledger.renew(holder.claim, leaseMs);
    // Ignore a renewal that arrives late or out of order.
    if (renewed !== null && renewed.until > (holder.claim?.until ?? Number.POSITIVE_INFINITY))
      holder.claim = renewed;
    return renewed !== null;
  };
  const end = await keepLeaseRenewed(renew, {
    clock,
    leaseMs,
    intervalMs: leaseMs / 3,
    signal: over,
    onFailure: (failure) => events.loopFailed({ pipeline, loop: 'lease', ...failure }),
  });
  if (end === null) return;
  holder.claim = null;
  lost.abort(stopsProgram(end.why) ? end.why : new ClaimLostError());
}
