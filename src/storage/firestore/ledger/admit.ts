import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { ItemKey, Sighting } from '../../../item/item.ts';
import { type ItemRecord, newItem, seenAgain } from '../../../ledger/item-record.ts';
import type { AdmitOptions, AdmitOutcome } from '../../../ledger/ledger.ts';
import { sightingProblem } from '../../../ledger/validation.ts';
import { MAX_CONFLICTS, MAX_PER_CALL, type Write } from '../connection.ts';
import { contentionError } from '../errors.ts';
import { recordOfDocument, TooLargeForDocumentError } from './document.ts';
import type { SharedLayout } from './layouts.ts';
import type { LedgerStore } from './ledger-store.ts';

/** Each key is looked up twice, as an item and as a tombstone. */
const KEYS_PER_CALL = MAX_PER_CALL / 2;
/** A commit is 10 MiB at the most. */
const MAX_COMMIT_BYTES = 4 * 1024 * 1024;

export async function admit(
  store: LedgerStore,
  sightings: readonly Sighting[],
  options: AdmitOptions,
): Promise<AdmitOutcome[]> {
  const outcomes = sightings.map((sighting) => (sightingProblem(sighting) === null ? null : 'refused'));
  const fit = sightings.filter((_, index) => outcomes[index] === null);
  const byKey = new Map<ItemKey, Sighting>();
  for (const sighting of fit) if (!byKey.has(sighting.key)) byKey.set(sighting.key, sighting);

  const first = new Map<ItemKey, AdmitOutcome>();
  const admission = store.newId();
  const all = [...byKey.values()];
  for (let from = 0; from < all.length; from += KEYS_PER_CALL)
    for (const [key, outcome] of await admitBatch(
      store,
      all.slice(from, from + KEYS_PER_CALL),
      options,
      admission,
    ))
      first.set(key, outcome);
  for (const sighting of fit)
    if (byKey.get(sighting.key) !== sighting) await recordSighting(store, sighting, first.get(sighting.key));

  const seen = new Set<ItemKey>();
  return sightings.map(({ key }, index) => {
    if (outcomes[index] === 'refused') return 'refused';
    const outcome = first.get(key) ?? 'refused';
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst || outcome === 'swept' || outcome === 'refused' ? outcome : 'known';
  });
}

export async function known(store: LedgerStore, keys: readonly ItemKey[]): Promise<Set<ItemKey>> {
  const distinct = [...new Set(keys)];
  const found = await lookUp(store, distinct);
  return new Set(distinct.filter((key) => found.get(key)?.item.exists || found.get(key)?.tombstone.exists));
}

type FoundDocuments = ReadonlyMap<
  ItemKey,
  { readonly item: DocumentSnapshot; readonly tombstone: DocumentSnapshot }
>;

export async function lookUp(store: LedgerStore, keys: readonly ItemKey[]): Promise<FoundDocuments> {
  const found = new Map<ItemKey, { item: DocumentSnapshot; tombstone: DocumentSnapshot }>();
  for (let from = 0; from < keys.length; from += KEYS_PER_CALL) {
    const some = keys.slice(from, from + KEYS_PER_CALL);
    const snapshots = await store.connection.getAll([
      ...some.map((key) => store.itemPath(key)),
      ...some.map((key) => store.tombstonePath(key)),
    ]);
    for (const [index, key] of some.entries()) {
      const item = snapshots[index];
      const tombstone = snapshots[index + some.length];
      if (item !== undefined && tombstone !== undefined) found.set(key, { item, tombstone });
    }
  }
  return found;
}

/**
 * Creates absent items in one commit. When another process created one of them first, or our own reply was lost, everything
 * is looked up again: documents with our name are ours.
 */
async function admitBatch(
  store: LedgerStore,
  sightings: readonly Sighting[],
  options: AdmitOptions,
  admission: string,
): Promise<Map<ItemKey, AdmitOutcome>> {
  const outcomes = new Map<ItemKey, AdmitOutcome>();
  let open = sightings;
  for (let tries = 0; open.length > 0; tries++) {
    if (tries === MAX_CONFLICTS) throw contentionError(store.layout.items, tries);
    const found = await lookUp(
      store,
      open.map(({ key }) => key),
    );
    const absent: Sighting[] = [];
    for (const sighting of open) {
      const { item, tombstone } = found.get(sighting.key) ?? {};
      const stored = item === undefined ? null : store.recordOf(item);
      if (item !== undefined && stored !== null)
        outcomes.set(sighting.key, await outcomeOfKnown(store, item, stored, sighting, admission));
      // Another program's document that is no item of this layout: known, and not ours to process.
      else if (item?.exists) outcomes.set(sighting.key, 'known');
      else if (tombstone?.exists) outcomes.set(sighting.key, 'swept');
      else absent.push(sighting);
    }
    const { made, writes, bytes } = await createAbsent(store, absent, options, admission, outcomes);
    const halves = bytes > MAX_COMMIT_BYTES ? chunks(writes, 10) : [writes];
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

async function createAbsent(
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
      writes.push({ do: 'create', at: store.itemPath(sighting.key), data });
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
    await recordSighting(store, sighting, 'known');
  return 'known';
}

/** Another source carries it too (X3). */
async function recordSighting(
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

const ADOPT_PAGE_SIZE = 300;
const NEWEST_CHECKED = 50;

/**
 * Adopts what another program of the same contract recorded or changed, so that it is listed, counted, handed over and swept
 * like the rest. Concurrent changes are adopted when they are next read. Returns the number of documents.
 */
export async function adoptForeign(store: LedgerStore, signal?: AbortSignal): Promise<number> {
  const { shared } = store.layout;
  if (shared === undefined) return 0;
  return (await adoptRecorded(store, signal)) + (await adoptChanged(store, shared));
}

/**
 * Counts first whether there is anything to adopt: two reads for each thousand documents. Then searches the newest
 * documents, then all, until everything is found.
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
    missing -= page.filter((snapshot) => recordOfDocument(snapshot) === null).length;
    adopted += await adoptAll(store, page);
  };
  if (missing > 0)
    await adoptPage(await connection.query(queries.newest, { where: [], limit: NEWEST_CHECKED }));
  let last: string | undefined;
  while (missing > 0) {
    signal?.throwIfAborted();
    const page = await connection.query(queries.everything, {
      where: [],
      limit: ADOPT_PAGE_SIZE,
      ...(last !== undefined && { startAfter: [last] }),
    });
    await adoptPage(page);
    last = page.at(-1)?.id;
    if (page.length < ADOPT_PAGE_SIZE) break;
  }
  return adopted;
}

/** One read for each kind of change, where there is none. */
async function adoptChanged(
  store: LedgerStore,
  { changes, finalValue }: Pick<SharedLayout, 'changes' | 'finalValue'>,
): Promise<number> {
  const { connection, queries } = store;
  const found = await Promise.all([
    ...changes.map((where) => connection.query(queries.changedByOthers, { where, limit: ADOPT_PAGE_SIZE })),
    connection.query(queries.openButField, { where: [finalValue, true], limit: ADOPT_PAGE_SIZE }),
  ]);
  const distinct = new Map(found.flat().map((snapshot) => [snapshot.id, snapshot]));
  return adoptAll(store, [...distinct.values()]);
}

async function adoptAll(store: LedgerStore, documents: readonly DocumentSnapshot[]): Promise<number> {
  const writes = documents.flatMap((snapshot) => store.adoption(snapshot));
  let adopted = 0;
  for (let from = 0; from < writes.length; from += ADOPT_PAGE_SIZE) {
    const some = writes.slice(from, from + ADOPT_PAGE_SIZE);
    if ((await store.connection.commit(some)) === 'committed') adopted += some.length;
    else for (const write of some) if ((await store.connection.commit([write])) === 'committed') adopted += 1;
  }
  return adopted;
}
