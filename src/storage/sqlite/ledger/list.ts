import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Item } from '../../../item/item.ts';
import { OPEN_STATES, type Reason, STATES, type State } from '../../../item/lifecycle.ts';
import { summaryView } from '../../../item/views.ts';
import { formatItemCursor, matchesFilter, parseItemCursor } from '../../../ledger/filter.ts';
import type { ItemFilter, ItemPage, LedgerCounts } from '../../../ledger/ledger.ts';
import { MAX_TIME } from '../../../ledger/validation.ts';
import type { Connection } from '../connection.ts';
import { fromTimestamp, itemOf, SELECT_ITEM_BY_ID, toTimestamp } from './rows.ts';

/** How many items are read per event-loop iteration, and in one call at most. */
const PAGE_SIZE = 250;
const MAX_SCANNED = 10_000;

/** An open state has its own status, so that the contract's index applies; the terminal states share one. */
const SELECT_OPEN = `SELECT id, last_checked_at AS at FROM items
  WHERE status = ? AND (last_checked_at, id) < (?, ?) ORDER BY last_checked_at DESC, id DESC LIMIT ?`;
const SELECT_SETTLED = `SELECT item_id AS id, settled_at AS at FROM standings
  WHERE state = ? AND settled_at IS NOT NULL AND (settled_at, item_id) < (?, ?)
  ORDER BY settled_at DESC, item_id DESC LIMIT ?`;

interface ListPosition {
  readonly at: number;
  readonly id: number;
}

interface ListedItem {
  readonly item: Item;
  readonly place: ListPosition;
}

/** Newest change first. Each state is read by its index; filters without an index are applied item by item. */
export async function list(db: Connection, filter: ItemFilter): Promise<ItemPage> {
  const states = filter.states ?? STATES;
  const simple = filter.reasons === undefined && filter.sourceId === undefined && filter.text === undefined;
  const size = simple ? filter.limit + 1 : Math.max(PAGE_SIZE, filter.limit + 1);
  const found: ListedItem[] = [];
  let place: ListPosition = parseItemCursor(filter.cursor);
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += size) {
    if (scanned > 0) await nextTurn();
    const from = place;
    const page = await db.read(() => readPage(db, states, from, size));
    for (const one of page) {
      if (one.item !== null && matchesFilter(one.item, filter))
        found.push({ item: one.item, place: one.place });
      if (found.length > filter.limit) return pageOf(found.slice(0, -1), found.at(-2)?.place ?? from);
      place = one.place;
    }
    if (page.length < size) return pageOf(found, null);
  }
  return pageOf(found, place);
}

/** `null` for an unusable row of another program, or one that it replaced. */
function readPage(
  db: Connection,
  states: readonly State[],
  from: ListPosition,
  size: number,
): { readonly place: ListPosition; readonly item: Item | null }[] {
  return states
    .flatMap((state) => positionsOf(db, state, from, size))
    .sort((a, b) => b.at - a.at || b.id - a.id)
    .slice(0, size)
    .map((place) => {
      const row = db.get(SELECT_ITEM_BY_ID, place.id);
      return { place, item: row === undefined ? null : itemOf(row) };
    });
}

function positionsOf(db: Connection, state: State, from: ListPosition, size: number): ListPosition[] {
  if (!OPEN_STATES.includes(state))
    return db
      .all(SELECT_SETTLED, state, from.at, from.id, size)
      .map((row) => ({ at: Number(row.at), id: Number(row.id) }));
  const { status } = summaryView({ state, reason: 'none' });
  const at = toTimestamp(Math.min(from.at, MAX_TIME));
  return db
    .all(SELECT_OPEN, status, at, from.id, size)
    .map((row) => ({ at: fromTimestamp(String(row.at)) ?? 0, id: Number(row.id) }));
}

function pageOf(found: readonly ListedItem[], last: ListPosition | null): ItemPage {
  return { items: found.map(({ item }) => item), next: last === null ? null : formatItemCursor(last) };
}

/** Reads only tallies, claims and the ends of indexes: independent of the number of items. */
export function counts(db: Connection, now: number): LedgerCounts {
  const byState = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>;
  const byReason: Partial<Record<Reason, number>> = {};
  let tombstones = 0;
  for (const row of db.all('SELECT state, reason, n FROM tallies')) {
    const n = Number(row.n);
    if (row.state === 'tombstone') tombstones += n;
    else {
      byState[row.state as State] += n;
      if (n > 0) byReason[row.reason as Reason] = (byReason[row.reason as Reason] ?? 0) + n;
    }
  }
  const leased = db.get('SELECT count(*) AS n FROM claims WHERE claimed_until > ?', now);
  const oldest = db.get(
    `SELECT (SELECT min(last_checked_at) FROM items WHERE status = 0) AS waiting,
       (SELECT min(last_checked_at) FROM items WHERE status = 1) AS deferred,
       (SELECT min(last_checked_at) FROM items WHERE status = 2) AS accepted`,
  );
  const times = [oldest?.waiting, oldest?.deferred, oldest?.accepted].flatMap(
    (time) => fromTimestamp(String(time)) ?? [],
  );
  return {
    byState,
    byReason,
    leased: Number(leased?.n ?? 0),
    oldestOpen: times.length === 0 ? null : Math.min(...times),
    tombstones,
  };
}
