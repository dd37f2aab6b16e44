import { STATES } from '../../../item/lifecycle.ts';
import { formatItemCursor, matchesFilter, parseItemCursor } from '../../../ledger/filter.ts';
import type { ItemRecord } from '../../../ledger/item-record.ts';
import type { ItemFilter, ItemPage } from '../../../ledger/ledger.ts';
import { hashOf } from '../ledger/document.ts';
import { startAfterCursor } from '../ledger/queries.ts';
import type { PlacedArticle } from './articles.ts';
import type { CuratorDependencies, UnrecordedArticles } from './store.ts';

/** Page size for filters that Firestore cannot apply itself. */
const MIN_FILTERED_PAGE = 100;

interface Listed {
  readonly stored: ItemRecord;
  /** ID of its document, the tie-breaker for equal time and number. */
  readonly name: string;
}

/** Articles of three places in one order: those not in a terminal state, and those of the two collections. */
export async function listArticles(
  { connection, queries, articles }: CuratorDependencies,
  filter: ItemFilter,
  readUnrecorded: () => Promise<UnrecordedArticles>,
): Promise<ItemPage> {
  const from = parseItemCursor(filter.cursor);
  const states = filter.states ?? STATES;
  const isFilteredHere = filter.reasons !== undefined || (filter.text ?? '') !== '';
  const pageSize = isFilteredHere ? Math.max(MIN_FILTERED_PAGE, filter.limit) : filter.limit;
  const isAfterCursor = ({ stored: { item, nth }, name }: Listed): boolean => {
    if (item.checkedAt !== from.at) return item.checkedAt < from.at;
    if (nth !== from.id || from.name === undefined) return nth < from.id;
    return compareNames(name, from.name) < 0;
  };
  const isUnrecordedRequested = states.some((state) => state !== 'published' && state !== 'rejected');
  const unrecorded = isUnrecordedRequested ? await readUnrecorded() : { open: [], baselines: [] };
  const unrecordedListed = [...unrecorded.open, ...unrecorded.baselines]
    .map((stored) => ({ stored, name: hashOf(stored.item.key) }))
    .filter(isAfterCursor);
  const recordedPages = await Promise.all([
    // Includes articles that Discord has and another destination refused.
    states.includes('published') || states.includes('failed') ? page('notified') : [],
    states.includes('rejected') || states.includes('failed') ? page('rejected') : [],
  ]);
  // A run removes judged articles from the waiting ones only when it ends.
  const recorded = new Set(recordedPages.flat().map(({ stored }) => stored.item.key));
  const all = [
    ...unrecordedListed.filter(({ stored }) => !recorded.has(stored.item.key)),
    ...recordedPages.flat(),
  ].sort(newestFirst);
  // A full page may be followed by more of its collection, which precede the rest of the others.
  const ends = recordedPages.filter((some) => some.length > pageSize).flatMap((some) => some.at(-1) ?? []);
  const complete = all.filter((listed) => ends.every((last) => newestFirst(listed, last) <= 0));
  const found: Listed[] = [];
  for (const [index, listed] of complete.entries()) {
    const { item } = listed.stored;
    if (!states.includes(item.state) || !matchesFilter(item, filter)) continue;
    found.push(listed);
    if (found.length === filter.limit && index + 1 < all.length) return pageOf(found, listed);
  }
  return pageOf(found, complete.length < all.length ? complete.at(-1) : undefined);

  async function page(home: 'notified' | 'rejected'): Promise<Listed[]> {
    const { listed, listedBySource } = queries[home];
    const [form, where] =
      filter.sourceId !== undefined
        ? [listedBySource, [filter.sourceId]]
        : home === 'notified' && !states.includes('published')
          ? [queries.notified.listedByState, ['failed']]
          : [listed, []];
    const snapshots = await connection.query(form, {
      where,
      limit: pageSize + 1,
      ...(filter.cursor !== undefined && { startAfter: startAfterCursor(from) }),
    });
    return snapshots.map((snapshot) => listedOf(articles.read(snapshot, home)));
  }
}

function listedOf({ stored, at: [, name] }: PlacedArticle): Listed {
  return { stored, name };
}

function newestFirst(a: Listed, b: Listed): number {
  const byTime = b.stored.item.checkedAt - a.stored.item.checkedAt;
  return byTime || b.stored.nth - a.stored.nth || compareNames(b.name, a.name);
}

function pageOf(found: readonly Listed[], last: Listed | undefined): ItemPage {
  const next = last && { at: last.stored.item.checkedAt, id: last.stored.nth, name: last.name };
  return {
    items: found.map(({ stored }) => stored.item),
    next: next === undefined ? null : formatItemCursor(next),
  };
}

/** In Firestore's order of document names. */
function compareNames(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
