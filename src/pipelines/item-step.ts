import type { Item, ItemKey } from '../item/item.ts';
import {
  advance,
  type LifecycleEvent,
  type LifecyclePolicy,
  type Standing,
  type Transition,
} from '../item/lifecycle.ts';
import type { Claim, Ledger, Step } from '../ledger/ledger.ts';
import type { Events } from '../telemetry/events.ts';
import type { Clock } from '../time/clock.ts';
import { type ItemOutcome, outcomeNow, outcomeOf, reasonWords } from './run-report.ts';

export { outcomeOf } from './run-report.ts';

export interface StepParts {
  readonly pipeline: string;
  readonly events: Events;
  readonly ledger: Ledger;
  readonly policy: LifecyclePolicy;
  readonly clock: Clock;
  /** When the step happened; now where absent. A step that is repeated after a lost reply is recognised by it. */
  readonly at?: number;
}

/** One step of an item's life under a claim: the lifecycle decides, the ledger stores. */
export async function take(
  claim: Claim,
  event: LifecycleEvent,
  parts: StepParts,
  step: Step = {},
): Promise<'recorded' | 'lost'> {
  return (await record(claim, event, parts, step)) === null ? 'lost' : 'recorded';
}

/** Answers how the item stands then; `null` where the claim is lost. */
async function record(
  claim: Claim,
  event: LifecycleEvent,
  { pipeline, events, ledger, policy, clock, at = clock.now() }: StepParts,
  step: Step,
): Promise<Standing | null> {
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
  { pipeline, events }: Pick<StepParts, 'pipeline' | 'events'>,
): void {
  if (step.verdict !== undefined) {
    const { judge, score, provisional } = step.verdict;
    events.itemJudged({ pipeline, item, judge, score, provisional });
  }
  events.itemSettled({ pipeline, item, from, to: to.state, reason: to.reason, detail: to.detail });
}

/** A step that was stored, as an event and as a line of a run's report. */
export function tellStep(
  item: Item,
  event: LifecycleEvent,
  transition: Transition,
  step: Step,
  parts: Pick<StepParts, 'pipeline' | 'events'>,
): ItemOutcome {
  emitStep(item.key, transition, step, parts);
  return outcomeAfter({ ...item, ...transition.to, verdict: step.verdict ?? item.verdict }, event);
}

function outcomeAfter(item: Item, event: LifecycleEvent): ItemOutcome {
  // Deferred once too often is failed.
  if (item.state === 'failed') return outcomeNow(item);
  return outcomeOf(item, NAMES[event.type], reasonWords(item));
}

/** The same, told as a line of a run's report. */
export async function takeAndTell(
  claim: Claim,
  event: LifecycleEvent,
  parts: StepParts,
  step: Step = {},
): Promise<ItemOutcome> {
  const to = await record(claim, event, parts, step);
  const verdict = step.verdict ?? claim.item.verdict;
  if (to === null) return outcomeOf({ ...claim.item, verdict }, 'lost', 'another worker took over');
  return outcomeAfter({ ...claim.item, ...to, verdict }, event);
}

/** Gives an item back untouched because the run is being stopped. */
export async function giveBack(claim: Claim, { ledger }: Pick<StepParts, 'ledger'>): Promise<ItemOutcome> {
  await ledger.release(claim);
  return outcomeOf(claim.item, 'postponed', 'the run was stopped');
}

const NAMES: Readonly<Record<LifecycleEvent['type'], ItemOutcome['outcome']>> = {
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
