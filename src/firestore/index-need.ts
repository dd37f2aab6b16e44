import type { QueryForm } from './query.ts';

/** A composite index, as `firestore.indexes.json` has it. */
export interface CompositeIndex {
  readonly collectionGroup: string;
  readonly queryScope: 'COLLECTION';
  readonly fields: readonly IndexField[];
}

export type IndexField =
  | { readonly fieldPath: string; readonly order: 'ASCENDING' | 'DESCENDING' }
  | { readonly fieldPath: string; readonly arrayConfig: 'CONTAINS' };

/**
 * The composite index without which Firestore refuses a query; `null` where the indexes of single fields, which it makes by
 * itself, are enough. First come the fields that are compared for equality, then the order, then the fields with a range
 * that the order does not name.
 */
export function indexFor({ collection, where, orderBy }: QueryForm): CompositeIndex | null {
  const equal = distinct(where.filter(([, op]) => op === '==' || op === 'in').map(([field]) => field));
  const contained = distinct(
    where.filter(([, op]) => op.startsWith('array-contains')).map(([field]) => field),
  );
  const ranged = distinct(
    where.filter(([, op]) => ['<', '<=', '>', '>=', '!=', 'not-in'].includes(op)).map(([field]) => field),
  );
  const last = orderBy.at(-1)?.[1] ?? 'asc';
  const order = [
    // Every index ends with the name of the document.
    ...orderBy.filter(([field]) => field !== '__name__'),
    ...ranged
      .filter((field) => !orderBy.some(([name]) => name === field))
      .map((field) => [field, last] as const),
  ];
  // Equalities alone are answered by merging, and so is one field with any order.
  const single = new Set([...equal, ...contained, ...order.map(([field]) => field)]).size <= 1;
  if (single || (order.length === 0 && contained.length === 0)) return null;
  return {
    collectionGroup: collection,
    queryScope: 'COLLECTION',
    fields: [
      ...contained.map((fieldPath): IndexField => ({ fieldPath, arrayConfig: 'CONTAINS' })),
      ...equal.map((fieldPath): IndexField => ({ fieldPath, order: 'ASCENDING' })),
      ...order.map(([fieldPath, direction]): IndexField => ({ fieldPath, order: ORDERS[direction] })),
    ],
  };
}

const ORDERS = { asc: 'ASCENDING', desc: 'DESCENDING' } as const;

function distinct(fields: readonly string[]): string[] {
  return [...new Set(fields)];
}
