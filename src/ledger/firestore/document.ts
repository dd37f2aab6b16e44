import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import { OPEN_STATES } from '../../item/lifecycle.ts';
import type { Layout } from './layouts/layout.ts';
import { pack, TooLargeForDocumentError, unpack } from './packing.ts';
import { type StoredItem, turnOf } from './stored-item.ts';

/**
 * A document of the ledger: the contract's fields, and beside them one map `ledger`:
 *
 *   content                       everything as it is (`StoredItem`), as JSON, packed when long
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
  stored: StoredItem,
  serverTime?: unknown,
  before?: DocumentData,
): DocumentData {
  const fields = layout.fields(stored, serverTime, before);
  return { ...fields, ledger: ledgerMap(layout, stored, fields) };
}

/** The ledger's own map beside these fields of the contract. */
export function ledgerMap(
  { shared }: Pick<Layout, 'shared'>,
  stored: StoredItem,
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
function contentOf(stored: StoredItem): string | Buffer {
  try {
    return pack(stored);
  } catch (error) {
    if (!(error instanceof TooLargeForDocumentError) || stored.history.length < 4) throw error;
    return pack({ ...stored, history: [...stored.history.slice(0, 1), ...stored.history.slice(-2)] });
  }
}

export function storedOf(snapshot: DocumentSnapshot): StoredItem | null {
  const content: unknown = snapshot.get('ledger.content');
  return content === undefined ? null : (unpack(content) as StoredItem);
}
