import { dumpItem as recordOf, loadItem as storedFrom } from '../../item-record.ts';
import type { HistoryEntry, LedgerRecord, LoadOutcome } from '../../ledger.ts';
import { SNOWFLAKE } from '../layouts/articles.ts';
import { hashOf } from '../layouts/items.ts';
import { messageDocument } from '../messages.ts';
import { pages } from '../pages.ts';
import { messageOf } from './message.ts';
import type { ArticleShelf } from './shelf.ts';

export async function* dump(shelf: ArticleShelf): AsyncGenerator<LedgerRecord, void, void> {
  for (const stored of shelf.items.values()) yield recordOf(stored);
  for (const home of ['notified', 'rejected'] as const)
    for await (const snapshot of pages(shelf.connection, shelf.queries[home].inOrder))
      yield recordOf(shelf.storedOf(snapshot, home));
  for await (const snapshot of pages(shelf.connection, shelf.queries.messagesInOrder)) {
    const message = messageOf(snapshot);
    if (message === null) continue;
    yield { kind: 'delivery', delivery: message.delivery };
  }
  for (const [key, { delivery }] of shelf.messages)
    if (!shelf.written.has(key)) yield { kind: 'delivery', delivery };
  for (const [key, { state, sweptAt }] of shelf.graves) yield { kind: 'tombstone', key, state, sweptAt };
}

/** Everything that is loaded is written, what waits included: there may be no feed any more that tells it. */
export async function load(
  shelf: ArticleShelf,
  records: readonly LedgerRecord[],
  discord: ReadonlySet<string>,
): Promise<LoadOutcome[]> {
  const outcomes: LoadOutcome[] = [];
  const items = records.flatMap((record) => (record.kind === 'item' ? [record.item] : []));
  await shelf.lookUpItems(items.filter(({ key }) => !shelf.isAtHand(key)));
  for (const record of records) outcomes.push(await loadOne(shelf, record, discord));
  return outcomes;
}

async function loadOne(
  shelf: ArticleShelf,
  record: LedgerRecord,
  discord: ReadonlySet<string>,
): Promise<LoadOutcome> {
  if (record.kind === 'delivery') {
    const { delivery } = record;
    if (shelf.messages.has(delivery.key)) return 'there';
    const at = [shelf.names.outbox, hashOf(delivery.key)] as const;
    const message = { delivery, nth: shelf.order.next(), token: 0, marked: 0, held: null };
    const isOurs = await shelf.connection.mutate(at, (there) => {
      // What is there may be an earlier try of ours whose reply was lost; then it has our number.
      if (there.exists) return { value: messageOf(there)?.nth === message.nth, writes: [] };
      return { value: true, writes: [{ do: 'create', at, data: messageDocument(message) }] };
    });
    if (!isOurs) return 'there';
    shelf.messages.set(delivery.key, message);
    shelf.written.add(delivery.key);
    return 'loaded';
  }
  const key = record.kind === 'item' ? record.item.key : record.key;
  if (shelf.isAtHand(key) || shelf.graves.has(key)) return 'there';
  if (record.kind === 'tombstone') {
    await shelf.remember([], [[key, { state: record.state, sweptAt: record.sweptAt }]]);
    return 'loaded';
  }
  const stored = storedFrom(record, shelf.order.next());
  if (record.item.state === 'baseline') await shelf.remember([stored], []);
  else
    await shelf.write(stored, { at: record.item.checkedAt, messageId: discordIdIn(record.history, discord) });
  shelf.keep(stored);
  return 'loaded';
}

/** Discord's ID of the message with an article, as its history tells it. */
function discordIdIn(history: readonly HistoryEntry[], discord: ReadonlySet<string>): string | null {
  const ids = history.flatMap(({ notes }) =>
    discord.has(String(notes.destination)) && notes.outcome === 'sent' ? [String(notes.remoteId)] : [],
  );
  return ids.findLast((id) => SNOWFLAKE.test(id)) ?? null;
}
