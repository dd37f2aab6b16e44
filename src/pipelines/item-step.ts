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

/** One step of an item's life under a claim: the lifecycle decides, the ledger stores. */
export async function recordStep(
  claim: Claim,
  event: LifecycleEvent,
  deps: StepDependencies,
  step: Step = {},
): Promise<'recorded' | 'lost'> {
  return (await storeStep(claim, event, deps, step, deps.clock.now())) === null ? 'lost' : 'recorded';
}

/** Answers how the item stands then; `null` where the claim is lost. */
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

/** A step that was stored, as an event and as a line of a run's report. */
export function tellStep(
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
  // Deferred once too often is failed.
  if (item.state === 'failed') return currentOutcome(item);
  return outcomeOf(item, OUTCOME_OF_EVENT[event.type], reasonText(item));
}

/** The same as a line of a run's report. `at`: when the step happened; by it a retry after a lost reply is recognised. */
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

/** Gives an item back untouched because the run is being stopped. */
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

/** Somebody asked for a step that the lifecycle does not have: a mistake in the program, not in the data. */
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
 * Works on a claimed item for as long as it takes: a slow but living worker keeps its lease (D8). The work's signal is
 * aborted when the claim is lost, and then nothing of it counts (X21). The claim handed on is the newest, and so is that which
 * the work asks for. A store that cannot renew for a moment is asked again while the lease still runs.
 */
export async function whileClaimed<T>(
  claim: Claim,
  deps: ClaimDependencies,
  signal: AbortSignal,
  work: (signal: AbortSignal, held: () => Claim | null) => Promise<T>,
): Promise<{ readonly result: T; readonly claim: Claim | null }> {
  const over = new AbortController();
  const lost = new AbortController();
  const hold = { claim: claim as Claim | null };
  const renewing = keepClaimRenewed(hold, deps, over.signal, lost);
  try {
    const result = await work(AbortSignal.any([signal, lost.signal]), () => hold.claim);
    if (stopsProgram(lost.signal.reason)) throw lost.signal.reason;
    return { result, claim: hold.claim };
  } finally {
    over.abort();
    await renewing;
  }
}

/** Never fails: what it meets is in `hold`, or is the reason of `lost`. */
async function keepClaimRenewed(
  hold: { claim: Claim | null },
  { ledger, clock, leaseMs, pipeline, events }: ClaimDependencies,
  over: AbortSignal,
  lost: AbortController,
): Promise<void> {
  const renew = async (): Promise<boolean> => {
    const renewed = hold.claim === null ? null : await ledger.renew(hold.claim, leaseMs);
    // An answer that comes after another one, or too late, changes nothing.
    if (renewed !== null && renewed.until > (hold.claim?.until ?? Number.POSITIVE_INFINITY))
      hold.claim = renewed;
    return renewed !== null;
  };
  const end = await keepLeaseRenewed(renew, {
    clock,
    leaseMs,
    intervalMs: leaseMs / 3,
    signal: over,
    onFailure: (trouble) => events.loopFailed({ pipeline, loop: 'lease', ...trouble }),
  });
  if (end === null) return;
  hold.claim = null;
  lost.abort(stopsProgram(end.why) ? end.why : new ClaimLostError());
}
