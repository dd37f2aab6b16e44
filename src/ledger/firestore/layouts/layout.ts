import type { DocumentData } from '@google-cloud/firestore';
import type { ItemKey } from '../../../item/item.ts';
import type { StoredItem } from '../stored-item.ts';

/**
 * How one kind of pipeline shows its items in Firestore: a pure mapping. The fields are the contract's own; whatever else
 * the ledger needs lies in one map named `ledger` beside them (see `document.ts`) and in further collections whose names
 * begin with the layout's.
 */
export interface Layout {
  /** Collection of the items. */
  readonly items: string;
  /** Of what was swept (X20): `key`, `state`, `swept_at`. */
  readonly tombstones: string;
  /** Of the messages. */
  readonly outbox: string;
  /** Of the sources of what was swept. */
  readonly sources: string;
  idOf(key: ItemKey): string;
  fields(stored: StoredItem): DocumentData;
  /** Fields that have to be seen in between on the way from one document to the next, each a write of its own. */
  between?(before: DocumentData, after: StoredItem): readonly DocumentData[];
  /**
   * The item that another program of the same contract recorded, or changed since; `null` where the document is the
   * ledger's own (`own` is what the ledger stored) or no item of this layout.
   */
  adopt?(document: ForeignDocument, own: StoredItem | null): Omit<StoredItem, 'nth'> | null;
}

export interface ForeignDocument {
  readonly id: string;
  readonly data: DocumentData;
  readonly createdAt: number;
}
