import type { DocumentSnapshot } from '@google-cloud/firestore';
import { MOST_CONFLICTS, MOST_PER_CALL, type Write } from '../../firestore/connection.ts';
import { contention } from '../../firestore/errors.ts';
import type { ItemKey, Sighting } from '../../item/item.ts';
import { whyRefused } from '../check-sighting.ts';
import { type ItemRecord, newItem, seenAgain } from '../item-record.ts';
import type { AdmitOptions, AdmitOutcome } from '../ledger.ts';
import { TooLargeForDocumentError } from './packing.ts';
import type { LedgerStore } from './store.ts';

/** Each key is looked up twice, as an item and as a tombstone. */
const PER_CALL = MOST_PER_CALL / 2;
/** A commit is 10 MiB at the most. */
const MOST_BYTES = 4 * 1024 * 1024;

export async function admit(
  store: LedgerStore,
  sightings: readonly Sighting[],
  options: AdmitOptions,
): Promise<AdmitOutcome[]> {
  const outcomes = sightings.map((sighting) => (whyRefused(sighting) === null ? null : 'refused'));
  const fit = sightings.filter((_, index) => outcomes[index] === null);
  const byKey = new Map<ItemKey, Sighting>();
  for (const sighting of fit) if (!byKey.has(sighting.key)) byKey.set(sighting.key, sighting);

  const first = new Map<ItemKey, AdmitOutcome>();
  const admission = store.newName();
  const all = [...byKey.values()];
  for (let from = 0; from < all.length; from += PER_CALL)
    for (const [key, outcome] of await admitSome(store, all.slice(from, from + PER_CALL), options, admission))
      first.set(key, outcome);
  for (const sighting of fit)
    if (byKey.get(sighting.key) !== sighting) await seeAgain(store, sighting, first.get(sighting.key));

  const told = new Set<ItemKey>();
  return sightings.map(({ key }, index) => {
    if (outcomes[index] === 'refused') return 'refused';
    const outcome = first.get(key) ?? 'refused';
    const isFirst = !told.has(key);
    told.add(key);
    return isFirst || outcome === 'swept' || outcome === 'refused' ? outcome : 'known';
  });
}

export async function known(store: LedgerStore, keys: readonly ItemKey[]): Promise<Set<ItemKey>> {
  const distinct = [...new Set(keys)];
  const found = await lookUp(store, distinct);
  return new Set(distinct.filter((key) => found.get(key)?.item.exists || found.get(key)?.grave.exists));
}

type Found = ReadonlyMap<ItemKey, { readonly item: DocumentSnapshot; readonly grave: DocumentSnapshot }>;

export async function lookUp(store: LedgerStore, keys: readonly ItemKey[]): Promise<Found> {
  const found = new Map<ItemKey, { item: DocumentSnapshot; grave: DocumentSnapshot }>();
  for (let from = 0; from < keys.length; from += PER_CALL) {
    const some = keys.slice(from, from + PER_CALL);
    const snapshots = await store.connection.getAll([
      ...some.map((key) => store.placeOf(key)),
      ...some.map((key) => store.graveOf(key)),
    ]);
    for (const [index, key] of some.entries()) {
      const item = snapshots[index];
      const grave = snapshots[index + some.length];
      if (item !== undefined && grave !== undefined) found.set(key, { item, grave });
    }
  }
  return found;
}

/**
 * Creates what is absent in one commit. When another process was first with one of them, or our own reply was lost,
 * everything is looked up again: what carries our name is ours.
 */
async function admitSome(
  store: LedgerStore,
  sightings: readonly Sighting[],
  options: AdmitOptions,
  admission: string,
): Promise<Map<ItemKey, AdmitOutcome>> {
  const outcomes = new Map<ItemKey, AdmitOutcome>();
  let open = sightings;
  for (let tries = 0; open.length > 0; tries++) {
    if (tries === MOST_CONFLICTS) throw contention(store.layout.items, tries);
    const found = await lookUp(
      store,
      open.map(({ key }) => key),
    );
    const absent: Sighting[] = [];
    for (const sighting of open) {
      const { item, grave } = found.get(sighting.key) ?? {};
      const stored = item === undefined ? null : store.storedOf(item);
      if (item !== undefined && stored !== null)
        outcomes.set(sighting.key, await outcomeOfKnown(store, item, stored, sighting, admission));
      // Another program's document that is no item of this layout: known, and not ours to work on.
      else if (item?.exists) outcomes.set(sighting.key, 'known');
      else if (grave?.exists) outcomes.set(sighting.key, 'swept');
      else absent.push(sighting);
    }
    const { made, writes, bytes } = await createAll(store, absent, options, admission, outcomes);
    const halves = bytes > MOST_BYTES ? chunks(writes, 10) : [writes];
    let conflict = false;
    for (const some of halves) conflict = (await store.connection.commit(some)) === 'conflict' || conflict;
    if (!conflict) {
      for (const { item } of made) outcomes.set(item.key, item.state === 'baseline' ? 'baseline' : 'new');
      return outcomes;
    }
    open = absent.filter(({ key }) => !outcomes.has(key));
  }
  return outcomes;
}

async function createAll(
  store: LedgerStore,
  absent: readonly Sighting[],
  options: AdmitOptions,
  admission: string,
  outcomes: Map<ItemKey, AdmitOutcome>,
): Promise<{ made: ItemRecord[]; writes: Write[]; bytes: number }> {
  const made: ItemRecord[] = [];
  const writes: Write[] = [];
  let bytes = 0;
  for (const sighting of absent) {
    const stored = newItem(sighting, {
      now: store.clock.now(),
      nth: store.order.next(),
      baseline: options.baseline?.(sighting) ?? false,
      handOver: options.handOver ?? false,
      admission,
    });
    try {
      const data = await store.documentOf(stored);
      const content: unknown = (data.ledger as { content: string | Buffer }).content;
      bytes += typeof content === 'string' || Buffer.isBuffer(content) ? content.length : 0;
      writes.push({ do: 'create', at: store.placeOf(sighting.key), data });
      made.push(stored);
    } catch (error) {
      if (!(error instanceof TooLargeForDocumentError)) throw error;
      outcomes.set(sighting.key, 'refused');
    }
  }
  return { made, writes, bytes };
}

async function outcomeOfKnown(
  store: LedgerStore,
  item: DocumentSnapshot,
  stored: ItemRecord,
  sighting: Sighting,
  admission: string,
): Promise<AdmitOutcome> {
  if (stored.admission === admission) return stored.item.state === 'baseline' ? 'baseline' : 'new';
  if (seenAgain(stored, sighting, store.clock.now()) !== null || store.adoption(item).length > 0)
    await seeAgain(store, sighting, 'known');
  return 'known';
}

/** Another source carries it too (X3). */
async function seeAgain(
  store: LedgerStore,
  sighting: Sighting,
  outcome: AdmitOutcome | undefined,
): Promise<void> {
  if (outcome === 'swept' || outcome === 'refused' || outcome === undefined) return;
  await store.change(
    sighting.key,
    null,
    (record, now) => {
      const next = seenAgain(record, sighting, now);
      return { value: null, ...(next !== null && { next }) };
    },
    { isInternal: true },
  );
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}
