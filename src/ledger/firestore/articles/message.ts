import type { DocumentSnapshot } from '@google-cloud/firestore';
import { type StoredMessage, messageOf as storedMessageOf } from '../messages.ts';
import type { StoredItem } from '../stored-item.ts';

/** A message with the articles in it, so that nothing is lost when its process dies. */
export interface ArticleMessage extends StoredMessage {
  readonly articles?: readonly StoredItem[];
}

export function messageOf(snapshot: DocumentSnapshot): ArticleMessage | null {
  return storedMessageOf(snapshot);
}
