import type { Transition } from '../item/lifecycle.ts';
import type { Claim } from './ledger.ts';

/** The same step under the same claim has the same name: so a step that is repeated after a lost reply is recognised. */
export function stepName(held: Pick<Claim, 'token' | 'owner'>, { event, to }: Transition): string {
  return `${held.token} ${held.owner} ${event} ${to.state} ${to.attempts} ${to.checkedAt} ${to.dueAt ?? '-'}`;
}
