import { REASONS, STATES, type State } from '../../../item/lifecycle.ts';
import { matches, readCursor, writeCursor } from '../../filter.ts';
import { isHeld, type ItemRecord as StoredItem } from '../../item-record.ts';
import type { ItemFilter, ItemPage, LedgerCounts } from '../../ledger.ts';
import { startBehindCursor } from '../pages.ts';
import type { ArticleShelf } from './shelf.ts';

const LOOKED_AT = 100;

/** Articles of three places in one order: those of this process, and those of the two collections. */
export async function list(shelf: ArticleShelf, filter: ItemFilter): Promise<ItemPage> {
  const from = readCursor(filter.cursor);
  const states = filter.states ?? STATES;
  const sieve = filter.reasons !== undefined || (filter.text ?? '') !== '';
  const asked = sieve ? Math.max(LOOKED_AT, filter.limit) : filter.limit;
  const nameOf = ({ item }: StoredItem): string => shelf.places.get(item.key)?.[1] ?? '';
  const newestFirst = (a: StoredItem, b: StoredItem): number =>
    b.item.checkedAt - a.item.checkedAt || b.nth - a.nth || compareNames(nameOf(b), nameOf(a));
  const isBehind = (stored: StoredItem): boolean => {
    const { item, nth } = stored;
    if (item.checkedAt !== from.at) return item.checkedAt < from.at;
    if (nth !== from.id || from.name === undefined) return nth < from.id;
    return compareNames(nameOf(stored), from.name) < 0;
  };
  const pageOf = (items: readonly StoredItem[], last: StoredItem | undefined): ItemPage => ({
    items: items.map(({ item }) => item),
    next:
      last === undefined ? null : writeCursor({ at: last.item.checkedAt, id: last.nth, name: nameOf(last) }),
  });
  const here = [...shelf.items.values()].filter(isBehind);
  const away = await Promise.all([
    // What Discord has and another destination refused lies there, too.
    states.includes('published') || states.includes('failed') ? page('notified') : [],
    states.includes('rejected') || states.includes('failed') ? page('rejected') : [],
  ]);
  // What another process has just settled may still be cached here in its earlier state.
  const settled = new Set(away.flat().map(({ item }) => item.key));
  const all = [...here.filter(({ item }) => !settled.has(item.key)), ...away.flat()].sort(newestFirst);
  // Behind the last of a full page there may be more of its collection, which has to come in its place.
  const end = away.filter((some) => some.length > asked).map((some) => some.at(-1));
  const sure = all.filter((stored) =>
    end.every((last) => last === undefined || newestFirst(stored, last) <= 0),
  );
  const items: StoredItem[] = [];
  for (const [index, stored] of sure.entries()) {
    if (!states.includes(stored.item.state) || !matches(stored.item, filter)) continue;
    items.push(stored);
    if (items.length === filter.limit && index + 1 < all.length) return pageOf(items, stored);
  }
  return pageOf(items, sure.length < all.length ? sure.at(-1) : undefined);

  async function page(home: 'notified' | 'rejected'): Promise<StoredItem[]> {
    const { listed, listedBySource } = shelf.queries[home];
    const [form, where] =
      filter.sourceId !== undefined
        ? [listedBySource, [filter.sourceId]]
        : home === 'notified' && !states.includes('published')
          ? [shelf.queries.notified.listedByState, ['failed']]
          : [listed, []];
    const found = await shelf.connection.query(form, {
      where,
      limit: asked + 1,
      ...(filter.cursor !== undefined && { startAfter: startBehindCursor(from) }),
    });
    return found.map((snapshot) => shelf.storedOf(snapshot, home));
  }
}

export async function hasMet(shelf: ArticleShelf, sourceId: string): Promise<boolean> {
  for (const { item, sightings } of shelf.items.values())
    if (item.sourceId === sourceId || sightings.some((sighted) => sighted.sourceId === sourceId)) return true;
  for (const home of ['notified', 'rejected'] as const) {
    const ask = { where: [sourceId], limit: 1 };
    if ((await shelf.connection.query(shelf.queries[home].listedBySource, ask)).length > 0) return true;
  }
  return shelf.metSources.has(sourceId);
}

/** As Firestore orders names of documents. */
function compareNames(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export async function counts(shelf: ArticleShelf): Promise<LedgerCounts> {
  const { connection, queries } = shelf;
  const byState = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>;
  const byReason: Partial<Record<(typeof REASONS)[number], number>> = {};
  const count = (state: State, reason: (typeof REASONS)[number], n: number): void => {
    byState[state] += n;
    if (n > 0) byReason[reason] = (byReason[reason] ?? 0) + n;
  };
  const here = [...shelf.items.values()];
  for (const { item } of here) count(item.state, item.reason, 1);
  const [published, refused, rejected, failed, ...reasons] = await Promise.all([
    connection.count(queries.notified.ofState, ['published']),
    connection.count(queries.notified.ofState, ['failed']),
    connection.count(queries.rejected.ofState, ['rejected']),
    connection.count(queries.rejected.ofState, ['failed']),
    ...REASONS.map((reason) => connection.count(queries.rejected.ofReason, [reason])),
  ]);
  count('published', 'none', published);
  count('failed', 'delivery_refused', refused);
  byState.rejected += rejected;
  byState.failed += failed;
  for (const [index, reason] of REASONS.entries()) {
    const n = reasons[index] ?? 0;
    if (n > 0) byReason[reason] = (byReason[reason] ?? 0) + n;
  }
  const open = here.filter(({ item }) => ['accepted', 'waiting', 'deferred'].includes(item.state));
  return {
    byState,
    byReason,
    leased: here.filter((stored) => isHeld(stored, shelf.clock.now())).length,
    oldestOpen: open.length === 0 ? null : Math.min(...open.map(({ item }) => item.checkedAt)),
    tombstones: shelf.graves.size,
  };
}
