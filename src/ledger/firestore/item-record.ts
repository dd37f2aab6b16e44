import type { LedgerRecord } from '../ledger.ts';
import { type StoredItem, toldHistory } from './stored-item.ts';

type ItemRecord = Extract<LedgerRecord, { kind: 'item' }>;

/** A stored item as another ledger can load it. */
export function recordOf(stored: StoredItem): ItemRecord {
  return {
    kind: 'item',
    item: stored.item,
    token: stored.token,
    handOver: stored.handedAt !== null,
    sightings: stored.sightings,
    history: toldHistory(stored),
  };
}

/** What another ledger dumped, as it is stored here. */
export function storedFrom(
  { item, token, handOver, sightings, history }: ItemRecord,
  nth: number,
): StoredItem {
  return {
    item,
    nth,
    token,
    claim: null,
    handedAt: handOver ? 0 : null,
    sightings,
    history,
    admission: '',
  };
}
