import { type Reason, STATES, type State, TERMINAL_STATES } from '../item/lifecycle.ts';
import type { SweepPlan } from './ledger.ts';

/** A plan that no ledger carries out. */
export class BadSweepPlanError extends Error {
  override readonly name = 'BadSweepPlanError';
}

/** Which states are swept, and up to which time. Refuses a plan that would end items somebody still works on. */
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
      throw new BadSweepPlanError(`Items that are ${state} are not settled, so they cannot be swept.`);
    return [{ state, before: now - keep }];
  });
}

/**
 * Whether an item that is swept is still recognised (X20). What one destination refused may have been published at another, so
 * it is never taken for new.
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
