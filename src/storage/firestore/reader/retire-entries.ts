import type { DocumentSnapshot } from '@google-cloud/firestore';
import type { EntryId } from '../../../reader/entry-store.ts';
import type { Write } from '../connection.ts';
import { entryAt, entryData, keepersOf, type StoredEntry, textAt, toStoredEntry } from './documents.ts';
import type { IndexDraft } from './index-draft.ts';
import { tokensOf } from './search.ts';
import { ORPHANS } from './source-index.ts';
import { withoutSource } from './stored-entry.ts';

/**
 * Takes entries out of a source: another one may still carry them, and what a person starred or wants to read later stays
 * without a source; the others are deleted. Their rows remain in the draft as removed ones.
 */
export function retireFromSource(
  draft: IndexDraft,
  sourceId: string,
  ids: Iterable<EntryId>,
  documents: readonly DocumentSnapshot[],
): Write[] {
  const writes: Write[] = [];
  const documentOf = new Map(documents.map((found) => [Number(found.get('entry_id')), found]));
  for (const id of ids) {
    const row = draft.rowsOf(sourceId).get(id);
    const found = documentOf.get(id);
    const stored = found === undefined ? null : toStoredEntry(found);
    draft.markGone(sourceId, id);
    if (row === undefined || found?.updateTime === undefined || stored === null) continue;
    const left = withoutSource(stored, sourceId);
    const keepers = keepersOf(found);
    if (left.entry.sourceIds.length === 0 && keepers.length === 0) {
      writes.push(...deletionOf(found, stored));
      continue;
    }
    if (left.entry.sourceIds.length === 0)
      draft.rowsOf(ORPHANS).set(id, { ...row, keyHash: 0, isGone: false });
    const data = entryData(left, tokensOf(left), keepers);
    writes.push({ do: 'replace', at: entryAt(stored.entry.key), data, asOf: found.updateTime });
  }
  return writes;
}

/** Fails if the entry was starred since it was read. */
export function deletionOf({ updateTime }: DocumentSnapshot, { entry }: StoredEntry): Write[] {
  if (updateTime === undefined) return [];
  return [
    { do: 'delete', at: entryAt(entry.key), asOf: updateTime },
    { do: 'delete', at: textAt(entry.id) },
  ];
}
