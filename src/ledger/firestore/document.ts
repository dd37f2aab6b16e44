import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import { OPEN_STATES } from '../../item/lifecycle.ts';
import { type ItemRecord, type Tombstone, turnOf } from '../item-record.ts';
import { hashOf } from './layouts/items.ts';
import type { Layout } from './layouts/layout.ts';
import { pack, TooLargeForDocumentError, unpack } from './packing.ts';

/**
 * A document of the ledger: the contract's fields, and beside them one map `ledger`:
 *
 *   content                       everything as it is (`ItemRecord`), as JSON, packed when long
 *   state, source                 for lists
 *   sources                       every source that carried it
 *   checked_at, turn, nth         the orders; `turn` is B6's, by publication or by last check
 *   open, ready_at                whether and from when it may be taken: due, and not held
 *   claim_until, claim_attempt    who holds it is in the content
 *   handed_at                     see `Ledger.unhanded`
 *   wrote                         see `SharedLayout.field`
 *
 * `serverTime` and `before` as in `Layout.fields`.
 */
export function documentOf(
  layout: Pick<Layout, 'fields' | 'shared'>,
  stored: ItemRecord,
  serverTime?: unknown,
  before?: DocumentData,
): DocumentData {
  const fields = layout.fields(stored, serverTime, before);
  return { ...fields, ledger: ledgerMap(layout, stored, fields) };
}

/** The ledger's own map beside these fields of the contract. */
export function ledgerMap(
  { shared }: Pick<Layout, 'shared'>,
  stored: ItemRecord,
  fields: DocumentData,
): DocumentData {
  const { item, claim, handedAt, nth } = stored;
  return {
    content: contentOf(stored),
    state: item.state,
    reason: item.reason,
    source: item.sourceId,
    sources: stored.sightings.map(({ sourceId }) => sourceId),
    checked_at: item.checkedAt,
    turn: turnOf(item),
    nth,
    open: OPEN_STATES.includes(item.state),
    ready_at: Math.max(item.dueAt ?? 0, claim?.until ?? 0),
    claim_until: claim?.until ?? null,
    claim_attempt: claim === null ? null : `${claim.owner} ${claim.attempt}`,
    handed_at: handedAt,
    ...(shared !== undefined && { wrote: (fields[shared.field] as unknown) ?? null }),
  };
}

/** A history that makes the document too large loses its middle: the item itself comes first. */
function contentOf(stored: ItemRecord): string | Buffer {
  try {
    return pack(stored);
  } catch (error) {
    if (!(error instanceof TooLargeForDocumentError) || stored.history.length < 4) throw error;
    return pack({ ...stored, history: [...stored.history.slice(0, 1), ...stored.history.slice(-2)] });
  }
}

export function storedOf(snapshot: DocumentSnapshot): ItemRecord | null {
  const content: unknown = snapshot.get('ledger.content');
  return content === undefined ? null : (unpack(content) as ItemRecord);
}

export function tombstoneDocument({ key, state, sweptAt }: Tombstone): DocumentData {
  return { key, key_hash: hashOf(key), state, swept_at: sweptAt };
}
