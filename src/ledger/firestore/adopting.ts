import type { LedgerStore } from './store.ts';

const PAGE = 300;

/**
 * Takes in what another program of the same contract recorded, so that it is listed, counted, handed over and swept like
 * the rest. Counting tells whether there is anything: one read for each thousand documents. What changes at the same
 * moment is adopted when it is met. Returns how many were adopted.
 */
export async function adoptForeign(store: LedgerStore): Promise<number> {
  const { connection, queries, layout } = store;
  if (layout.adopt === undefined) return 0;
  const [all, ours] = await Promise.all([
    connection.count(queries.everything, []),
    connection.count(queries.inOrder, []),
  ]);
  let adopted = 0;
  let last: string | undefined;
  while (all > ours) {
    const page = await connection.query(queries.everything, {
      where: [],
      limit: PAGE,
      ...(last !== undefined && { startAfter: [last] }),
    });
    const writes = page.flatMap((snapshot) => store.adoption(snapshot));
    if ((await connection.commit(writes)) === 'committed') adopted += writes.length;
    else for (const write of writes) if ((await connection.commit([write])) === 'committed') adopted += 1;
    last = page.at(-1)?.id;
    if (page.length < PAGE) break;
  }
  return adopted;
}
