import type { QueryDocumentSnapshot } from '@google-cloud/firestore';
import type { FirestoreConnection } from '../../firestore/connection.ts';
import type { QueryForm } from '../../firestore/query.ts';
import type { ItemCursor } from '../filter.ts';

const PAGE = 300;

/** Where the page behind this document begins. */
export function startBehind(last: QueryDocumentSnapshot, { orderBy }: QueryForm): readonly unknown[] {
  return orderBy.map(([field]): unknown => (field === '__name__' ? last.id : last.get(field)));
}

/** The same for a list of items, whose place a reader of the list names. */
export function startBehindCursor({ at, id, name }: ItemCursor): readonly unknown[] {
  return name === undefined ? [at, id] : [at, id, name];
}

/** Everything that answers a query without values, in the query's order. */
export async function* pages(
  connection: FirestoreConnection,
  form: QueryForm,
): AsyncGenerator<QueryDocumentSnapshot> {
  let startAfter: readonly unknown[] | undefined;
  for (;;) {
    const page = await connection.query(form, {
      where: [],
      limit: PAGE,
      ...(startAfter !== undefined && { startAfter }),
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    startAfter = startBehind(last, form);
  }
}
