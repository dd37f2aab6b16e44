import type { QueryForm } from '../../firestore/query.ts';
import type { Layout, SharedLayout } from './layouts/layout.ts';

/** Every query that the ledger and its outbox make. */
export function queriesOf(layout: Pick<Layout, 'items' | 'tombstones' | 'outbox' | 'shared'>) {
  const { items, tombstones, outbox } = layout;
  const shared: Pick<SharedLayout, 'field' | 'recordedAt'> = layout.shared ?? NOT_SHARED;
  return {
    /** B6: whose turn it is. */
    inTurn: form(
      items,
      [
        ['ledger.state', 'in'],
        ['ledger.ready_at', '<='],
      ],
      TURN,
    ),
    byAttempt: form(items, [['ledger.claim_attempt', '==']], []),
    unhanded: form(
      items,
      [
        ['ledger.open', '=='],
        ['ledger.handed_at', '>='],
        ['ledger.handed_at', '<'],
        ['ledger.ready_at', '<='],
      ],
      [['ledger.handed_at', 'asc'], ...TURN],
    ),
    listed: form(items, [], NEWEST),
    listedByState: form(items, [['ledger.state', 'in']], NEWEST),
    listedBySource: form(items, [['ledger.source', '==']], NEWEST),
    listedByBoth: form(
      items,
      [
        ['ledger.state', 'in'],
        ['ledger.source', '=='],
      ],
      NEWEST,
    ),
    ofSource: form(items, [['ledger.source', '==']], []),
    seenIn: form(items, [['ledger.sources', 'array-contains']], []),
    /** Also what another program wrote, which has none of the ledger's fields. */
    everything: form(items, [], [['__name__', 'asc']]),
    newest: form(items, [], [[shared.recordedAt, 'desc']]),
    /** What another program changed since the ledger wrote it. */
    changedByOthers: form(
      items,
      [
        [shared.field, '=='],
        ['ledger.wrote', 'in'],
      ],
      [],
    ),
    /** The same of documents in which an earlier version did not note what it wrote. */
    openButField: form(
      items,
      [
        [shared.field, '=='],
        ['ledger.open', '=='],
      ],
      [],
    ),
    inOrder: form(items, [], ITEM_ORDER),
    ofState: form(items, [['ledger.state', '==']], []),
    ofReason: form(items, [['ledger.reason', '==']], []),
    leased: form(items, [['ledger.claim_until', '>']], []),
    oldestOpen: form(items, [['ledger.open', '==']], [['ledger.checked_at', 'asc']]),
    old: form(
      items,
      [
        ['ledger.state', '=='],
        ['ledger.checked_at', '<'],
      ],
      [['ledger.checked_at', 'asc'], ...ITEM_ORDER],
    ),
    graves: form(tombstones, [], []),
    oldGraves: form(tombstones, [['swept_at', '<']], [['swept_at', 'asc']]),
    gravesInOrder: form(
      tombstones,
      [],
      [
        ['swept_at', 'asc'],
        ['key_hash', 'asc'],
      ],
    ),
    head: form(
      outbox,
      [
        ['destination', '=='],
        ['open', '=='],
      ],
      MESSAGE_ORDER,
    ),
    anyOpen: form(outbox, [['open', '==']], []),
    ofItems: form(outbox, [['item_ids', 'array-contains-any']], []),
    messages: form(outbox, [], NEWEST_MESSAGES),
    messagesByState: form(outbox, [['state', 'in']], NEWEST_MESSAGES),
    messagesByDestination: form(
      outbox,
      [
        ['destination', '=='],
        ['state', 'in'],
      ],
      NEWEST_MESSAGES,
    ),
    messagesInOrder: form(outbox, [], MESSAGE_ORDER),
    messagesOfState: form(outbox, [['state', '==']], []),
  };
}

export type LedgerQueries = ReturnType<typeof queriesOf>;

/** Of a layout that no other program writes nothing is asked by these. */
const NOT_SHARED = { field: 'status', recordedAt: 'created_at' };

const TURN: QueryForm['orderBy'] = [
  ['ledger.turn', 'asc'],
  ['ledger.nth', 'asc'],
];
/** Two processes may have given the same number; then the name of the document decides. */
const ITEM_ORDER: QueryForm['orderBy'] = [
  ['ledger.nth', 'asc'],
  ['__name__', 'asc'],
];
const MESSAGE_ORDER: QueryForm['orderBy'] = [
  ['nth', 'asc'],
  ['__name__', 'asc'],
];
const NEWEST_MESSAGES: QueryForm['orderBy'] = [
  ['nth', 'desc'],
  ['__name__', 'desc'],
];
const NEWEST: QueryForm['orderBy'] = [
  ['ledger.checked_at', 'desc'],
  ['ledger.nth', 'desc'],
  ['__name__', 'desc'],
];

function form(collection: string, where: QueryForm['where'], orderBy: QueryForm['orderBy']): QueryForm {
  return { collection, where, orderBy };
}
