import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import type { Place, Write } from './connection.ts';

/** Writes a document on the strength of what was read: it is made where nothing was, and replaced only as it was found. */
export function put(
  snapshot: Partial<Pick<DocumentSnapshot, 'updateTime'>>,
  at: Place,
  data: DocumentData,
): Write {
  return snapshot.updateTime === undefined
    ? { do: 'create', at, data }
    : { do: 'replace', at, data, asOf: snapshot.updateTime };
}
