import { type Reason, STATES, type State, TERMINAL_STATES } from '../item/lifecycle.ts';
import type { SweepPlan } from './ledger.ts';

/** An invalid retention plan. */
export class BadSweepPlanError extends Error {
  override readonly name = 'BadSweepPlanError';
}

/** Which states are swept, and up to which time. Rejects a plan that includes a state that is not terminal. */
export function sweepLimits(
  plan: SweepPlan,
  now: number,
): { readonly state: State; readonly before: number }[] {
  if (!isDuration(plan.keepTombstones))
    throw new BadSweepPlanError('keepTombstones must be a length of time in milliseconds.');
  return STATES.flatMap((state) => {
    const keep = plan.keep[state];
    if (keep === undefined) return [];
    if (!isDuration(keep))
      throw new BadSweepPlanError(`The keep time of ${state} must be a length of time in milliseconds.`);
    if (!TERMINAL_STATES.includes(state))
      throw new BadSweepPlanError(
        `Items that are ${state} are not in a terminal state, so they cannot be swept.`,
      );
    return [{ state, before: now - keep }];
  });
}

/**
 * Whether a swept item leaves a tombstone (X20). An item that one destination refused may have been published at another,
 * so it always does.
 */
export function leavesTombstone(
  plan: Pick<SweepPlan, 'withoutTombstone'>,
  { state, reason }: { readonly state: State; readonly reason: Reason },
): boolean {
  return plan.withoutTombstone?.includes(state) !== true || reason === 'delivery_refused';
}

function isDuration(ms: number): boolean {
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0;
}
