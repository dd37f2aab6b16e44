import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { DocumentData, DocumentSnapshot } from '@google-cloud/firestore';
import type { Entry, EntryId, EntryText } from '../../../reader/entry-store.ts';
import { enclosuresFrom, type StoredEnclosure, storedEnclosure } from '../../../reader/stored-enclosures.ts';
import type { DocumentPath } from '../connection.ts';
import type { QueryForm } from '../query.ts';

const ENTRIES = 'reader_entries';
const TEXTS = 'reader_texts';
const INDEXES = 'reader_sources';
const PEOPLE = 'reader_people';
const STATES = 'reader_states';

/** One document: the newest ID, and the revision of each source's index. */
export const HEADS_AT: DocumentPath = ['reader_heads', 'all'];

/** Values of one `in` condition. */
export const MAX_IN = 30;

/** Every query of the reader. */
export const READER_QUERIES = {
  byId: { collection: ENTRIES, where: [['entry_id', 'in']], orderBy: [] },
  keptBy: { collection: ENTRIES, where: [['kept_by', 'array-contains']], orderBy: [] },
  newestWithToken: {
    collection: ENTRIES,
    where: [['tokens', 'array-contains']],
    orderBy: [
      ['published_at', 'desc'],
      ['entry_id', 'desc'],
    ],
  },
  oldestWithToken: {
    collection: ENTRIES,
    where: [['tokens', 'array-contains']],
    orderBy: [
      ['published_at', 'asc'],
      ['entry_id', 'asc'],
    ],
  },
  oldTexts: { collection: TEXTS, where: [['aged_from', '<']], orderBy: [['aged_from', 'asc']] },
  statesOf: { collection: STATES, where: [['person', '==']], orderBy: [] },
} as const satisfies Readonly<Record<string, QueryForm>>;

/** An entry with what the search needs beside it. */
export interface StoredEntry {
  readonly entry: Entry;
  /** Display names of its sources, for the search. */
  readonly sourceNames: readonly string[];
  /** Start of the text, without markup, for the search. */
  readonly textStart: string;
  /** Hash of the content that the feed carries; `null` if it carries none. */
  readonly contentHash: string | null;
}

/** By the key, so that replicas that add the same article at the same time write the same document. */
export function entryAt(key: string): DocumentPath {
  return [ENTRIES, hashed(key)];
}

export function textAt(id: EntryId): DocumentPath {
  return [TEXTS, String(id)];
}

export function indexAt(sourceId: string): DocumentPath {
  return [INDEXES, hashed(sourceId)];
}

export function personAt(person: string): DocumentPath {
  return [PEOPLE, hashed(person)];
}

export function statesAt(person: string, number: number): DocumentPath {
  return [STATES, `${hashed(person)}-${number}`];
}

/** Only what is queried is outside of `content`, which is not indexed. */
export function entryData(
  stored: StoredEntry,
  tokens: readonly string[],
  keptBy: readonly string[],
): DocumentData {
  const { id, publishedAt } = stored.entry;
  return {
    entry_id: id,
    published_at: publishedAt,
    kept_by: [...keptBy],
    tokens: [...tokens],
    content: JSON.stringify(withStoredEnclosure(stored)),
  };
}

function withStoredEnclosure({ entry: { enclosures, ...entry }, ...stored }: StoredEntry): WrittenEntry {
  return { ...stored, entry: { ...entry, enclosure: storedEnclosure(enclosures) } };
}

/** The form in a document, which it had already when an entry had at most one enclosure. */
type WrittenEntry = Omit<StoredEntry, 'entry'> & {
  readonly entry: Omit<Entry, 'enclosures'> & { readonly enclosure: StoredEnclosure | null };
};

export function toStoredEntry(found: DocumentSnapshot): StoredEntry | null {
  const content: unknown = found.get('content');
  if (typeof content !== 'string') return null;
  const { entry: written, ...stored } = JSON.parse(content) as WrittenEntry;
  const { enclosure, ...entry } = written;
  return { ...stored, entry: { ...entry, enclosures: enclosuresFrom(enclosure) } };
}

/** IDs of the people who starred the entry or want to read it later. */
export function keepersOf(found: DocumentSnapshot): readonly string[] {
  const keepers: unknown = found.get('kept_by');
  return Array.isArray(keepers) ? keepers.filter((one) => typeof one === 'string') : [];
}

export function textData(id: EntryId, text: EntryText): DocumentData {
  return { entry_id: id, aged_from: text.fetchedAt, content: deflated(text) };
}

export function toEntryText(found: DocumentSnapshot): EntryText | null {
  return inflated<EntryText>(found.get('content'));
}

export function deflated(value: unknown): Uint8Array {
  return deflateRawSync(JSON.stringify(value));
}

export function inflated<T>(content: unknown): T | null {
  if (!(content instanceof Uint8Array)) return null;
  return JSON.parse(inflateRawSync(content).toString('utf8')) as T;
}

export function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
