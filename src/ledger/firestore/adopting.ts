import type { DocumentSnapshot } from '@google-cloud/firestore';
import { storedOf } from './document.ts';
import type { SharedLayout } from './layouts/layout.ts';
import type { LedgerStore } from './store.ts';

const PAGE = 300;
const NEWEST = 50;

/**
 * Takes in what another program of the same contract recorded or changed, so that it is listed, counted, handed over and
 * swept like the rest. What changes at the same moment is adopted when it is met. Returns how many documents were adopted.
 */
export async function adoptForeign(store: LedgerStore, signal?: AbortSignal): Promise<number> {
  const { shared } = store.layout;
  if (shared === undefined) return 0;
  return (await adoptRecorded(store, signal)) + (await adoptChanged(store, shared));
}

/**
 * Counting tells whether there is anything: two reads for each thousand documents. What is missing is looked for among the
 * newest documents first, then among all, and no further than until everything is found.
 */
async function adoptRecorded(store: LedgerStore, signal: AbortSignal | undefined): Promise<number> {
  const { connection, queries } = store;
  const [all, ours] = await Promise.all([
    connection.count(queries.everything, []),
    connection.count(queries.inOrder, []),
  ]);
  let missing = all - ours;
  let adopted = 0;
  const adoptPage = async (page: readonly DocumentSnapshot[]): Promise<void> => {
    missing -= page.filter((snapshot) => storedOf(snapshot) === null).length;
    adopted += await adoptAll(store, page);
  };
  if (missing > 0) await adoptPage(await connection.query(queries.newest, { where: [], limit: NEWEST }));
  let last: string | undefined;
  while (missing > 0) {
    signal?.throwIfAborted();
    const page = await connection.query(queries.everything, {
      where: [],
      limit: PAGE,
      ...(last !== undefined && { startAfter: [last] }),
    });
    await adoptPage(page);
    last = page.at(-1)?.id;
    if (page.length < PAGE) break;
  }
  return adopted;
}

/** One read for each kind of change, where there is none. */
async function adoptChanged(
  store: LedgerStore,
  { changes, settled }: Pick<SharedLayout, 'changes' | 'settled'>,
): Promise<number> {
  const { connection, queries } = store;
  const found = await Promise.all([
    ...changes.map((where) => connection.query(queries.changedByOthers, { where, limit: PAGE })),
    connection.query(queries.openButField, { where: [settled, true], limit: PAGE }),
  ]);
  const distinct = new Map(found.flat().map((snapshot) => [snapshot.id, snapshot]));
  return adoptAll(store, [...distinct.values()]);
}

async function adoptAll(store: LedgerStore, documents: readonly DocumentSnapshot[]): Promise<number> {
  const writes = documents.flatMap((snapshot) => store.adoption(snapshot));
  let adopted = 0;
  for (let from = 0; from < writes.length; from += PAGE) {
    const some = writes.slice(from, from + PAGE);
    if ((await store.connection.commit(some)) === 'committed') adopted += some.length;
    else for (const write of some) if ((await store.connection.commit([write])) === 'committed') adopted += 1;
  }
  return adopted;
}
