import { setTimeout as pause } from 'node:timers/promises';
import { chunked } from '../item/chunked.ts';
import { DETAIL_TEXTS } from '../item/detail-texts.ts';
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
import type { Entry, EntryStore } from '../reader/entry-store.ts';
import { MINUTE } from '../time/duration.ts';
import { type CandidateStory, groupStories, type StoryDeciders } from './choose.ts';
import type { CuratorStore, OpenDigest } from './curator-store.ts';
import { recordStep, type StepDependencies } from './item-step.ts';

/** Enough for the request of the next message to leave this process. */
const HEAD_START_MS = 3;

/** Collaborators of publishing, the same for every kind of pipeline. */
export interface PublishDependencies extends Omit<StepDependencies, 'ledger'> {
  readonly ledger: ItemStore;
  /** Records item steps under claims; `null` where the outbox records them together with the outcome of a message. */
  readonly claims: Ledger | null;
  readonly outbox: MessageStore;
  readonly owner: string;
  readonly publishers: readonly Publisher[];
  /** Enclosures of items: a ledger keeps none. */
  readonly entries: Pick<EntryStore, 'findByKeys'>;
  /** Woken when a message is to be retried. */
  readonly wakeUp?: Pick<WakeUpSignal, 'wake'>;
  /** Daily limits of destinations (X18). */
  readonly caps?: ReadonlyMap<string, DailyCap>;
  readonly restored?: RestoredPeriod;
  /** An item is published once it has a sent message for each of these; default: once all its messages are sent. */
  readonly requiredDestinations?: readonly string[];
  /** `defer`: an item whose message failed is retried with backoff, up to the retry limit (B10, B11). */
  readonly failedMessages?: 'defer';
}

export interface ComposeOptions {
  /** Shown with the message. */
  readonly note?: string;
  readonly signal?: AbortSignal;
  /** Default: all publishers of the pipeline. */
  readonly publishers?: readonly Publisher[];
}

/** Renders the messages that publish these items at every destination. */
export async function composeMessages(
  items: readonly ContentItem[],
  deps: Pick<PublishDependencies, 'pipeline' | 'publishers' | 'restored' | 'entries'>,
  { note, signal, publishers = deps.publishers }: ComposeOptions = {},
): Promise<NewMessage[]> {
  await Promise.all(publishers.map((publisher) => publisher.prepare?.(signal)));
  const takesEnclosures = ({ abilities }: Publisher): boolean => abilities.takesEnclosures ?? false;
  const complete = publishers.some(takesEnclosures) ? await withEnclosures(items, deps.entries) : items;
  return publishers.flatMap((publisher) =>
    groupItems(
      takesEnclosures(publisher) ? complete : items,
      publisher.abilities.itemsPerMessage,
      deps.restored,
    ).map((group) => {
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

/** A failure of the reader's store blocks no publication; polling reports it. */
async function withEnclosures(
  items: readonly ContentItem[],
  entries: Pick<EntryStore, 'findByKeys'>,
): Promise<readonly ContentItem[]> {
  const keys = items.map(({ item }) => item.key);
  const found = await entries.findByKeys(keys).catch(() => new Map<ItemKey, Entry>());
  return items.map((one) => {
    const { enclosures = [] } = found.get(one.item.key) ?? {};
    return enclosures.length === 0 ? one : { ...one, enclosures };
  });
}

/**
 * Sends all due messages, each destination independently so that none delays another, and finishes the items of sent
 * messages while the next message is being sent. `claimed` are messages created in state `sending`: they go first.
 * Returns the items that changed.
 */
export async function dispatchDue(
  deps: PublishDependencies,
  signal?: AbortSignal,
  onFinished: (keys: readonly ItemKey[]) => void = () => {},
  claimed: readonly ClaimedMessage[] = [],
): Promise<ReadonlySet<ItemKey>> {
  const changed = new Set<ItemKey>();
  const { restored, ledger, outbox, clock, owner, wakeUp, caps, failedMessages } = deps;
  const sentBefore = restored && ((delivery: Delivery) => sentWithoutRecordSince(delivery, restored, ledger));
  const sending = { outbox, clock, owner, wakeUp, caps, failedMessages, sentBefore };
  const finishLater = async (keys: readonly ItemKey[]): Promise<void> => {
    // Let the request of the next message leave first.
    await pause(HEAD_START_MS);
    const finished = await finishItems(keys, deps);
    const now = deps.claims === null ? keys : [...finished.keys()];
    for (const key of now) changed.add(key);
    onFinished(now);
  };
  const drain = async (publisher: Publisher): Promise<void> => {
    let finishing = Promise.resolve();
    try {
      const first = claimed.find(({ delivery }) => delivery.destination === publisher.id) ?? null;
      for await (const done of dispatch(publisher, sending, signal, first)) {
        reportDelivery(done, deps);
        await finishing;
        finishing = finishLater(done.delivery.itemKeys);
        // Awaited before the next one; a rejection is not unhandled until then.
        finishing.catch(() => {});
      }
    } finally {
      await finishing;
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

/** Items that may have been published before a restore get a message each, so that each can be read back. */
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
 * The lifecycle event that the deliveries of an item add up to; `null` while one is in progress or a required
 * destination has none. The item is published when all that were not dropped are sent; one refused delivery fails it.
 */
export function eventForDeliveries(
  deliveries: readonly Delivery[],
  requiredDestinations: readonly string[] = [],
): LifecycleEvent | null {
  if (deliveries.length === 0 || requiredDestinations.some((id) => !hasMessageFor(id, deliveries)))
    return null;
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
  return { type: 'reject', reason: 'by_person', detail: DETAIL_TEXTS.all_dropped };
}

export function hasMessageFor(destination: string, deliveries: readonly Delivery[]): boolean {
  return deliveries.some((delivery) => delivery.destination === destination);
}

/**
 * Defers an item with a refused message or one of unknown outcome. The latter is not failed at the retry limit: it
 * may have been posted.
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

/** Counts the attempt once: an item that is deferred already stays so, or fails after its last attempt. */
function deferOnce(
  deferred: LifecycleEvent & { readonly type: 'defer' },
  { state, attempts }: Item,
  { policy }: PublishDependencies,
): LifecycleEvent | null {
  if (state === 'accepted') return deferred;
  if (deferred.keepTrying || attempts <= policy.retryLimit) return null;
  return { type: 'giveUp', reason: 'retry_limit', detail: `last: api_failed: ${deferred.detail}` };
}

/** Records the result of items whose messages are finished. Idempotent. Returns the items that changed. */
export async function finishItems(
  keys: Iterable<ItemKey>,
  deps: PublishDependencies,
): Promise<ReadonlyMap<ItemKey, LifecycleEvent>> {
  const finished = new Map<ItemKey, LifecycleEvent>();
  const { claims: ledger, pipeline, events, policy, clock } = deps;
  if (ledger === null) return finished;
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
        finished.set(key, next);
    }
  }
  return finished;
}

export function remoteIds(deliveries: readonly Delivery[]): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const d of deliveries) if (d.remoteId !== null) ids[`message:${d.destination}`] = d.remoteId;
  return ids;
}

/** Enqueues the missing messages of articles in open digests, for example for a newly configured destination. */
export async function addMissing(
  digests: readonly OpenDigest[],
  deps: PublishDependencies & {
    readonly store: CuratorStore;
    readonly settings: { readonly sameStory: boolean };
    readonly stories: StoryDeciders;
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
        ? (await groupStories(missing, [], deps.stories, signal)).fresh
        : missing.map((lead) => ({ lead, others: [] }));
      const contents = await Promise.all(stories.map((story) => contentItemOf(story, deps)));
      await deps.store.updateDigest(
        id,
        await composeMessages(contents, deps, { signal, publishers: [publisher] }),
      );
    }
}

/** A story as message content: its lead, and the other sources that carried it. */
export async function contentItemOf(
  { lead, others }: CandidateStory,
  { ledger }: { readonly ledger: Pick<ItemStore, 'sightings'> },
): Promise<ContentItem> {
  const sourceNames = (await ledger.sightings(lead.key)).map(({ sourceName }) => sourceName);
  const names = new Set([...others.map(({ sourceName }) => sourceName), ...sourceNames]);
  names.delete(lead.sourceName);
  return {
    item: lead,
    summary: lead.verdict?.summary ?? null,
    alsoSeenIn: [...names],
    others: others.map(({ key }) => key),
  };
}
