import { DETAIL_TEXTS } from '../item/detail-texts.ts';
import type { Item, ItemKey } from '../item/item.ts';
import { advance, type LifecycleEvent } from '../item/lifecycle.ts';
import { allItems } from '../ledger/filter.ts';
import type { ItemStore, Ledger } from '../ledger/ledger.ts';
import { MESSAGE_LEASE_MS, type MessageStore } from '../outbox/outbox.ts';
import type { WakeUpSignal } from '../outbox/wake-up.ts';
import { type CorrectedTimes, isFuture, type LeaseWatch } from '../time/clock.ts';
import type { CuratorStore } from './curator-store.ts';
import { recordStep, type StepDependencies } from './item-step.ts';

export interface CorrectTimesDependencies extends Omit<StepDependencies, 'ledger'> {
  readonly ledger: Pick<ItemStore, 'list'>;
  /** Records item steps under claims; `null` where `curator` records them. */
  readonly claims: Ledger | null;
  readonly curator: CuratorStore | null;
  readonly outbox: Pick<MessageStore, 'correctFutureTimes'>;
  readonly destinations: readonly string[];
  readonly owner: string;
  readonly leaseMs: number;
  /** Woken when the time of a message was corrected. */
  readonly wakeUp?: Pick<WakeUpSignal, 'wake'>;
  /** Keeps state between calls: pass the same instance each time. */
  readonly leases: LeaseWatch;
}

/**
 * Corrects timestamps recorded while the clock was ahead: leases of dead workers on claims and messages, and due
 * times of items and messages.
 */
export async function correctFutureTimes(deps: CorrectTimesDependencies): Promise<CorrectedTimes> {
  const { outbox, destinations, leaseMs, leases } = deps;
  const none: CorrectedTimes = { corrected: 0, watched: 0 };
  const claims = (await deps.claims?.expireStalledClaims(leaseMs, leases)) ?? none;
  const items = await correctItems(deps);
  const messages = await outbox.correctFutureTimes(destinations, MESSAGE_LEASE_MS, leases);
  if (messages.corrected > 0) deps.wakeUp?.wake();
  return {
    corrected: claims.corrected + items + messages.corrected,
    watched: claims.watched + messages.watched,
  };
}

/** Restarts the wait of postponed and deferred items from now. Returns how many were corrected. */
async function correctItems(deps: CorrectTimesDependencies): Promise<number> {
  const { ledger, clock } = deps;
  // The list starts with the newest change: usually this one read shows that there is nothing to correct.
  const [newest] = (await ledger.list({ limit: 1 })).items;
  if (newest === undefined || !isFuture(newest.checkedAt, clock.now())) return 0;
  let corrected = 0;
  for (const state of ['deferred', 'accepted', 'waiting'] as const)
    for (const { key, checkedAt, dueAt, reason } of await recordedAhead(state, deps)) {
      if (dueAt === null || dueAt <= clock.now()) continue;
      const until = clock.now() + Math.max(0, dueAt - checkedAt);
      if (await postpone(key, until, reason, deps)) corrected++;
    }
  return corrected;
}

async function postpone(
  key: ItemKey,
  until: number,
  reason: Item['reason'],
  deps: CorrectTimesDependencies,
): Promise<boolean> {
  const { claims, curator, pipeline, events, clock, policy, owner, leaseMs } = deps;
  const eventFor = ({ detail }: Item): LifecycleEvent => ({
    type: 'postpone',
    until,
    reason,
    detail: detail ?? DETAIL_TEXTS.clock_ahead,
  });
  if (claims !== null) {
    const claim = await claims.claim(key, { owner, leaseMs, early: true });
    if (claim === null) return false;
    const step = { pipeline, events, policy, clock, ledger: claims };
    return (await recordStep(claim, eventFor(claim.item), step)) === 'recorded';
  }
  const article = (await curator?.article(key)) ?? null;
  if (curator === null || article === null) return false;
  const next = advance(article.item, eventFor(article.item), clock.now(), policy);
  if (!next.allowed) return false;
  const saved = await curator.saveVerdict(article, next.transition);
  if (saved.outcome === 'kept') await curator.updatePending({ judged: [], postponed: [saved.article] });
  return saved.outcome !== 'lost';
}

async function recordedAhead(
  state: 'deferred' | 'accepted' | 'waiting',
  { ledger, clock }: CorrectTimesDependencies,
): Promise<readonly Item[]> {
  const now = clock.now();
  return (await allItems(ledger, state, now)).filter(({ checkedAt }) => isFuture(checkedAt, now));
}
