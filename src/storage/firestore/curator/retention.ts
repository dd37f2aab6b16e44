import type { ItemKey } from '../../../item/item.ts';
import type { State } from '../../../item/lifecycle.ts';
import type { ItemRecord } from '../../../ledger/item-record.ts';
import type { SweepPlan, SweepReport } from '../../../ledger/ledger.ts';
import { leavesTombstone, sweepLimits } from '../../../ledger/sweep-plan.ts';
import { OPEN_DELIVERIES } from '../../../outbox/outbox.ts';
import type { Write } from '../connection.ts';
import { startAfterDocument } from '../ledger/queries.ts';
import type { PlacedArticle } from './articles.ts';
import { type Digest, inChunks } from './documents.ts';
import type { CuratorDependencies } from './store.ts';

const PAGE_SIZE = 150;

/** Retention (A14): page by page, each page all or nothing, its tombstones in one document. */
export async function sweepArticles(deps: CuratorDependencies, plan: SweepPlan): Promise<SweepReport> {
  const now = deps.clock.now();
  const swept: Partial<Record<State, number>> = {};
  let done = 0;
  for (const { state, before } of sweepLimits(plan, now)) {
    const sweepPages =
      state === 'baseline' ? sweepBaselines(deps, before, plan) : sweepState(deps, state, before, plan);
    for await (const count of sweepPages) {
      if (count === 0) continue;
      swept[state] = (swept[state] ?? 0) + count;
      done += count;
      plan.onProgress?.(done);
    }
    if (plan.signal?.aborted) return { swept, tombstonesRemoved: 0, complete: false };
  }
  const { tombstones } = await deps.remembered.read();
  const old = [...tombstones].filter(([, { sweptAt }]) => sweptAt < now - plan.keepTombstones);
  const expired = new Set(old.map(([key]) => key));
  if (!plan.dryRun && expired.size > 0)
    await deps.remembered.remove((key, kind) => kind === 'tombstone' && expired.has(key));
  return { swept, tombstonesRemoved: expired.size, complete: true };
}

/** Returns how many of each page were swept. */
async function* sweepState(
  deps: CuratorDependencies,
  state: State,
  before: number,
  plan: SweepPlan,
): AsyncGenerator<number> {
  for await (const page of pagesOf(deps, state, before)) {
    if (plan.signal?.aborted) return;
    yield await sweepPage(deps, page, plan);
  }
}

async function* pagesOf(
  deps: CuratorDependencies,
  state: State,
  before: number,
): AsyncGenerator<PlacedArticle[]> {
  const candidates = await deps.articles.allCandidates([state]);
  yield* inChunks(
    candidates.filter(({ stored }) => stored.item.checkedAt < before),
    PAGE_SIZE,
  );
  if (state !== 'published' && state !== 'rejected' && state !== 'failed') return;
  const home = state === 'published' ? 'notified' : 'rejected';
  const { old } = deps.queries[home];
  let startAfter: readonly unknown[] | undefined;
  for (;;) {
    const found = await deps.connection.query(old, {
      where: [new Date(before)],
      limit: PAGE_SIZE,
      ...(startAfter !== undefined && { startAfter }),
    });
    const placed = found.map((snapshot) => deps.articles.read(snapshot, home));
    // Failed articles without a text are stored beside rejected ones.
    yield placed.filter(({ stored }) => home === 'notified' || stored.item.state === state);
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE_SIZE) return;
    startAfter = startAfterDocument(last, old);
  }
}

async function sweepPage(
  deps: CuratorDependencies,
  page: readonly PlacedArticle[],
  plan: SweepPlan,
): Promise<number> {
  if (page.length === 0) return 0;
  const digests = await deps.digests.ofItems(page.map(({ stored }) => stored.item.key));
  const busy = new Set(digests.flatMap(busyIn));
  const swept = page.filter(({ stored }) => !busy.has(stored.item.key));
  if (plan.dryRun || swept.length === 0) return swept.length;
  const items = swept.map(({ stored }) => stored);
  await deps.seenSources.addFrom(items);
  const keys = new Set(items.map(({ item }) => item.key));
  const writes: Write[] = [
    ...swept.map(({ at }): Write => ({ do: 'delete', at })),
    ...digests.flatMap((digest) => withoutSwept(digest, keys, deps)),
  ];
  const tombstones = tombstonesOf(items, plan, deps.clock.now());
  if (tombstones.length > 0) await deps.remembered.add([], tombstones, writes);
  else await deps.connection.commit(writes);
  return swept.length;
}

async function* sweepBaselines(
  deps: CuratorDependencies,
  before: number,
  plan: SweepPlan,
): AsyncGenerator<number> {
  const { baselines } = await deps.remembered.read();
  const old = [...baselines.values()].filter(({ item }) => item.checkedAt < before);
  for (const page of inChunks(old, PAGE_SIZE)) {
    if (plan.signal?.aborted) return;
    if (!plan.dryRun) {
      await deps.seenSources.addFrom(page);
      const tombstones = tombstonesOf(page, plan, deps.clock.now());
      if (tombstones.length > 0) await deps.remembered.add([], tombstones);
      const keys = new Set(page.map(({ item }) => item.key));
      await deps.remembered.remove((key, kind) => kind === 'baseline' && keys.has(key));
    }
    yield page.length;
  }
}

function tombstonesOf(items: readonly ItemRecord[], plan: SweepPlan, sweptAt: number) {
  return items
    .filter(({ item }) => leavesTombstone(plan, item))
    .map(({ item }) => [item.key, { state: item.state, sweptAt }] as const);
}

/** Items of messages that are in delivery, or wait for a person. */
function busyIn({ articles, messages }: Digest): ItemKey[] {
  const unfinished = messages.filter(
    ({ delivery }) => delivery.state === 'parked' || OPEN_DELIVERIES.includes(delivery.state),
  );
  return [
    ...articles.map(({ item }) => item.key),
    ...unfinished.flatMap(({ delivery }) => delivery.itemKeys),
  ];
}

/** The digest without swept items: its messages are removed with the last of their items. */
function withoutSwept(
  digest: Digest,
  swept: ReadonlySet<ItemKey>,
  { names, digests }: CuratorDependencies,
): Write[] {
  const messages = digest.messages.flatMap((message) => {
    const { delivery } = message;
    const itemKeys = delivery.itemKeys.filter((key) => !swept.has(key));
    if (itemKeys.length === delivery.itemKeys.length) return [message];
    return itemKeys.length === 0 ? [] : [{ ...message, delivery: { ...delivery, itemKeys } }];
  });
  if (messages.length === 0) return [{ do: 'delete', at: [names.outbox, digest.id] }];
  return [digests.set({ ...digest, messages })];
}
