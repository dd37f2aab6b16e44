import type { Item } from '../item/item.ts';
import type { State } from '../item/lifecycle.ts';
import { OperationalError } from '../telemetry/errors.ts';
import type { ItemFilter, ItemStore } from './ledger.ts';

/** Whether an item matches a filter, its states aside. */
export function matchesFilter(item: Item, filter: ItemFilter): boolean {
  if (filter.reasons !== undefined && !filter.reasons.includes(item.reason)) return false;
  if (filter.sourceId !== undefined && item.sourceId !== filter.sourceId) return false;
  if (filter.text === undefined || filter.text === '') return true;
  const wanted = filter.text.toLowerCase();
  return [item.title, item.url, item.key].some((text) => text.toLowerCase().includes(wanted));
}

/** A cursor that no page returned. */
export class BadCursorError extends OperationalError {
  readonly kind = 'usage';
  override readonly name = 'BadCursorError';
  readonly cursor: string;

  constructor(cursor: string) {
    super(`"${cursor.slice(0, 80)}" is not a cursor of this list; start without one.`);
    this.cursor = cursor;
  }
}

/** The outbox cursor: the number of the last message. */
export function checkCursor(cursor: string | undefined): void {
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw new BadCursorError(cursor);
}

/**
 * Where the previous page ended: time of the last change, then the number of the item, then the name of its document where two
 * items may have one number.
 */
export interface ItemCursor {
  readonly at: number;
  readonly id: number;
  readonly name?: string;
}

/** A longer name is omitted: the API accepts cursors of up to 2,000 characters. */
const MAX_NAME_LENGTH = 1_400;

/** Cursors of earlier versions have no name. */
export function parseItemCursor(cursor: string | undefined): ItemCursor {
  if (cursor === undefined) return { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };
  const parts = /^(-?\d{1,16})\.(\d{1,16})(?:~([\w-]{1,2000}))?$/.exec(cursor);
  if (parts === null) throw new BadCursorError(cursor);
  const [, at, id, name] = parts;
  return {
    at: Number(at),
    id: Number(id),
    ...(name !== undefined && { name: Buffer.from(name, 'base64url').toString() }),
  };
}

export function formatItemCursor({ at, id, name = '' }: ItemCursor): string {
  const end =
    name === '' || name.length > MAX_NAME_LENGTH ? '' : `~${Buffer.from(name).toString('base64url')}`;
  return `${at}.${id}${end}`;
}

/** All items of a state, or those that changed since a time. */
export async function allItems(ledger: Pick<ItemStore, 'list'>, state: State, since = 0): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await ledger.list({ states: [state], limit: 200, ...(cursor !== undefined && { cursor }) });
    found.push(...page.items.filter(({ checkedAt }) => checkedAt >= since));
    // Newest change first, so the first older one ends the search.
    cursor = page.items.some(({ checkedAt }) => checkedAt < since) ? undefined : (page.next ?? undefined);
  } while (cursor !== undefined);
  return found;
}
