import type { DocumentData, DocumentSnapshot, Query, WhereFilterOp } from '@google-cloud/firestore';
import type { DocumentPath, Write } from './connection.ts';

/**
 * The form of a query: everything but the values. All queries are made from declared forms, so that a test can compare each
 * with `deploy/firestore.indexes.json`; the emulator answers a query without its index, the real service does not.
 */
export interface QueryForm {
  /** The collection without its prefix. */
  readonly collection: string;
  readonly where: readonly (readonly [field: string, op: WhereFilterOp])[];
  readonly orderBy: readonly (readonly [field: string, direction: 'asc' | 'desc'])[];
}

export interface QueryValues {
  /** One value for each condition, in order. */
  readonly where: readonly unknown[];
  readonly limit?: number;
  /** Values of the fields of `orderBy`, from the last document of the page before. */
  readonly startAfter?: readonly unknown[];
}

export function applyQuery(base: Query, form: QueryForm, values: QueryValues): Query {
  let query = base;
  for (const [index, [field, op]] of form.where.entries())
    query = query.where(field, op, values.where[index]);
  for (const [field, direction] of form.orderBy) query = query.orderBy(field, direction);
  if (values.startAfter !== undefined) query = query.startAfter(...values.startAfter);
  return values.limit === undefined ? query : query.limit(values.limit);
}

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
 * The composite index without which Firestore refuses a query; `null` where the automatic single-field indexes are enough.
 * Fields compared for equality come first, then the order, then range fields that the order does not name.
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
    // Every index ends with the document name.
    ...orderBy.filter(([field]) => field !== '__name__'),
    ...ranged
      .filter((field) => !orderBy.some(([name]) => name === field))
      .map((field) => [field, last] as const),
  ];
  // Firestore merges single-field indexes for equalities, and serves one field in any order.
  const single = new Set([...equal, ...contained, ...order.map(([field]) => field)]).size <= 1;
  if (single || (order.length === 0 && contained.length === 0)) return null;
  return {
    collectionGroup: collection,
    queryScope: 'COLLECTION',
    fields: [
      ...contained.map((fieldPath): IndexField => ({ fieldPath, arrayConfig: 'CONTAINS' })),
      ...equal.map((fieldPath): IndexField => ({ fieldPath, order: 'ASCENDING' })),
      ...order.map(([fieldPath, direction]): IndexField => ({ fieldPath, order: INDEX_ORDERS[direction] })),
    ],
  };
}

const INDEX_ORDERS = { asc: 'ASCENDING', desc: 'DESCENDING' } as const;

function distinct(fields: readonly string[]): string[] {
  return [...new Set(fields)];
}

/**
 * Write with a precondition: creates the document where the read found none, replaces it only if unchanged since the read.
 */
export function createOrReplace(
  snapshot: Partial<Pick<DocumentSnapshot, 'updateTime'>>,
  at: DocumentPath,
  data: DocumentData,
): Write {
  return snapshot.updateTime === undefined
    ? { do: 'create', at, data }
    : { do: 'replace', at, data, asOf: snapshot.updateTime };
}
