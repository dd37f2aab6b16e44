import type { ItemKey } from '../item/item.ts';
import type { LifecycleEvent } from '../item/lifecycle.ts';

import type { Pipeline } from './pipeline.ts';

export interface Decision {
  readonly kind: 'retry' | 'park' | 'sent' | 'drop';
  readonly because?: string;
}

export type DecisionResult =
  | { readonly done: true; readonly state: string; readonly messages: number }
  | { readonly done: false; readonly why: 'unknown' }
  | { readonly done: false; readonly why: 'refused'; readonly detail: string };

const MESSAGE_DECISIONS = { retry: 'again', sent: 'sent', drop: 'drop', park: null } as const;

/** Applies a person's decision to an item, and to its parked and refused messages. */
export async function decideItem(
  pipeline: Pipeline,
  key: ItemKey,
  decision: Decision,
  who: string,
): Promise<DecisionResult> {
  if ((await pipeline.ledger.find(key)) === null) return { done: false, why: 'unknown' };
  const answer =
    decision.kind === 'retry'
      ? await pipeline.retryItem(key, who)
      : await pipeline.ledger.intervene(key, eventOf(decision.kind, decision.because), who);
  // A parked or refused message can be retried even if the item is in a terminal state.
  if (!answer.done && decision.kind !== 'retry') return { done: false, why: 'refused', detail: answer.why };
  const messages = await decideMessages(pipeline, key, MESSAGE_DECISIONS[decision.kind], who);
  if (!answer.done && messages === 0) return { done: false, why: 'refused', detail: answer.why };
  const item = answer.done ? answer.item : await pipeline.ledger.find(key);
  return { done: true, state: item?.state ?? 'unknown', messages };
}

function eventOf(kind: Exclude<Decision['kind'], 'retry'>, because: string | undefined): LifecycleEvent {
  const detail = because === undefined ? {} : { detail: because };
  switch (kind) {
    case 'park':
      return { type: 'park', reason: 'by_person', ...detail };
    case 'sent':
      return { type: 'markSent' };
    case 'drop':
      return { type: 'drop' };
  }
}

/** Decides the item's parked and refused messages; returns how many. */
async function decideMessages(
  pipeline: Pipeline,
  key: ItemKey,
  decision: 'sent' | 'again' | 'drop' | null,
  who: string,
): Promise<number> {
  if (decision === null) return 0;
  let decided = 0;
  for (const { key: message, state } of await pipeline.outbox.ofItem(key))
    if (state === 'parked' || state === 'refused')
      decided += Number(await pipeline.decideMessage(message, decision, who));
  return decided;
}
