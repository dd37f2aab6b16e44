import type { QueryForm } from '../../../firestore/query.ts';
import { ARTICLES } from '../layouts/articles.ts';

type Names = Readonly<Record<keyof typeof ARTICLES, string>>;

/** Every query of the articles' ledger. */
export function articleQueries(names: Names = ARTICLES) {
  const settled = (collection: string) => ({
    listed: form(collection, [], NEWEST),
    listedBySource: form(collection, [['ledger.source', '==']], NEWEST),
    inOrder: form(collection, [], [['ledger.nth', 'asc']]),
    ofState: form(collection, [['ledger.state', '==']], []),
    ofReason: form(collection, [['ledger.reason', '==']], []),
    old: form(
      collection,
      [
        ['ledger.state', '=='],
        ['ledger.checked_at', '<'],
      ],
      [
        ['ledger.checked_at', 'asc'],
        ['ledger.nth', 'asc'],
      ],
    ),
  });
  return {
    notified: settled(names.notified),
    rejected: settled(names.rejected),
    candidates: form(names.candidates, [], []),
    remembered: form(names.remembered, [], []),
    newestMessages: form(names.outbox, [], [['nth', 'desc']]),
    openMessages: form(names.outbox, [['state', 'in']], []),
    ofItems: form(names.outbox, [['item_ids', 'array-contains-any']], []),
    messagesByState: form(names.outbox, [['state', 'in']], [['nth', 'desc']]),
    messagesByDestination: form(
      names.outbox,
      [
        ['destination', '=='],
        ['state', 'in'],
      ],
      [['nth', 'desc']],
    ),
    messagesInOrder: form(names.outbox, [], [['nth', 'asc']]),
    messagesOfState: form(names.outbox, [['state', '==']], []),
  };
}

export type ArticleQueries = ReturnType<typeof articleQueries>;

const NEWEST: QueryForm['orderBy'] = [
  ['ledger.checked_at', 'desc'],
  ['ledger.nth', 'desc'],
];

function form(collection: string, where: QueryForm['where'], orderBy: QueryForm['orderBy']): QueryForm {
  return { collection, where, orderBy };
}
