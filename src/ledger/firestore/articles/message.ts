import type { DocumentSnapshot } from '@google-cloud/firestore';
import { type StoredMessage, messageOf as storedMessageOf } from '../messages.ts';
import type { StoredItem } from '../stored-item.ts';

/** A message with the articles in it, so that nothing is lost when its process dies. */
export interface ArticleMessage extends StoredMessage {
  readonly articles?: readonly StoredItem[];
  /** Messages that its process was going to send when this one was written, and that had no document of their own yet. */
  readonly carried?: readonly ArticleMessage[];
}

export function messageOf(snapshot: DocumentSnapshot): ArticleMessage | null {
  return storedMessageOf(snapshot);
}
