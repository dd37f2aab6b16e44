import type { Query, WhereFilterOp } from '@google-cloud/firestore';

/**
 * The form of a query: everything but the values. All queries are made from declared forms, so that a test can hold
 * each against `deploy/firestore.indexes.json`; the emulator answers a query without its index, the real service does not.
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

export function fill(base: Query, form: QueryForm, values: QueryValues): Query {
  let query = base;
  for (const [index, [field, op]] of form.where.entries())
    query = query.where(field, op, values.where[index]);
  for (const [field, direction] of form.orderBy) query = query.orderBy(field, direction);
  if (values.startAfter !== undefined) query = query.startAfter(...values.startAfter);
  return values.limit === undefined ? query : query.limit(values.limit);
}
