import { dumpItem, type ItemRecord, loadItem } from '../../../ledger/item-record.ts';
import type { HistoryEntry, ItemStore, LedgerRecord, LoadOutcome } from '../../../ledger/ledger.ts';
import type { Delivery } from '../../../outbox/outbox.ts';
import { SNOWFLAKE } from '../ledger/article-layout.ts';
import { hashOf } from '../ledger/document.ts';
import { allDocuments } from '../ledger/queries.ts';
import { digestDocument, digestOf, unsentMessage } from './documents.ts';
import type { Remembered } from './remembered.ts';
import type { CuratorDependencies } from './store.ts';

type DumpedItem = Extract<LedgerRecord, { kind: 'item' }>;

export async function* dumpArticles(
  { connection, queries, articles }: CuratorDependencies,
  unrecorded: readonly ItemRecord[],
  { tombstones }: Remembered,
): AsyncGenerator<LedgerRecord, void, void> {
  for (const stored of unrecorded) yield dumpItem(stored);
  for (const home of ['notified', 'rejected'] as const)
    for await (const snapshot of allDocuments(connection, queries[home].inOrder))
      yield dumpItem(articles.read(snapshot, home).stored);
  for await (const snapshot of allDocuments(connection, queries.digestsInOrder))
    for (const { delivery } of digestOf(snapshot)?.messages ?? []) yield { kind: 'delivery', delivery };
  for (const [key, { state, sweptAt }] of tombstones) yield { kind: 'tombstone', key, state, sweptAt };
}

/** Writes everything that is loaded. A message becomes a digest of its own, and its articles stay in their place. */
export async function loadArticles(
  deps: CuratorDependencies,
  store: Pick<ItemStore, 'known'>,
  records: readonly LedgerRecord[],
): Promise<LoadOutcome[]> {
  const keyOf = (record: Exclude<LedgerRecord, { kind: 'delivery' }>) =>
    record.kind === 'item' ? record.item.key : record.key;
  const keys = records.flatMap((record) => (record.kind === 'delivery' ? [] : [keyOf(record)]));
  const known = new Set(await store.known(keys));
  const outcomes: LoadOutcome[] = [];
  for (const record of records) {
    if (record.kind === 'delivery') {
      outcomes.push(await loadDelivery(deps, record.delivery));
      continue;
    }
    const key = keyOf(record);
    if (known.has(key)) {
      outcomes.push('there');
      continue;
    }
    known.add(key);
    if (record.kind === 'item') await loadArticle(deps, record);
    else await deps.remembered.add([], [[key, { state: record.state, sweptAt: record.sweptAt }]]);
    outcomes.push('loaded');
  }
  return outcomes;
}

async function loadArticle(deps: CuratorDependencies, record: DumpedItem): Promise<void> {
  const { item, history } = record;
  const stored = loadItem(record, deps.order.next());
  if (item.state === 'baseline') await deps.remembered.add([stored], []);
  else if (item.state === 'waiting' || item.state === 'deferred') await deps.waiting.load(stored);
  else {
    const messageId = discordIdIn(history, deps.discord);
    await deps.articles.create(stored, { decidedAt: item.checkedAt, messageId });
  }
}

async function loadDelivery(
  { connection, names, order, queries }: CuratorDependencies,
  delivery: Delivery,
): Promise<LoadOutcome> {
  const id = hashOf(delivery.key);
  const known = await connection.query(queries.digestOfMessage, { where: [id] });
  if (known.length > 0) return 'there';
  const at = [names.outbox, id] as const;
  const digest = { id, nth: order.next(), articles: [], messages: [unsentMessage(delivery)] };
  return connection.mutate(at, async (existing) => {
    // An existing document with our number is from an earlier attempt whose reply was lost.
    if (existing.exists)
      return { value: digestOf(existing)?.nth === digest.nth ? 'loaded' : 'there', writes: [] };
    return { value: 'loaded', writes: [{ do: 'create', at, data: digestDocument(digest) }] };
  });
}

/** Discord's ID of the message with an article, from its history. */
function discordIdIn(history: readonly HistoryEntry[], discord: ReadonlySet<string>): string | null {
  const ids = history.flatMap(({ notes }) =>
    discord.has(String(notes.destination)) && notes.outcome === 'sent' ? [String(notes.remoteId)] : [],
  );
  return ids.findLast((id) => SNOWFLAKE.test(id)) ?? null;
}
