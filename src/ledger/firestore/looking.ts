import type { QueryForm } from '../../firestore/query.ts';
import type { Item } from '../../item/item.ts';
import { REASONS, STATES, type State } from '../../item/lifecycle.ts';
import { matches, readCursor, writeCursor } from '../filter.ts';
import type { ItemRecord } from '../item-record.ts';
import type { ItemFilter, ItemPage, LedgerCounts } from '../ledger.ts';
import { storedOf } from './document.ts';
import { startBehindCursor } from './pages.ts';
import type { LedgerStore } from './store.ts';

/** A filter that Firestore cannot apply by itself is applied to so many at a time. */
const LOOKED_AT = 100;

export async function list(store: LedgerStore, filter: ItemFilter): Promise<ItemPage> {
  const from = readCursor(filter.cursor);
  if (filter.states?.length === 0) return { items: [], next: null };
  const sieve = filter.reasons !== undefined || (filter.text ?? '') !== '';
  const asked = sieve ? Math.max(LOOKED_AT, filter.limit) : filter.limit;
  const { form, where } = formOf(store, filter);
  const found = await store.connection.query(form, {
    where,
    limit: asked + 1,
    ...(filter.cursor !== undefined && { startAfter: startBehindCursor(from) }),
  });
  const items: Item[] = [];
  for (const [index, snapshot] of found.slice(0, asked).entries()) {
    const stored = storedOf(snapshot);
    if (stored === null || !matches(stored.item, filter)) continue;
    items.push(stored.item);
    if (items.length === filter.limit && index + 1 < found.length)
      return { items, next: cursorOf(store, stored) };
  }
  const last = found.length > asked ? storedOf(found[asked - 1] ?? found[0] ?? never()) : null;
  return { items, next: last === null ? null : cursorOf(store, last) };
}

function cursorOf({ layout }: LedgerStore, { item, nth }: ItemRecord): string {
  return writeCursor({ at: item.checkedAt, id: nth, name: layout.idOf(item.key) });
}

export async function hasMet(
  { connection, queries, metSources }: LedgerStore,
  sourceId: string,
): Promise<boolean> {
  // Documents of an earlier version name their first source only.
  for (const form of [queries.seenIn, queries.ofSource])
    if ((await connection.query(form, { where: [sourceId], limit: 1 })).length > 0) return true;
  return metSources.has(sourceId);
}

function never(): never {
  throw new Error('A page with more behind it is not empty.');
}

function formOf(store: LedgerStore, filter: ItemFilter): { form: QueryForm; where: unknown[] } {
  const { listed, listedByState, listedBySource, listedByBoth } = store.queries;
  const states =
    filter.states !== undefined && filter.states.length < STATES.length ? [...filter.states] : null;
  if (filter.sourceId === undefined)
    return states === null ? { form: listed, where: [] } : { form: listedByState, where: [states] };
  return states === null
    ? { form: listedBySource, where: [filter.sourceId] }
    : { form: listedByBoth, where: [states, filter.sourceId] };
}

export async function counts(store: LedgerStore): Promise<LedgerCounts> {
  const { connection, queries } = store;
  const [byState, byReason, leased, tombstones, oldest] = await Promise.all([
    Promise.all(
      STATES.map(async (state) => [state, await connection.count(queries.ofState, [state])] as const),
    ),
    Promise.all(
      REASONS.map(async (reason) => [reason, await connection.count(queries.ofReason, [reason])] as const),
    ),
    connection.count(queries.leased, [store.clock.now()]),
    connection.count(queries.graves, []),
    connection.query(queries.oldestOpen, { where: [true], limit: 1 }),
  ]);
  return {
    byState: Object.fromEntries(byState) as Record<State, number>,
    byReason: Object.fromEntries(byReason.filter(([, count]) => count > 0)),
    leased,
    oldestOpen: oldest[0] === undefined ? null : (storedOf(oldest[0])?.item.checkedAt ?? null),
    tombstones,
  };
}
