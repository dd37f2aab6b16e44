import type { QueryForm } from '../../../firestore/query.ts';
import { ARTICLES } from '../layouts/articles.ts';

type Names = Readonly<Record<keyof typeof ARTICLES, string>>;

/** Every query of the articles' ledger. */
export function articleQueries(names: Names = ARTICLES) {
  const settled = (collection: string, time: string) => ({
    listed: form(collection, [], NEWEST),
    listedBySource: form(collection, [['ledger.source', '==']], NEWEST),
    inOrder: form(collection, [], ITEM_ORDER),
    all: form(collection, [], [['__name__', 'asc']]),
    byId: form(collection, [['__name__', 'in']], []),
    byKey: form(collection, [['ledger.key', 'in']], []),
    ofState: form(collection, [['ledger.state', '==']], []),
    ofReason: form(collection, [['ledger.reason', '==']], []),
    /** By the time that the contract names, which every program that keeps it records (A14). */
    old: form(
      collection,
      [[time, '<']],
      [
        [time, 'asc'],
        ['__name__', 'asc'],
      ],
    ),
  });
  return {
    notified: {
      ...settled(names.notified, 'notified_at'),
      listedByState: form(names.notified, [['ledger.state', '==']], NEWEST),
    },
    rejected: settled(names.rejected, 'evaluated_at'),
    candidates: form(names.candidates, [], []),
    remembered: form(names.remembered, [], []),
    newestMessages: form(names.outbox, [], NEWEST_MESSAGES),
    openMessages: form(names.outbox, [['state', 'in']], []),
    ofItems: form(names.outbox, [['item_ids', 'array-contains-any']], []),
    messagesByState: form(names.outbox, [['state', 'in']], NEWEST_MESSAGES),
    messagesByDestination: form(
      names.outbox,
      [
        ['destination', '=='],
        ['state', 'in'],
      ],
      NEWEST_MESSAGES,
    ),
    messagesInOrder: form(names.outbox, [], MESSAGE_ORDER),
    messagesOfState: form(names.outbox, [['state', '==']], []),
  };
}

export type ArticleQueries = ReturnType<typeof articleQueries>;

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
