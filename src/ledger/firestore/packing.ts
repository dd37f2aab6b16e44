import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** What is longer than this is packed; a document of Firestore holds 1 MiB in all. */
const PACKED_FROM = 64 * 1024;
const LONGEST = 900 * 1024;

/** More than a document can hold, also when packed. */
export class TooLargeForDocumentError extends Error {
  override readonly name = 'TooLargeForDocumentError';
  readonly bytes: number;

  constructor(bytes: number) {
    super(`${bytes} bytes do not fit into a document of Firestore.`);
    this.bytes = bytes;
  }
}

/**
 * Any value as one field. JSON writes an unpaired surrogate as an escape, so that everything comes back as it was, which
 * a text of Firestore's own cannot promise.
 */
export function pack(value: unknown): string | Buffer {
  const json = JSON.stringify(value);
  if (json.length < PACKED_FROM) return json;
  const packed = deflateRawSync(json);
  if (packed.length > LONGEST) throw new TooLargeForDocumentError(packed.length);
  return packed;
}

export function unpack(field: unknown): unknown {
  if (typeof field === 'string') return JSON.parse(field);
  if (field instanceof Uint8Array) return JSON.parse(inflateRawSync(field).toString('utf8'));
  throw new Error('A document of the ledger has no content that this program wrote.');
}

/** A text as people see it in the console: well-formed, and not endless. */
export function shown(text: string, most = 1_000): string {
  return (text.length > most ? `${text.slice(0, most)}…` : text).toWellFormed();
}
