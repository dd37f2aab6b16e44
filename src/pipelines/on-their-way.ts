import type { Item } from '../item/item.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Delivery, OutboxStore } from '../press/outbox.ts';
import type { ContentItem } from '../press/publisher.ts';
import { gatherStories, type OneStory } from './one-story.ts';
import { compose, type PressParts } from './press-room.ts';
import { hasMessageFor } from './settle-items.ts';

/** An accepted article that an earlier digest has taken, with its messages. */
export interface OnItsWay {
  readonly item: Item;
  readonly deliveries: readonly Delivery[];
}

/** Tells what can still be chosen from what an earlier digest has taken already. */
export async function byDelivery(
  items: readonly Item[],
  { outbox }: { readonly outbox: Pick<OutboxStore, 'ofItem'> },
): Promise<{ readonly free: readonly Item[]; readonly onTheirWay: readonly OnItsWay[] }> {
  const free: Item[] = [];
  const onTheirWay: OnItsWay[] = [];
  for (const item of items) {
    const deliveries = await outbox.ofItem(item.key);
    if (deliveries.every((d) => d.state === 'dropped')) free.push(item);
    else onTheirWay.push({ item, deliveries });
  }
  return { free, onTheirWay };
}

/**
 * Writes down the messages of articles that are said at one destination and have no message for another: there the digest gave
 * way to one of another process that had some of the same articles, or the destination is new.
 */
export async function sayWhereMissing(
  onTheirWay: readonly OnItsWay[],
  parts: PressParts & { readonly settings: { readonly sameStory: boolean } },
  signal: AbortSignal,
): Promise<void> {
  for (const publisher of parts.publishers) {
    const missing = onTheirWay
      .filter(({ deliveries }) => !hasMessageFor(publisher.id, deliveries))
      .map(({ item }) => item);
    if (missing.length === 0) continue;
    const stories = parts.settings.sameStory
      ? gatherStories(missing, []).fresh
      : missing.map((lead) => ({ lead, others: [] }));
    const contents = await Promise.all(stories.map((story) => contentOf(story, parts.ledger)));
    await parts.outbox.intend(await compose(contents, { ...parts, publishers: [publisher] }, { signal }));
  }
}

export async function contentOf({ lead, others }: OneStory, ledger: Ledger): Promise<ContentItem> {
  const carried = (await ledger.sightings(lead.key)).map(({ sourceName }) => sourceName);
  const names = new Set([...others.map(({ sourceName }) => sourceName), ...carried]);
  names.delete(lead.sourceName);
  return {
    item: lead,
    summary: lead.verdict?.summary ?? null,
    alsoSeenIn: [...names],
    others: others.map(({ key }) => key),
  };
}
