import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { Place } from '../../../firestore/connection.ts';
import type { ItemKey } from '../../../item/item.ts';
import type { MessageRecord as StoredMessage } from '../../../outbox/message-record.ts';
import type { ItemRecord as StoredItem } from '../../item-record.ts';
import { hashOf } from '../layouts/items.ts';
import { messageOf as storedMessageOf } from '../messages.ts';

/** A message with the articles in it, so that nothing is lost when its process dies. */
export interface ArticleMessage extends StoredMessage {
  readonly articles?: readonly StoredItem[];
  /** Messages that its process was going to send when this one was written, and that had no document of their own yet. */
  readonly carried?: readonly ArticleMessage[];
  /** Another message said one of its articles first: nothing of it was sent, and it says nothing about the others. */
  readonly gaveWay?: true;
}

export function messageOf(snapshot: DocumentSnapshot): ArticleMessage | null {
  return storedMessageOf(snapshot);
}

export function placeOf(key: string, names: { readonly outbox: string }): Place {
  return [names.outbox, hashOf(key)];
}

/** Whether the document is this very try, and not that of another process which found the message and counts as we do. */
export function isSameTry(written: StoredMessage, ours: StoredMessage): boolean {
  return (
    written.nth === ours.nth && written.marked === ours.marked && written.held?.owner === ours.held?.owner
  );
}

/** Articles whose publication is not written down yet stay in the message; a dropped message needs them no more. */
export function lean(message: ArticleMessage): ArticleMessage {
  const { articles: _, ...rest } = message;
  return message.delivery.state === 'dropped' ? rest : message;
}

/** Without articles that are swept, the copies in it included: they would come back from there. */
export function withoutArticles(message: ArticleMessage, swept: ReadonlySet<ItemKey>): ArticleMessage {
  const { delivery, articles = [], carried = [] } = message;
  const stays = (key: ItemKey): boolean => !swept.has(key);
  const kept = {
    itemKeys: delivery.itemKeys.filter(stays),
    articles: articles.filter(({ item }) => stays(item.key)),
    carried: carried.filter((one) => one.delivery.itemKeys.every(stays)),
  };
  const isSame =
    kept.itemKeys.length === delivery.itemKeys.length &&
    kept.articles.length === articles.length &&
    kept.carried.length === carried.length;
  if (isSame) return message;
  return {
    ...message,
    delivery: { ...delivery, itemKeys: kept.itemKeys },
    articles: kept.articles,
    carried: kept.carried,
  };
}
