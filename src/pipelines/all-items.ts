import type { Item } from '../item/item.ts';
import type { State } from '../item/lifecycle.ts';
import type { ItemStore } from '../ledger/ledger.ts';

/** All items of a state, or those that changed since a time. */
export async function allItems(ledger: Pick<ItemStore, 'list'>, state: State, since = 0): Promise<Item[]> {
  const found: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await ledger.list({ states: [state], limit: 200, ...(cursor !== undefined && { cursor }) });
    found.push(...page.items.filter(({ checkedAt }) => checkedAt >= since));
    // Newest change first: from the first older one on, all are older.
    cursor = page.items.some(({ checkedAt }) => checkedAt < since) ? undefined : (page.next ?? undefined);
  } while (cursor !== undefined);
  return found;
}
