import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import { OPEN_DELIVERIES } from '../../../press/outbox.ts';
import { hashOf } from '../layouts/items.ts';
import type { StoredMessage } from '../messages.ts';
import { pack, shown, unpack } from '../packing.ts';
import type { StoredItem } from '../stored-item.ts';
import { timeOf } from '../times.ts';

/** A message with the articles in it, so that nothing is lost when its process dies. */
export interface ArticleMessage extends StoredMessage {
  readonly articles?: readonly StoredItem[];
}

export function messageDocument(message: ArticleMessage): DocumentData {
  const { delivery, nth } = message;
  return {
    key: shown(delivery.key),
    destination: delivery.destination,
    state: delivery.state,
    open: OPEN_DELIVERIES.includes(delivery.state),
    nth,
    item_ids: delivery.itemKeys.map((key) => hashOf(key)),
    remote_id: delivery.remoteId,
    created_at: timeOf(delivery.createdAt),
    updated_at: timeOf(delivery.updatedAt),
    content: pack(message),
  };
}

export function messageOf(snapshot: DocumentSnapshot): ArticleMessage | null {
  const content: unknown = snapshot.get('content');
  return content === undefined ? null : (unpack(content) as ArticleMessage);
}
