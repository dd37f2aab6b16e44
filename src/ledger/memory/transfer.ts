import type { LedgerRecord, LoadOutcome } from '../ledger.ts';
import type { MemoryStore } from './store.ts';

export async function* dump(store: MemoryStore): AsyncGenerator<LedgerRecord, void, void> {
  for (const { item, token, handedAt, sightings, history } of store.items.values())
    yield {
      kind: 'item',
      item,
      token,
      handOver: handedAt !== null,
      sightings: [...sightings],
      history: [...history],
    };
  for (const { delivery } of [...store.messages.values()].sort((a, b) => a.nth - b.nth))
    yield { kind: 'delivery', delivery };
  for (const [key, { state, sweptAt }] of store.tombstones) yield { kind: 'tombstone', key, state, sweptAt };
}

export function load(store: MemoryStore, record: LedgerRecord): LoadOutcome {
  const nth = ++store.count;
  if (record.kind === 'delivery') {
    if (store.messages.has(record.delivery.key)) return 'there';
    const { delivery } = record;
    store.messages.set(delivery.key, { delivery, nth, token: 0, marked: null, held: null });
    return 'loaded';
  }
  const key = record.kind === 'item' ? record.item.key : record.key;
  if (store.items.has(key) || store.tombstones.has(key)) return 'there';
  if (record.kind === 'tombstone')
    store.tombstones.set(key, { state: record.state, sweptAt: record.sweptAt });
  else
    store.items.set(key, {
      nth,
      item: record.item,
      token: record.token,
      claim: null,
      handedAt: record.handOver ? 0 : null,
      steps: new Set(),
      sightings: [...record.sightings],
      history: [...record.history],
    });
  return 'loaded';
}
