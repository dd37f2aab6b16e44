import { DETAIL_TEXTS } from '../item/detail-texts.ts';
import type { ItemKey } from '../item/item.ts';
import type { LifecycleEvent } from '../item/lifecycle.ts';
import type { Intervention, ItemStore } from '../ledger/ledger.ts';
import type { Delivery, MessageStore } from '../outbox/outbox.ts';
import { eventForDeliveries, finishItems, type PublishDependencies } from './publish.ts';

const STATE_AFTER = { sent: 'sent', again: 'intended', drop: 'dropped' } as const;
export type MessageDecision = keyof typeof STATE_AFTER;

/** Reopens the item for the outcome of its messages, without a new evaluation: a message may have been sent already. */
const RESUME_DELIVERY: LifecycleEvent = { type: 'accept', detail: DETAIL_TEXTS.sent_again };

/** Retries an item for a person. One that has messages keeps its verdict. */
export async function retryItem(
  key: ItemKey,
  who: string,
  { ledger, outbox }: { readonly ledger: ItemStore; readonly outbox: Pick<MessageStore, 'ofItem'> },
): Promise<Intervention> {
  const hasMessages = (await outbox.ofItem(key)).some(({ state }) => state !== 'dropped');
  const isAccepted = (await ledger.find(key))?.state === 'accepted';
  return ledger.intervene(key, hasMessages && !isAccepted ? RESUME_DELIVERY : { type: 'requeue' }, who);
}

/**
 * Applies a person's decision to a parked or refused message and its items. Items are updated first: after a crash in
 * between, the message is still undecided, and repeating the decision completes it. Returns false if the message is
 * neither parked nor refused.
 */
export async function decideMessage(
  key: string,
  decision: MessageDecision,
  who: string,
  deps: PublishDependencies,
): Promise<boolean> {
  const message = await findUndecided(key, deps.outbox);
  if (message === null) return false;
  const decided = { ...message, state: STATE_AFTER[decision] };
  for (const item of message.itemKeys) await updateItem(item, decided, who, deps);
  if (!(await deps.outbox.decide(key, decision, who))) return false;
  if (decision === 'again') deps.wakeUp?.wake();
  await finishItems(message.itemKeys, deps);
  return true;
}

/** Updates an item that was parked or failed because of its messages. */
async function updateItem(
  key: ItemKey,
  decided: Delivery,
  who: string,
  { ledger, outbox, requiredDestinations }: PublishDependencies,
): Promise<void> {
  const item = await ledger.find(key);
  if (item?.reason !== 'delivery_unknown' && item?.reason !== 'delivery_refused') return;
  const deliveries = await outbox.ofItem(key);
  const verdict = eventForDeliveries(
    deliveries.map((delivery) => (delivery.key === decided.key ? decided : delivery)),
    requiredDestinations,
  );
  const event = item.state === 'parked' ? afterParking(verdict) : afterRefusal(verdict);
  if (event !== null) await ledger.intervene(key, event, who);
}

function afterParking(verdict: LifecycleEvent | null): LifecycleEvent | null {
  if (verdict === null) return RESUME_DELIVERY;
  if (verdict.type === 'park') return null;
  return { type: verdict.type === 'publish' ? 'markSent' : 'drop' };
}

function afterRefusal(verdict: LifecycleEvent | null): LifecycleEvent | null {
  return verdict === null || verdict.type === 'publish' ? RESUME_DELIVERY : null;
}

async function findUndecided(key: string, outbox: Pick<MessageStore, 'list'>): Promise<Delivery | null> {
  let cursor: string | undefined;
  do {
    const { deliveries, next } = await outbox.list({
      states: ['parked', 'refused'],
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    const found = deliveries.find((delivery) => delivery.key === key);
    if (found !== undefined) return found;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return null;
}
