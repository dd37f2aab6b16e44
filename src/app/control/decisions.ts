import type { ItemKey } from '../../item/item.ts';
import type { LifecycleEvent } from '../../item/lifecycle.ts';
import type { Pipeline } from '../../pipelines/pipeline.ts';
import type { Decided, Decision } from '../../server/control-room.ts';

const MESSAGES = { retry: 'again', sent: 'sent', drop: 'drop', park: null } as const;

/** A person's decision on an item; its messages whose fate is open, or that were refused, are decided with it. */
export async function decideItem(
  pipeline: Pipeline,
  key: ItemKey,
  decision: Decision,
  who: string,
): Promise<Decided> {
  if ((await pipeline.ledger.find(key)) === null) return { done: false, why: 'unknown' };
  const answer = await pipeline.ledger.intervene(key, eventOf(decision), who);
  // Settled by its item or not: a message that waits for a person can always be sent again.
  if (!answer.done && decision.kind !== 'retry') return { done: false, why: 'refused', detail: answer.why };
  const messages = await decideMessages(pipeline, key, MESSAGES[decision.kind], who);
  if (!answer.done && messages === 0) return { done: false, why: 'refused', detail: answer.why };
  const item = answer.done ? answer.item : await pipeline.ledger.find(key);
  return { done: true, state: item?.state ?? 'unknown', messages };
}

function eventOf({ kind, because }: Decision): LifecycleEvent {
  const detail = because === undefined ? {} : { detail: because };
  switch (kind) {
    case 'retry':
      return { type: 'requeue' };
    case 'park':
      return { type: 'park', reason: 'by_person', ...detail };
    case 'sent':
      return { type: 'markSent' };
    case 'drop':
      return { type: 'drop' };
  }
}

async function decideMessages(
  { outbox }: Pipeline,
  key: ItemKey,
  decision: 'sent' | 'again' | 'drop' | null,
  who: string,
): Promise<number> {
  if (decision === null) return 0;
  const open = (await outbox.ofItem(key)).filter(({ state }) => state === 'parked' || state === 'refused');
  const decided = await Promise.all(open.map((delivery) => outbox.decide(delivery.key, decision, who)));
  return decided.filter(Boolean).length;
}
