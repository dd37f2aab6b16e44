import type { Write } from '../../../firestore/connection.ts';
import type { ItemKey } from '../../../item/item.ts';
import type { State } from '../../../item/lifecycle.ts';
import type { ItemRecord as StoredItem } from '../../item-record.ts';
import type { SweepPlan, SweepReport } from '../../ledger.ts';
import { leavesTombstone, limitsOf } from '../../sweep-plan.ts';
import { startBehind } from '../pages.ts';
import type { ArticleShelf } from './shelf.ts';

const PAGE = 150;

type EndMessages = (
  keys: readonly ItemKey[],
) => Promise<{ readonly busy: ReadonlySet<ItemKey>; readonly writes: readonly Write[] }>;

/** Retention (A14): page by page, each page all or nothing, its tombstones in one document. */
export async function sweep(
  shelf: ArticleShelf,
  plan: SweepPlan,
  endMessages: EndMessages,
): Promise<SweepReport> {
  const now = shelf.clock.now();
  const swept: Partial<Record<State, number>> = {};
  let done = 0;
  for (const { state, before } of limitsOf(plan, now)) {
    for await (const page of pagesOf(shelf, state, before)) {
      if (plan.signal?.aborted) return { swept, tombstonesRemoved: 0, complete: false };
      const ended = await sweepPage(shelf, page, plan, now, endMessages);
      if (ended === 0) continue;
      swept[state] = (swept[state] ?? 0) + ended;
      done += ended;
      plan.onProgress?.(done);
    }
  }
  if (plan.signal?.aborted) return { swept, tombstonesRemoved: 0, complete: false };
  const over = [...shelf.graves].filter(([, { sweptAt }]) => sweptAt < now - plan.keepTombstones);
  const gone = new Set(over.map(([key]) => key));
  if (!plan.dryRun && gone.size > 0) await shelf.forgetRemembered((key) => gone.has(key));
  return { swept, tombstonesRemoved: gone.size, complete: true };
}

async function* pagesOf(shelf: ArticleShelf, state: State, before: number): AsyncGenerator<StoredItem[]> {
  const here = [...shelf.items.values()].filter(
    ({ item }) => item.state === state && item.checkedAt < before,
  );
  for (let from = 0; from < here.length; from += PAGE) yield here.slice(from, from + PAGE);
  const home = state === 'published' ? 'notified' : 'rejected';
  if (state !== 'published' && state !== 'rejected' && state !== 'failed') return;
  let startAfter: readonly unknown[] | undefined;
  for (;;) {
    const found = await shelf.connection.query(shelf.queries[home].old, {
      where: [new Date(before)],
      limit: PAGE,
      ...(startAfter !== undefined && { startAfter }),
    });
    const stored = found.map((snapshot) => shelf.storedOf(snapshot, home));
    // What has no text and failed lies beside what was rejected.
    yield stored.filter(({ item }) => home === 'notified' || item.state === state);
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE) return;
    startAfter = startBehind(last, shelf.queries[home].old);
  }
}

async function sweepPage(
  shelf: ArticleShelf,
  page: readonly StoredItem[],
  plan: SweepPlan,
  now: number,
  endMessages: EndMessages,
): Promise<number> {
  if (page.length === 0) return 0;
  const { busy, writes } = await endMessages(page.map(({ item }) => item.key));
  const ends = page.filter(({ item }) => !busy.has(item.key));
  if (plan.dryRun || ends.length === 0) return ends.length;
  await shelf.metSources.addFrom(ends);
  const deletes = ends.flatMap(({ item }): Write[] => {
    const at = shelf.places.get(item.key);
    return at === undefined ? [] : [{ do: 'delete', at }];
  });
  const graves = ends
    .filter(({ item }) => leavesTombstone(plan, item))
    .map(({ item }) => [item.key, { state: item.state, sweptAt: now }] as const);
  const all = [...deletes, ...writes];
  if (graves.length > 0) await shelf.remember([], graves, all);
  else await shelf.connection.commit(all);
  const baselines = new Set(ends.filter(({ item }) => item.state === 'baseline').map(({ item }) => item.key));
  if (baselines.size > 0) await shelf.forgetRemembered((key) => baselines.has(key) && !shelf.graves.has(key));
  for (const { item } of ends) shelf.drop(item.key);
  return ends.length;
}
