import type { DocumentData } from '@google-cloud/firestore';
import type { ItemKey } from '../../../item/item.ts';
import type { ItemRecord } from '../../item-record.ts';

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
  /**
   * `serverTime` stands for Firestore's own time of the write; `before` is the document as it is, absent where it is new. What
   * the answer does not name stays as it is.
   */
  fields(stored: ItemRecord, serverTime: unknown, before?: DocumentData): DocumentData;
  /** Fields that have to be seen in between on the way from one document to the next, each a write of its own. */
  between?(before: DocumentData, after: ItemRecord, serverTime: unknown): readonly DocumentData[];
  /** How another program of the same contract works on the same documents. */
  readonly shared?: SharedLayout;
}

export interface SharedLayout {
  /** The field that both write. What the ledger wrote there last lies as `wrote` in its own map too, which tells whose it is. */
  readonly field: string;
  /** The field with the time at which a document was recorded. */
  readonly recordedAt: string;
  /**
   * The item that another program recorded, or changed since; `null` where the document is as the ledger left it (`own` is
   * what the ledger stored).
   */
  adopt(document: ForeignDocument, own: ItemRecord | null): Omit<ItemRecord, 'nth'> | null;
  /** Every change that another program may make: what the field holds now, and what the ledger may have written there. */
  readonly changes: readonly (readonly [now: string, wrote: readonly string[]])[];
  /** What the field holds where an item is settled for good. */
  readonly settled: string;
}

export interface ForeignDocument {
  readonly id: string;
  readonly data: DocumentData;
  readonly createdAt: number;
  readonly now: number;
}
