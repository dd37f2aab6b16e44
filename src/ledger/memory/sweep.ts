import type { State } from '../../item/lifecycle.ts';
import { OPEN_DELIVERIES } from '../../press/outbox.ts';
import type { SweepPlan, SweepReport } from '../ledger.ts';
import { leavesTombstone, limitsOf } from '../sweep-plan.ts';
import { type Entry, type MemoryStore, messagesOf } from './store.ts';

export function sweep(store: MemoryStore, plan: SweepPlan, now: number): SweepReport {
  const swept: Partial<Record<State, number>> = {};
  let done = 0;
  for (const { state, before } of limitsOf(plan, now)) {
    const old = [...store.items.values()].filter(
      (entry) => entry.item.state === state && entry.item.checkedAt < before && !hasMoreToSay(store, entry),
    );
    for (const entry of old) {
      if (plan.signal?.aborted) return { swept, tombstonesRemoved: 0, complete: false };
      if (!plan.dryRun) end(store, entry, plan, now);
      swept[state] = (swept[state] ?? 0) + 1;
      plan.onProgress?.(++done);
    }
  }
  const graves = [...store.tombstones].filter(([, { sweptAt }]) => sweptAt < now - plan.keepTombstones);
  if (plan.signal?.aborted) return { swept, tombstonesRemoved: 0, complete: false };
  if (!plan.dryRun) for (const [key] of graves) store.tombstones.delete(key);
  return { swept, tombstonesRemoved: graves.length, complete: true };
}

function hasMoreToSay(store: MemoryStore, entry: Entry): boolean {
  return messagesOf(store, entry.item.key).some(
    ({ delivery }) => delivery.state === 'parked' || OPEN_DELIVERIES.includes(delivery.state),
  );
}

function end(store: MemoryStore, { item, sightings }: Entry, plan: SweepPlan, now: number): void {
  for (const { sourceId } of sightings) store.metSources.add(sourceId);
  store.items.delete(item.key);
  for (const message of messagesOf(store, item.key)) {
    const itemKeys = message.delivery.itemKeys.filter((key) => key !== item.key);
    message.delivery = { ...message.delivery, itemKeys };
    if (itemKeys.length === 0) store.messages.delete(message.delivery.key);
  }
  if (leavesTombstone(plan, item)) store.tombstones.set(item.key, { state: item.state, sweptAt: now });
}
