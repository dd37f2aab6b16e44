import { MOST_PER_CALL, type Write } from '../../firestore/connection.ts';
import type { ItemKey } from '../../item/item.ts';
import { handedOver } from '../item-record.ts';
import type { UnhandedAsk } from '../ledger.ts';
import { storedOf } from './document.ts';
import type { LedgerStore } from './store.ts';

export async function unhanded(
  store: LedgerStore,
  { limit, handedBefore = 0 }: UnhandedAsk,
): Promise<ItemKey[]> {
  const found = await store.connection.query(store.queries.unhanded, {
    // 0 is "not yet", which is before everything.
    where: [true, 0, Math.max(1, handedBefore), store.clock.now()],
    limit,
  });
  return found.flatMap((snapshot) => storedOf(snapshot)?.item.key ?? []);
}

/** An item that changed meanwhile or is being worked on is left as it is: at most it is handed over again, which does no harm. */
export async function markHanded(store: LedgerStore, keys: readonly ItemKey[]): Promise<void> {
  const distinct = [...new Set(keys)];
  for (let from = 0; from < distinct.length; from += MOST_PER_CALL) {
    const some = distinct.slice(from, from + MOST_PER_CALL);
    const snapshots = await store.connection.getAll(some.map((key) => store.placeOf(key)));
    const writes: Write[] = [];
    for (const snapshot of snapshots) {
      const stored = store.storedOf(snapshot);
      const asOf = snapshot.updateTime;
      const next = stored === null ? null : handedOver(stored, store.clock.now());
      if (next === null || asOf === undefined) continue;
      const data = await store.documentOf(next, snapshot.data());
      writes.push({ do: 'replace', at: store.placeOf(next.item.key), data, asOf });
    }
    if ((await store.connection.commit(writes)) === 'conflict')
      for (const write of writes) await store.connection.commit([write]);
  }
}
