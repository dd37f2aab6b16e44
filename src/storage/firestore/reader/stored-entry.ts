import { isDeepStrictEqual } from 'node:util';
import {
  type Entry,
  type EntryId,
  MAX_ENTRY_TEXT_BYTES,
  type NewEntry,
} from '../../../reader/entry-store.ts';
import { hashed, type StoredEntry } from './documents.ts';
import { textStartOf } from './search.ts';

/** Bounds of what a document holds besides the text. */
const MAX_TITLE_LENGTH = 2_000;
const MAX_EXCERPT_LENGTH = 10_000;
const MAX_ADDRESS_LENGTH = 8_000;
/** Of a `Date`. */
const MAX_TIME = 8.64e15;

export function newStoredEntry(added: NewEntry, id: EntryId, storyId: EntryId, now: number): StoredEntry {
  const { sourceId, sourceName, content, ...fields } = checkedEntry(added, now);
  return {
    entry: { ...fields, id, storyId, arrivedAt: now, sourceIds: [sourceId] },
    sourceNames: [sourceName],
    textStart: content === null ? '' : textStartOf(content),
    contentHash: content === null ? null : hashed(content),
  };
}

/** What a source reports, fit for a document: text without half characters, times that are possible. */
export function checkedEntry(added: NewEntry, now: number): NewEntry {
  const publishedAt = Math.trunc(Math.min(added.publishedAt, now));
  if (!(Math.abs(publishedAt) <= MAX_TIME))
    throw new RangeError(`Failed to add an entry: ${added.publishedAt} is not a time.`);
  if (added.content !== null) checkText(added.content);
  return {
    ...added,
    publishedAt,
    url: cut(added.url, MAX_ADDRESS_LENGTH),
    title: cut(added.title, MAX_TITLE_LENGTH),
    author: added.author && cut(added.author, MAX_TITLE_LENGTH),
    excerpt: added.excerpt && cut(added.excerpt, MAX_EXCERPT_LENGTH),
    imageUrl: added.imageUrl && cut(added.imageUrl, MAX_ADDRESS_LENGTH),
    sourceName: cut(added.sourceName, MAX_TITLE_LENGTH),
  };
}

/** A compressed text of this length always fits into a document. */
export function checkText(html: string): void {
  if (Buffer.byteLength(html) > MAX_ENTRY_TEXT_BYTES)
    throw new RangeError(`A text has at most ${MAX_ENTRY_TEXT_BYTES} bytes. Cut it before it is stored.`);
}

export function withSource(stored: StoredEntry, { sourceId, sourceName }: NewEntry): StoredEntry {
  return {
    ...stored,
    entry: { ...stored.entry, sourceIds: [...stored.entry.sourceIds, sourceId] },
    sourceNames: [...stored.sourceNames, sourceName],
  };
}

export function withoutSource(stored: StoredEntry, sourceId: string): StoredEntry {
  const { sourceIds } = stored.entry;
  return {
    ...stored,
    entry: { ...stored.entry, sourceIds: sourceIds.filter((id) => id !== sourceId) },
    sourceNames: stored.sourceNames.filter((_, nth) => sourceIds[nth] !== sourceId),
  };
}

export interface Merged {
  readonly stored: StoredEntry;
  readonly isChanged: boolean;
  /** Something that people see changed, the content aside. */
  readonly isEdited: boolean;
  /** The content of the feed, where it changed. */
  readonly content: string | null;
}

/**
 * What a source reports of a known article, merged into what is stored. The first source may change it; others only add what is
 * missing, so that two sources do not overwrite each other with every reading. What a source no longer gives is kept.
 */
export function mergeReport(stored: StoredEntry, reported: NewEntry): Merged {
  const { entry } = stored;
  const [first = reported.sourceId] = entry.sourceIds;
  const isFirst = first === reported.sourceId;
  const pick = <T>(known: T | null, given: T | null): T | null =>
    isFirst ? (given ?? known) : (known ?? given);
  const contentHash = pick(stored.contentHash, reported.content === null ? null : hashed(reported.content));
  const next: Entry = {
    ...entry,
    url: isFirst ? reported.url : entry.url,
    title: isFirst ? reported.title : entry.title,
    author: pick(entry.author, reported.author),
    excerpt: pick(entry.excerpt, reported.excerpt),
    imageUrl: pick(entry.imageUrl, reported.imageUrl),
    language: pick(entry.language, reported.language),
    points: pick(entry.points, reported.points),
    enclosures: pick(listed(entry.enclosures), listed(reported.enclosures)) ?? [],
  };
  const hasContent = contentHash !== stored.contentHash;
  return {
    stored: { ...stored, entry: next, contentHash },
    isChanged: hasContent || !isDeepStrictEqual(next, entry),
    isEdited: !isDeepStrictEqual(
      { ...next, points: null, language: null },
      { ...entry, points: null, language: null },
    ),
    content: hasContent ? reported.content : null,
  };
}

function listed<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list;
}

function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}
