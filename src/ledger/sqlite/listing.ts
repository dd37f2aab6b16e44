import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Item } from '../../item/item.ts';
import { OPEN_STATES, STATES, type State } from '../../item/lifecycle.ts';
import { summaryView } from '../../item/views.ts';
import type { Connection } from '../../sqlite/connection.ts';
import { LATEST_TIME } from '../check-sighting.ts';
import { matches, readCursor, writeCursor } from '../filter.ts';
import type { ItemFilter, ItemPage } from '../ledger.ts';
import { itemOf, SELECT_ITEM_BY_ID } from './rows.ts';
import { fromTimestamp, toTimestamp } from './timestamps.ts';

/** How many items are looked at between two turns of the event loop, and in one call at most. */
const PAGE = 250;
const MOST_LOOKED_AT = 10_000;

/** An open state is a status of its own, so the contract's index serves; the settled ones share one. */
const SELECT_OPEN = `SELECT id, last_checked_at AS at FROM items
  WHERE status = ? AND (last_checked_at, id) < (?, ?) ORDER BY last_checked_at DESC, id DESC LIMIT ?`;
const SELECT_SETTLED = `SELECT item_id AS id, settled_at AS at FROM standings
  WHERE state = ? AND settled_at IS NOT NULL AND (settled_at, item_id) < (?, ?)
  ORDER BY settled_at DESC, item_id DESC LIMIT ?`;

interface Place {
  readonly at: number;
  readonly id: number;
}

interface Found {
  readonly item: Item;
  readonly place: Place;
}

/** Newest change first. Each state is walked along its index; what no index knows is looked at item by item. */
export async function list(db: Connection, filter: ItemFilter): Promise<ItemPage> {
  const states = filter.states ?? STATES;
  const simple = filter.reasons === undefined && filter.sourceId === undefined && filter.text === undefined;
  const size = simple ? filter.limit + 1 : Math.max(PAGE, filter.limit + 1);
  const found: Found[] = [];
  let place: Place = readCursor(filter.cursor);
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += size) {
    if (looked > 0) await nextTurn();
    const from = place;
    const page = await db.read(() => readPage(db, states, from, size));
    for (const one of page) {
      if (one.item !== null && matches(one.item, filter)) found.push({ item: one.item, place: one.place });
      if (found.length > filter.limit) return pageOf(found.slice(0, -1), found.at(-2)?.place ?? from);
      place = one.place;
    }
    if (page.length < size) return pageOf(found, null);
  }
  return pageOf(found, place);
}

/** `null`: a row that another program wrote and that cannot be used, or one that it replaced. */
function readPage(
  db: Connection,
  states: readonly State[],
  from: Place,
  size: number,
): { readonly place: Place; readonly item: Item | null }[] {
  return states
    .flatMap((state) => placesOf(db, state, from, size))
    .sort((a, b) => b.at - a.at || b.id - a.id)
    .slice(0, size)
    .map((place) => {
      const row = db.get(SELECT_ITEM_BY_ID, place.id);
      return { place, item: row === undefined ? null : itemOf(row) };
    });
}

function placesOf(db: Connection, state: State, from: Place, size: number): Place[] {
  if (!OPEN_STATES.includes(state))
    return db
      .all(SELECT_SETTLED, state, from.at, from.id, size)
      .map((row) => ({ at: Number(row.at), id: Number(row.id) }));
  const { status } = summaryView({ state, reason: 'none' });
  const at = toTimestamp(Math.min(from.at, LATEST_TIME));
  return db
    .all(SELECT_OPEN, status, at, from.id, size)
    .map((row) => ({ at: fromTimestamp(String(row.at)) ?? 0, id: Number(row.id) }));
}

function pageOf(found: readonly Found[], last: Place | null): ItemPage {
  return { items: found.map(({ item }) => item), next: last === null ? null : writeCursor(last) };
}
