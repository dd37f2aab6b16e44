import { setTimeout as pause } from 'node:timers/promises';
import { chunked } from '../item/chunked.ts';
import type { ItemKey } from '../item/item.ts';
import type { NewIntent } from '../ledger/ledger.ts';
import type { DailyCap } from '../press/daily-cap.ts';
import { type Dispatched, dispatch } from '../press/dispatch.ts';
import { intentKey } from '../press/intent-key.ts';
import type { Delivery, HeldIntent } from '../press/outbox.ts';
import type { Content, ContentItem, Publisher } from '../press/publisher.ts';
import { mayBePublished, type RestoredPeriod, sentWithoutRecord } from './restored.ts';
import { type SettleParts, settleItems } from './settle-items.ts';

/** By then the next message has left this process, and its answer is on the way. */
const HEAD_START_MS = 3;

export interface PressParts extends SettleParts {
  readonly publishers: readonly Publisher[];
  /** How much destinations get in a day (X18). */
  readonly caps?: ReadonlyMap<string, DailyCap>;
  readonly restored?: RestoredPeriod;
}

/** The messages that would say these items at every destination, exactly as they would be sent. */
export async function compose(
  items: readonly ContentItem[],
  parts: Pick<PressParts, 'pipeline' | 'publishers' | 'restored'>,
  { note, signal }: { readonly note?: string; readonly signal?: AbortSignal } = {},
): Promise<NewIntent[]> {
  await Promise.all(parts.publishers.map((publisher) => publisher.prepare?.(signal)));
  return parts.publishers.flatMap((publisher) =>
    grouped(items, publisher.abilities.itemsPerMessage, parts.restored).map((group) => {
      const content: Content = {
        pipeline: parts.pipeline,
        items: group,
        ...(note !== undefined && { note }),
      };
      const { body, templateVersion } = publisher.render(content);
      const itemKeys = group.flatMap(({ item, others = [] }) => [item.key, ...others]);
      return {
        key: intentKey(parts.pipeline, itemKeys, publisher.id, templateVersion),
        itemKeys,
        destination: publisher.id,
        body,
      };
    }),
  );
}

/**
 * Sends whatever is due, each destination by itself so that none holds up another, and settles the items whose messages
 * are through while the next message is on its way. `held` are messages that were created marked as being sent: they go first.
 * Answers the items that changed.
 */
export async function dispatchDue(
  parts: PressParts,
  signal?: AbortSignal,
  onSettled: (keys: readonly ItemKey[]) => void = () => {},
  held: readonly HeldIntent[] = [],
): Promise<ReadonlySet<ItemKey>> {
  const changed = new Set<ItemKey>();
  const { restored, ledger } = parts;
  const sentBefore = restored && ((delivery: Delivery) => sentWithoutRecord(delivery, restored, ledger));
  const dispatchParts = { ...parts, ...(sentBefore && { sentBefore }) };
  const settleLater = async (keys: readonly ItemKey[]): Promise<void> => {
    // The next message leaves first: this work would only hold it up.
    await pause(HEAD_START_MS);
    const settled = await settleItems(keys, parts);
    const now = parts.claims === null ? keys : [...settled.keys()];
    for (const key of now) changed.add(key);
    onSettled(now);
  };
  const drain = async (publisher: Publisher): Promise<void> => {
    let settling = Promise.resolve();
    try {
      const first = held.find(({ delivery }) => delivery.destination === publisher.id) ?? null;
      for await (const done of dispatch(publisher, dispatchParts, signal, first)) {
        tell(done, parts);
        await settling;
        settling = settleLater(done.delivery.itemKeys);
        // Awaited before the next one; until then nobody has to know.
        settling.catch(() => {});
      }
    } finally {
      await settling;
    }
  };
  const ended = await Promise.allSettled(parts.publishers.map(drain));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return changed;
}

function tell({ delivery, outcome, ms }: Dispatched, { pipeline, events }: PressParts): void {
  const message = { pipeline, destination: delivery.destination, messageId: delivery.key };
  const { state } = outcome;
  if (state === 'sent') events.deliverySent({ ...message, remoteId: outcome.remoteId, ms });
  else if (state === 'parked') events.deliveryParked({ ...message, detail: outcome.detail });
  else
    events.deliveryFailed({
      ...message,
      outcome: state === 'intended' || (state === 'refused' && outcome.passing) ? 'retry' : state,
      detail: outcome.detail,
    });
}

/** What may have been published before is a message of its own: whether it was can be found out for each item. */
function grouped(
  items: readonly ContentItem[],
  size: number,
  restored: RestoredPeriod | undefined,
): ContentItem[][] {
  const isAlone = ({ item }: ContentItem): boolean =>
    restored !== undefined && mayBePublished(item, restored);
  const together = items.filter((one) => !isAlone(one));
  return [...items.filter(isAlone).map((one) => [one]), ...chunked(together, size)];
}
