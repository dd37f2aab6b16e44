import type { ItemKey } from '../item/item.ts';
import type { NewIntent } from '../ledger/ledger.ts';
import type { DailyCap } from '../press/daily-cap.ts';
import { type Dispatched, dispatchNext } from '../press/dispatch.ts';
import { intentKey } from '../press/intent-key.ts';
import type { Content, ContentItem, Publisher } from '../press/publisher.ts';
import { type SettleParts, settleItems } from './settle-items.ts';

export interface PressParts extends SettleParts {
  readonly publishers: readonly Publisher[];
  /** How much destinations get in a day (X18). */
  readonly caps?: ReadonlyMap<string, DailyCap>;
}

/** The messages that would say these items at every destination, exactly as they would be sent. */
export async function compose(
  items: readonly ContentItem[],
  parts: Pick<PressParts, 'pipeline' | 'publishers'>,
  { note, signal }: { readonly note?: string; readonly signal?: AbortSignal } = {},
): Promise<NewIntent[]> {
  await Promise.all(parts.publishers.map((publisher) => publisher.prepare?.(signal)));
  return parts.publishers.flatMap((publisher) =>
    inGroupsOf(publisher.abilities.itemsPerMessage, items).map((group) => {
      const content: Content = {
        pipeline: parts.pipeline,
        items: group,
        ...(note !== undefined && { note }),
      };
      const { body, templateVersion } = publisher.render(content);
      const itemKeys = group.flatMap(({ item, others = [] }) => [item.key, ...others]);
      return {
        key: intentKey(itemKeys, publisher.id, templateVersion),
        itemKeys,
        destination: publisher.id,
        body,
      };
    }),
  );
}

/**
 * Sends whatever is due, each destination by itself so that none holds up another, and settles the items whose messages
 * are through. Answers the items that changed.
 */
export async function dispatchDue(parts: PressParts, signal?: AbortSignal): Promise<ReadonlySet<ItemKey>> {
  const touched = await Promise.all(parts.publishers.map((publisher) => drain(publisher, parts, signal)));
  return new Set((await settleItems(touched.flat(), parts)).keys());
}

async function drain(
  publisher: Publisher,
  parts: PressParts,
  signal: AbortSignal | undefined,
): Promise<ItemKey[]> {
  const touched: ItemKey[] = [];
  while (!signal?.aborted) {
    const started = parts.clock.monotonic();
    const done = await dispatchNext(publisher, parts, signal);
    if (done.did !== 'settled') break;
    tell(done, parts, parts.clock.monotonic() - started);
    touched.push(...done.delivery.itemKeys);
    // A destination that asked for rest gets it; what is behind keeps its order.
    if (done.outcome.state === 'intended' || done.outcome.state === 'unknown') break;
  }
  return touched;
}

function tell(
  { delivery, outcome }: Dispatched & { did: 'settled' },
  { pipeline, events }: PressParts,
  ms: number,
): void {
  const message = { pipeline, destination: delivery.destination, message: delivery.key };
  const { state } = outcome;
  if (state === 'sent') events.deliverySent({ ...message, remoteId: outcome.remoteId, ms });
  else if (state === 'parked') events.deliveryParked({ ...message, detail: outcome.detail });
  else
    events.deliveryFailed({
      ...message,
      outcome: state === 'intended' ? 'retry' : state,
      detail: outcome.detail,
    });
}

function inGroupsOf<T>(size: number, all: readonly T[]): T[][] {
  const groups: T[][] = [];
  for (let i = 0; i < all.length; i += size) groups.push(all.slice(i, i + size));
  return groups;
}
