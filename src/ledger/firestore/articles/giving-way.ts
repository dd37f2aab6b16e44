import { gaveWay } from '../../../outbox/message-record.ts';
import type { Delivery } from '../../../press/outbox.ts';
import { recordedUrl } from '../layouts/articles.ts';
import { messageDocument } from '../messages.ts';
import { type ArticleMessage, isSameTry, lean, messageOf, placeOf } from './message.ts';
import type { ArticleShelf } from './shelf.ts';

/**
 * Two processes may mean to say one article: the message that is written second gives way as a whole. Its other articles are
 * free again, and the curator's next run says them where they have no message.
 */

/** Its document says that it gave way: whoever finds it carried by another message leaves it alone. */
export function putAside(message: ArticleMessage, shelf: ArticleShelf): Promise<void> {
  const at = placeOf(message.delivery.key, shelf.names);
  const delivery = gaveWay(message.delivery, shelf.clock.now());
  const aside: ArticleMessage = { ...lean({ ...message, delivery }), held: null, carried: [], gaveWay: true };
  return shelf.connection.transact(shelf.names.outbox, async (reads) => {
    const [there] = await reads.getAll([at]);
    const written = there === undefined ? null : messageOf(there);
    const ours = written === null || isSameTry(written, message);
    return { value: undefined, writes: ours ? [{ do: 'set', at, data: messageDocument(aside) }] : [] };
  });
}

/**
 * What is known here is read again, so that nobody waits behind the message. Those of its articles that nobody has settled are
 * written: they are found by whoever says them next.
 */
export async function giveWay({ key, itemKeys }: Delivery, shelf: ArticleShelf): Promise<void> {
  if (!shelf.written.has(key)) shelf.messages.delete(key);
  for (const message of await shelf.messagesOf(itemKeys)) shelf.takeMessage(message);
  const same = messageOf(await shelf.connection.get(placeOf(key, shelf.names)));
  if (same !== null) shelf.messages.set(key, same);
  const urls = new Map(
    itemKeys.flatMap((itemKey) => {
      const item = shelf.items.get(itemKey)?.item;
      return item === undefined ? [] : [[itemKey, [recordedUrl(item)]] as const];
    }),
  );
  for (const stored of (await shelf.lookUp(itemKeys, urls)).values()) {
    shelf.keep(stored);
    shelf.unwritten.delete(stored.item.key);
  }
  for (const itemKey of itemKeys) {
    const stored = shelf.items.get(itemKey);
    if (stored !== undefined && shelf.unwritten.has(itemKey)) await shelf.write({ ...stored, claim: null });
  }
}
