import type { QueryDocumentSnapshot } from '@google-cloud/firestore';
import type { ItemCursor } from '../../../ledger/filter.ts';
import type { FirestoreConnection } from '../connection.ts';
import type { QueryForm } from '../query.ts';
import type { Layout, SharedLayout } from './layouts.ts';

/** Every query of the ledger and its outbox. */
export function queriesOf(layout: Pick<Layout, 'items' | 'tombstones' | 'outbox' | 'shared'>) {
  const { items, tombstones, outbox } = layout;
  const shared: Pick<SharedLayout, 'field' | 'recordedAt'> = layout.shared ?? NOT_SHARED;
  return {
    /** B6: order of claims. */
    inTurn: queryForm(
      items,
      [
        ['ledger.state', 'in'],
        ['ledger.ready_at', '<='],
      ],
      TURN_ORDER,
    ),
    byAttempt: queryForm(items, [['ledger.claim_attempt', '==']], []),
    unhanded: queryForm(
      items,
      [
        ['ledger.open', '=='],
        ['ledger.handed_at', '>='],
        ['ledger.handed_at', '<'],
        ['ledger.ready_at', '<='],
      ],
      [['ledger.handed_at', 'asc'], ...TURN_ORDER],
    ),
    listed: queryForm(items, [], NEWEST_FIRST),
    listedByState: queryForm(items, [['ledger.state', 'in']], NEWEST_FIRST),
    listedBySource: queryForm(items, [['ledger.source', '==']], NEWEST_FIRST),
    listedByBoth: queryForm(
      items,
      [
        ['ledger.state', 'in'],
        ['ledger.source', '=='],
      ],
      NEWEST_FIRST,
    ),
    ofSource: queryForm(items, [['ledger.source', '==']], []),
    seenInSource: queryForm(items, [['ledger.sources', 'array-contains']], []),
    /** Includes documents of another program, which have none of the ledger's fields. */
    everything: queryForm(items, [], [['__name__', 'asc']]),
    newest: queryForm(items, [], [[shared.recordedAt, 'desc']]),
    /** Changed by another program since the ledger wrote it. */
    changedByOthers: queryForm(
      items,
      [
        [shared.field, '=='],
        ['ledger.wrote', 'in'],
      ],
      [],
    ),
    /** The same for documents of an earlier version, which did not store what it wrote. */
    openButField: queryForm(
      items,
      [
        [shared.field, '=='],
        ['ledger.open', '=='],
      ],
      [],
    ),
    inOrder: queryForm(items, [], ITEM_ORDER),
    ofState: queryForm(items, [['ledger.state', '==']], []),
    ofReason: queryForm(items, [['ledger.reason', '==']], []),
    leased: queryForm(items, [['ledger.claim_until', '>']], []),
    oldestOpen: queryForm(items, [['ledger.open', '==']], [['ledger.checked_at', 'asc']]),
    old: queryForm(
      items,
      [
        ['ledger.state', '=='],
        ['ledger.checked_at', '<'],
      ],
      [['ledger.checked_at', 'asc'], ...ITEM_ORDER],
    ),
    tombstones: queryForm(tombstones, [], []),
    oldTombstones: queryForm(tombstones, [['swept_at', '<']], [['swept_at', 'asc']]),
    tombstonesInOrder: queryForm(
      tombstones,
      [],
      [
        ['swept_at', 'asc'],
        ['key_hash', 'asc'],
      ],
    ),
    head: queryForm(
      outbox,
      [
        ['destination', '=='],
        ['open', '=='],
      ],
      MESSAGE_ORDER,
    ),
    anyOpen: queryForm(outbox, [['open', '==']], []),
    ofItems: queryForm(outbox, [['item_ids', 'array-contains-any']], []),
    messages: queryForm(outbox, [], NEWEST_MESSAGES_FIRST),
    messagesByState: queryForm(outbox, [['state', 'in']], NEWEST_MESSAGES_FIRST),
    messagesByDestination: queryForm(
      outbox,
      [
        ['destination', '=='],
        ['state', 'in'],
      ],
      NEWEST_MESSAGES_FIRST,
    ),
    messagesInOrder: queryForm(outbox, [], MESSAGE_ORDER),
    messagesOfState: queryForm(outbox, [['state', '==']], []),
  };
}

export type LedgerQueries = ReturnType<typeof queriesOf>;

/** Unused by layouts that no other program writes. */
const NOT_SHARED = { field: 'status', recordedAt: 'created_at' };

const TURN_ORDER: QueryForm['orderBy'] = [
  ['ledger.turn', 'asc'],
  ['ledger.nth', 'asc'],
];
/** Two processes may have given the same number; then the document name decides. */
const ITEM_ORDER: QueryForm['orderBy'] = [
  ['ledger.nth', 'asc'],
  ['__name__', 'asc'],
];
const MESSAGE_ORDER: QueryForm['orderBy'] = [
  ['nth', 'asc'],
  ['__name__', 'asc'],
];
const NEWEST_MESSAGES_FIRST: QueryForm['orderBy'] = [
  ['nth', 'desc'],
  ['__name__', 'desc'],
];
const NEWEST_FIRST: QueryForm['orderBy'] = [
  ['ledger.checked_at', 'desc'],
  ['ledger.nth', 'desc'],
  ['__name__', 'desc'],
];

function queryForm(collection: string, where: QueryForm['where'], orderBy: QueryForm['orderBy']): QueryForm {
  return { collection, where, orderBy };
}

const PAGE_SIZE = 300;

/** Cursor behind this document. */
export function startAfterDocument(last: QueryDocumentSnapshot, { orderBy }: QueryForm): readonly unknown[] {
  return orderBy.map(([field]): unknown => (field === '__name__' ? last.id : last.get(field)));
}

/** Cursor of a list of items, whose position the caller gives. */
export function startAfterCursor({ at, id, name }: ItemCursor): readonly unknown[] {
  return name === undefined ? [at, id] : [at, id, name];
}

/** All results of a query without values, in its order. */
export async function* allDocuments(
  connection: FirestoreConnection,
  form: QueryForm,
): AsyncGenerator<QueryDocumentSnapshot> {
  let startAfter: readonly unknown[] | undefined;
  for (;;) {
    const page = await connection.query(form, {
      where: [],
      limit: PAGE_SIZE,
      ...(startAfter !== undefined && { startAfter }),
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return;
    startAfter = startAfterDocument(last, form);
  }
}
