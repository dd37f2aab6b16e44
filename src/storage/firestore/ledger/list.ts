import type { Item } from '../../../item/item.ts';
import { REASONS, STATES, type State } from '../../../item/lifecycle.ts';
import { formatItemCursor, matchesFilter, parseItemCursor } from '../../../ledger/filter.ts';
import type { ItemRecord } from '../../../ledger/item-record.ts';
import type { ItemFilter, ItemPage, LedgerCounts } from '../../../ledger/ledger.ts';
import type { Clock } from '../../../time/clock.ts';
import type { QueryForm } from '../query.ts';
import { recordOfDocument } from './document.ts';
import type { LedgerStore } from './ledger-store.ts';
import { startAfterCursor } from './queries.ts';

/** Page size for filters that Firestore cannot apply itself. */
const SCAN_SIZE = 100;

export async function list(store: LedgerStore, filter: ItemFilter): Promise<ItemPage> {
  const from = parseItemCursor(filter.cursor);
  if (filter.states?.length === 0) return { items: [], next: null };
  const isFilteredHere = filter.reasons !== undefined || (filter.text ?? '') !== '';
  const pageSize = isFilteredHere ? Math.max(SCAN_SIZE, filter.limit) : filter.limit;
  const { form, where } = listQuery(store, filter);
  const found = await store.connection.query(form, {
    where,
    limit: pageSize + 1,
    ...(filter.cursor !== undefined && { startAfter: startAfterCursor(from) }),
  });
  const items: Item[] = [];
  for (const [index, snapshot] of found.slice(0, pageSize).entries()) {
    const stored = recordOfDocument(snapshot);
    if (stored === null || !matchesFilter(stored.item, filter)) continue;
    items.push(stored.item);
    if (items.length === filter.limit && index + 1 < found.length)
      return { items, next: cursorOf(store, stored) };
  }
  const last =
    found.length > pageSize ? recordOfDocument(found[pageSize - 1] ?? found[0] ?? unreachable()) : null;
  return { items, next: last === null ? null : cursorOf(store, last) };
}

function cursorOf({ layout }: LedgerStore, { item, nth }: ItemRecord): string {
  return formatItemCursor({ at: item.checkedAt, id: nth, name: layout.idOf(item.key) });
}

export async function hasSeenSource(
  { connection, queries, seenSources }: LedgerStore,
  sourceId: string,
): Promise<boolean> {
  // Documents of an earlier version have only their first source.
  for (const form of [queries.seenInSource, queries.ofSource])
    if ((await connection.query(form, { where: [sourceId], limit: 1 })).length > 0) return true;
  return seenSources.has(sourceId);
}

function unreachable(): never {
  throw new Error('A page that is not the last one must not be empty.');
}

function listQuery(store: LedgerStore, filter: ItemFilter): { form: QueryForm; where: unknown[] } {
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
    connection.count(queries.tombstones, []),
    connection.query(queries.oldestOpen, { where: [true], limit: 1 }),
  ]);
  return {
    byState: Object.fromEntries(byState) as Record<State, number>,
    byReason: Object.fromEntries(byReason.filter(([, count]) => count > 0)),
    leased,
    oldestOpen: oldest[0] === undefined ? null : (recordOfDocument(oldest[0])?.item.checkedAt ?? null),
    tombstones,
  };
}

/** How long a count may be cached, in milliseconds. */
export interface CountsTtl {
  /** After a change by this process. */
  readonly changed: number;
  /** Without one; other processes may have changed something. */
  readonly unchanged: number;
}

/** Cached counts of a ledger: counting costs some thirty reads, and pages request it every few seconds. */
export class CountsCache {
  readonly #clock: Clock;
  readonly #for: CountsTtl | undefined;
  #last: { readonly at: number; readonly counts: LedgerCounts } | null = null;
  #changed = false;

  constructor(clock: Clock, countsFor: CountsTtl | undefined) {
    this.#clock = clock;
    this.#for = countsFor;
  }

  /** Runs work of this process that may change a count. */
  invalidateAfter<T>(work: Promise<T>): Promise<T> {
    return work.finally(() => {
      this.#changed = true;
    });
  }

  async get(count: () => Promise<LedgerCounts>): Promise<LedgerCounts> {
    const now = this.#clock.monotonic();
    const keep = (this.#changed ? this.#for?.changed : this.#for?.unchanged) ?? 0;
    if (this.#last !== null && now - this.#last.at < keep) return this.#last.counts;
    this.#changed = false;
    this.#last = { at: now, counts: await count() };
    return this.#last.counts;
  }
}
