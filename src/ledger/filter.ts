import type { Item } from '../item/item.ts';
import type { ItemFilter } from './ledger.ts';

/** Whether an item passes what a filter says besides its states. */
export function matches(item: Item, filter: ItemFilter): boolean {
  if (filter.reasons !== undefined && !filter.reasons.includes(item.reason)) return false;
  if (filter.sourceId !== undefined && item.sourceId !== filter.sourceId) return false;
  if (filter.text === undefined || filter.text === '') return true;
  const wanted = filter.text.toLowerCase();
  return [item.title, item.url, item.key].some((text) => text.toLowerCase().includes(wanted));
}

/** A cursor that none of our pages gave. */
export class BadCursorError extends Error {
  override readonly name = 'BadCursorError';
  readonly cursor: string;

  constructor(cursor: string) {
    super(`"${cursor.slice(0, 80)}" is not a cursor of this list; start without one.`);
    this.cursor = cursor;
  }
}

/** A cursor of the outbox is the number of the last message. */
export function checkCursor(cursor: string | undefined): void {
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw new BadCursorError(cursor);
}

/** Where the page before ended: time of the last change, then the number of the item. */
export function readCursor(cursor: string | undefined): { at: number; id: number } {
  if (cursor === undefined) return { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };
  const parts = /^(-?\d{1,16})\.(\d{1,16})$/.exec(cursor);
  if (parts === null) throw new BadCursorError(cursor);
  return { at: Number(parts[1]), id: Number(parts[2]) };
}

export function writeCursor({ at, id }: { readonly at: number; readonly id: number }): string {
  return `${at}.${id}`;
}
