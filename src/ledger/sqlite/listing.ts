import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Item } from '../../item/item.ts';
import { STATES, type State } from '../../item/lifecycle.ts';
import type { Connection, Row } from '../../sqlite/connection.ts';
import { matches, readCursor, writeCursor } from '../filter.ts';
import type { ItemFilter, ItemPage } from '../ledger.ts';
import { itemOf, SELECT_ITEM } from './rows.ts';

/** How many items are looked at between two turns of the event loop, and in one call at most. */
const PAGE = 250;
const MOST_LOOKED_AT = 10_000;

const SELECT_PAGE = `SELECT item_id, checked_at FROM standings
  WHERE state = ? AND (checked_at, item_id) < (?, ?) ORDER BY checked_at DESC, item_id DESC LIMIT ?`;

interface Place {
  readonly at: number;
  readonly id: number;
}

/** Newest change first. Each state is walked along its index; what no index knows is looked at item by item. */
export async function list(db: Connection, filter: ItemFilter): Promise<ItemPage> {
  const states = filter.states ?? STATES;
  const simple = filter.reasons === undefined && filter.sourceId === undefined && filter.text === undefined;
  const size = simple ? filter.limit + 1 : Math.max(PAGE, filter.limit + 1);
  const items: { readonly item: Item; readonly place: Place }[] = [];
  let place: Place = readCursor(filter.cursor);
  for (let looked = 0; looked < MOST_LOOKED_AT; looked += size) {
    if (looked > 0) await nextTurn();
    const from = place;
    const found = await db.read(() => page(db, states, from, size));
    for (const one of found) {
      if (matches(one.item, filter)) items.push(one);
      if (items.length > filter.limit)
        return pageOf(items.slice(0, filter.limit), items[filter.limit - 1]?.place);
      place = one.place;
    }
    if (found.length < size) return pageOf(items, undefined);
  }
  return pageOf(items, place);
}

function page(db: Connection, states: readonly State[], from: Place, size: number) {
  return states
    .flatMap((state) => db.all(SELECT_PAGE, state, from.at, from.id, size))
    .map((row): Place => ({ at: Number(row.checked_at), id: Number(row.item_id) }))
    .sort((a, b) => b.at - a.at || b.id - a.id)
    .slice(0, size)
    .map((place) => ({
      place,
      item: itemOf(there(db.get(`${SELECT_ITEM} WHERE i.id = ?`, place.id), place)),
    }));
}

function there(row: Row | undefined, place: Place): Row {
  if (row === undefined) throw new Error(`Item ${place.id} has a standing and is not there.`);
  return row;
}

function pageOf(items: readonly { readonly item: Item }[], last: Place | undefined): ItemPage {
  return { items: items.map(({ item }) => item), next: last === undefined ? null : writeCursor(last) };
}
