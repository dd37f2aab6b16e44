import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import { OPEN_STATES } from '../../../item/lifecycle.ts';
import { type ItemRecord, type Tombstone, turnOf } from '../../../ledger/item-record.ts';
import type { Layout } from './layouts.ts';

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Longer content is compressed; a Firestore document holds 1 MiB in all. */
const COMPRESS_FROM = 64 * 1024;
const MAX_CONTENT_BYTES = 900 * 1024;

/** Content that does not fit into a document, even compressed. */
export class TooLargeForDocumentError extends Error {
  override readonly name = 'TooLargeForDocumentError';
  readonly bytes: number;

  constructor(bytes: number) {
    super(`${bytes} bytes do not fit into a document of Firestore.`);
    this.bytes = bytes;
  }
}

/**
 * Any value as one field. JSON escapes unpaired surrogates, so that every text survives unchanged, which a Firestore string
 * does not guarantee.
 */
export function pack(value: unknown): string | Buffer {
  const json = JSON.stringify(value);
  if (json.length < COMPRESS_FROM) return json;
  const packed = deflateRawSync(json);
  if (packed.length > MAX_CONTENT_BYTES) throw new TooLargeForDocumentError(packed.length);
  return packed;
}

export function unpack(field: unknown): unknown {
  if (typeof field === 'string') return JSON.parse(field);
  if (field instanceof Uint8Array) return JSON.parse(inflateRawSync(field).toString('utf8'));
  throw new Error('A document of the ledger has no content of this program.');
}

/** A text for the console: well-formed, and shortened. */
export function displayText(text: string, most = 1_000): string {
  return (text.length > most ? `${text.slice(0, most)}…` : text).toWellFormed();
}

/** Firestore timestamps begin with year 1; older times are shown as that. The exact time is in the ledger's own map. */
const MIN_FIRESTORE_TIME = Date.parse('0001-01-01T00:00:00.000Z');

export function firestoreTime(ms: number): Date {
  return new Date(Math.max(MIN_FIRESTORE_TIME, ms));
}

/**
 * A document of the ledger: the contract's fields, and beside them one map `ledger`:
 *
 *   content                       the whole `ItemRecord` as JSON, compressed when long
 *   state, source                 for lists
 *   sources                       every source that showed it
 *   checked_at, turn, nth         sort orders; `turn` is that of B6, by publication or by last check
 *   open, ready_at                whether and from when it can be claimed: due, and not claimed
 *   claim_until, claim_attempt    the owner is in the content
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

/** A history that makes the document too large loses its middle: the item itself has priority. */
function contentOf(stored: ItemRecord): string | Buffer {
  try {
    return pack(stored);
  } catch (error) {
    if (!(error instanceof TooLargeForDocumentError) || stored.history.length < 4) throw error;
    return pack({ ...stored, history: [...stored.history.slice(0, 1), ...stored.history.slice(-2)] });
  }
}

export function recordOfDocument(snapshot: DocumentSnapshot): ItemRecord | null {
  const content: unknown = snapshot.get('ledger.content');
  return content === undefined ? null : (unpack(content) as ItemRecord);
}

export function tombstoneDocument({ key, state, sweptAt }: Tombstone): DocumentData {
  return { key, key_hash: hashOf(key), state, swept_at: sweptAt };
}
