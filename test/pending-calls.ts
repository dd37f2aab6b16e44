import { vi } from 'vitest';
import { FirestoreConnection } from '../src/storage/firestore/connection.ts';

/** Counts the calls to Firestore that have no answer yet; `vi.restoreAllMocks()` ends it. */
export function countPendingCalls(): { readonly pending: number } {
  const calls = { pending: 0 };
  for (const name of ['getAll', 'query', 'count', 'commit', 'transact'] as const) {
    const call = FirestoreConnection.prototype[name] as (...args: unknown[]) => Promise<unknown>;
    vi.spyOn(FirestoreConnection.prototype, name).mockImplementation(async function (
      this: FirestoreConnection,
      ...args: unknown[]
    ): Promise<never> {
      calls.pending += 1;
      try {
        return (await call.apply(this, args)) as never;
      } finally {
        calls.pending -= 1;
      }
    });
  }
  return calls;
}
