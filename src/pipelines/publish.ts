import { setTimeout as pause } from 'node:timers/promises';
import { chunked } from '../item/chunked.ts';
import type { Item, ItemKey } from '../item/item.ts';
import type { LifecycleEvent } from '../item/lifecycle.ts';
import type { ItemStore, Ledger, NewMessage } from '../ledger/ledger.ts';
import type { DailyCap } from '../outbox/daily-cap.ts';
import { type Dispatched, dispatch } from '../outbox/dispatch.ts';
import { type ClaimedMessage, type Delivery, type MessageStore, messageKey } from '../outbox/outbox.ts';
import {
  mayHaveBeenPublished,
  type RestoredPeriod,
  sentWithoutRecordSince,
} from '../outbox/restored-backup.ts';
import type { WakeUpSignal } from '../outbox/wake-up.ts';
import type { Content, ContentItem, Publisher } from '../publishers/publisher.ts';
import { MINUTE } from '../time/duration.ts';
import { type CandidateStory, groupStories } from './choose.ts';
import type { CuratorStore, OpenDigest } from './curator-store.ts';
import { recordStep, type StepDependencies } from './item-step.ts';

/** By then the next message has left this process, and its answer is on the way. */
const HEAD_START_MS = 3;

/** What publishing needs, the same for every kind of pipeline. */
export interface PublishDependencies extends Omit<StepDependencies, 'ledger'> {
  readonly ledger: ItemStore;
  /** Where items are brought forward under claims; `null` where the outbox does that together with the outcome of a message. */
  readonly claims: Ledger | null;
  readonly outbox: MessageStore;
  readonly owner: string;
  readonly publishers: readonly Publisher[];
  /** Woken when a message is to be retried. */
  readonly wakeUp?: Pick<WakeUpSignal, 'wake'>;
  /** Daily limits of destinations (X18). */
  readonly caps?: ReadonlyMap<string, DailyCap>;
  readonly restored?: RestoredPeriod;
  /** An item is published when it has a message for each of these. Without them: when the messages that it has are sent. */
  readonly requiredDestinations?: readonly string[];
  /** `defer`: an item whose message did not arrive is tried again after a wait, up to the retry limit (B10, B11). */
  readonly failedMessages?: 'defer';
}

export interface ComposeOptions {
  /** Shown with the message. */
  readonly note?: string;
  readonly signal?: AbortSignal;
  /** Only for these destinations; all of the pipeline's where absent. */
  readonly publishers?: readonly Publisher[];
}

/** The messages that would say these items at every destination, exactly as they would be sent. */
export async function composeMessages(
  items: readonly ContentItem[],
  deps: Pick<PublishDependencies, 'pipeline' | 'publishers' | 'restored'>,
  { note, signal, publishers = deps.publishers }: ComposeOptions = {},
): Promise<NewMessage[]> {
  await Promise.all(publishers.map((publisher) => publisher.prepare?.(signal)));
  return publishers.flatMap((publisher) =>
    groupItems(items, publisher.abilities.itemsPerMessage, deps.restored).map((group) => {
      const content: Content = {
        pipeline: deps.pipeline,
        items: group,
        ...(note !== undefined && { note }),
      };
      const { body, templateVersion } = publisher.render(content);
      const itemKeys = group.flatMap(({ item, others = [] }) => [item.key, ...others]);
      return {
        key: messageKey(deps.pipeline, itemKeys, publisher.id, templateVersion),
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
  deps: PublishDependencies,
  signal?: AbortSignal,
  onSettled: (keys: readonly ItemKey[]) => void = () => {},
  held: readonly ClaimedMessage[] = [],
): Promise<ReadonlySet<ItemKey>> {
  const changed = new Set<ItemKey>();
  const { restored, ledger, outbox, clock, owner, wakeUp, caps, failedMessages } = deps;
  const sentBefore = restored && ((delivery: Delivery) => sentWithoutRecordSince(delivery, restored, ledger));
  const sending = { outbox, clock, owner, wakeUp, caps, failedMessages, sentBefore };
  const settleLater = async (keys: readonly ItemKey[]): Promise<void> => {
    // The next message leaves first: this work would only hold it up.
    await pause(HEAD_START_MS);
    const settled = await finishItems(keys, deps);
    const now = deps.claims === null ? keys : [...settled.keys()];
    for (const key of now) changed.add(key);
    onSettled(now);
  };
  const drain = async (publisher: Publisher): Promise<void> => {
    let settling = Promise.resolve();
    try {
      const first = held.find(({ delivery }) => delivery.destination === publisher.id) ?? null;
      for await (const done of dispatch(publisher, sending, signal, first)) {
        reportDelivery(done, deps);
        await settling;
        settling = settleLater(done.delivery.itemKeys);
        // Awaited before the next one; a rejection is not unhandled until then.
        settling.catch(() => {});
      }
    } finally {
      await settling;
    }
  };
  const ended = await Promise.allSettled(deps.publishers.map(drain));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return changed;
}

function reportDelivery(
  { delivery, outcome, ms }: Dispatched,
  { pipeline, events }: PublishDependencies,
): void {
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
function groupItems(
  items: readonly ContentItem[],
  size: number,
  restored: RestoredPeriod | undefined,
): ContentItem[][] {
  const isAlone = ({ item }: ContentItem): boolean =>
    restored !== undefined && mayHaveBeenPublished(item, restored);
  const together = items.filter((one) => !isAlone(one));
  return [...items.filter(isAlone).map((one) => [one]), ...chunked(together, size)];
}

/**
 * What the deliveries of an item, taken together, mean for it; `null` while one of them is still under way, or a destination
 * has none. One that was refused is not made good by the others: the item is published when all that were not dropped are sent.
 */
export function eventForDeliveries(
  deliveries: readonly Delivery[],
  saidAt: readonly string[] = [],
): LifecycleEvent | null {
  if (deliveries.length === 0 || saidAt.some((id) => !hasMessageFor(id, deliveries))) return null;
  if (deliveries.some((d) => d.state === 'intended' || d.state === 'sending' || d.state === 'unknown'))
    return null;
  const parked = deliveries.find((d) => d.state === 'parked');
  if (parked)
    return { type: 'park', reason: 'delivery_unknown', detail: `${parked.destination}: ${parked.detail}` };
  const sent = deliveries.filter((d) => d.state === 'sent').map((d) => d.destination);
  const refused = deliveries.find((d) => d.state === 'refused');
  if (refused) {
    const elsewhere = sent.length > 0 ? `; published at ${sent.join(', ')}` : '';
    return {
      type: 'giveUp',
      reason: 'delivery_refused',
      detail: `${refused.destination}: ${refused.detail}${elsewhere}`,
    };
  }
  if (sent.length > 0) return { type: 'publish', detail: sent.join(', ') };
  return { type: 'reject', reason: 'by_person', detail: 'every message was dropped' };
}

export function hasMessageFor(destination: string, deliveries: readonly Delivery[]): boolean {
  return deliveries.some((delivery) => delivery.destination === destination);
}

/**
 * An item one of whose messages did not arrive, or is not known to have arrived, waits before it is tried again. What is not
 * known does not end at the retry limit: it may have been posted.
 */
function deferEvent(deliveries: readonly Delivery[]): (LifecycleEvent & { readonly type: 'defer' }) | null {
  if (deliveries.some(({ state }) => state === 'intended' || state === 'sending' || state === 'parked'))
    return null;
  const failed = (['unknown', 'refused'] as const).flatMap(
    (state) => deliveries.find((d) => d.state === state) ?? [],
  );
  const [first] = failed;
  if (first === undefined) return null;
  const detail = `${first.destination}: ${first.detail}`;
  return { type: 'defer', reason: 'api_failed', detail, keepTrying: first.state === 'unknown' };
}

/** The attempt is counted once: what is deferred already waits for its turn, unless it was the last one. */
function deferOnce(
  deferred: LifecycleEvent & { readonly type: 'defer' },
  { state, attempts }: Item,
  { policy }: PublishDependencies,
): LifecycleEvent | null {
  if (state === 'accepted') return deferred;
  if (deferred.keepTrying || attempts <= policy.retryLimit) return null;
  return { type: 'giveUp', reason: 'retry_limit', detail: `last: api_failed: ${deferred.detail}` };
}

/** Writes down what became of items whose messages are through. Safe to repeat. Answers those that changed. */
export async function finishItems(
  keys: Iterable<ItemKey>,
  deps: PublishDependencies,
): Promise<ReadonlyMap<ItemKey, LifecycleEvent>> {
  const settled = new Map<ItemKey, LifecycleEvent>();
  const { claims: ledger, pipeline, events, policy, clock } = deps;
  if (ledger === null) return settled;
  for (const key of new Set(keys)) {
    const deliveries = await deps.outbox.ofItem(key);
    const deferred = deps.failedMessages === 'defer' ? deferEvent(deliveries) : null;
    const event = deferred ?? eventForDeliveries(deliveries, deps.requiredDestinations);
    if (event === null) continue;
    const claim = await ledger.claim(key, { owner: deps.owner, leaseMs: MINUTE, early: true });
    if (claim === null) continue;
    const next = deferred === null ? event : deferOnce(deferred, claim.item, deps);
    if (next === null) await ledger.release(claim);
    else {
      const step = { pipeline, events, policy, clock, ledger };
      if ((await recordStep(claim, next, step, { notes: remoteIds(deliveries) })) === 'recorded')
        settled.set(key, next);
    }
  }
  return settled;
}

export function remoteIds(deliveries: readonly Delivery[]): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const d of deliveries) if (d.remoteId !== null) ids[`message:${d.destination}`] = d.remoteId;
  return ids;
}

/** Adds the messages of articles that are said at one destination and have no message for another, such as one that is new. */
export async function addMissing(
  digests: readonly OpenDigest[],
  deps: PublishDependencies & {
    readonly store: CuratorStore;
    readonly settings: { readonly sameStory: boolean };
  },
  signal: AbortSignal,
): Promise<void> {
  for (const { id, articles, messages } of digests)
    for (const publisher of deps.publishers) {
      const missing = articles.filter(
        ({ key }) =>
          !hasMessageFor(
            publisher.id,
            messages.filter(({ itemKeys }) => itemKeys.includes(key)),
          ),
      );
      if (missing.length === 0) continue;
      const stories = deps.settings.sameStory
        ? groupStories(missing, []).fresh
        : missing.map((lead) => ({ lead, others: [] }));
      const contents = await Promise.all(stories.map((story) => contentItemOf(story, deps)));
      await deps.store.updateDigest(
        id,
        await composeMessages(contents, deps, { signal, publishers: [publisher] }),
      );
    }
}

/** What a message says of a story: its lead, and which other sources carried it. */
export async function contentItemOf(
  { lead, others }: CandidateStory,
  { ledger }: { readonly ledger: Pick<ItemStore, 'sightings'> },
): Promise<ContentItem> {
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
