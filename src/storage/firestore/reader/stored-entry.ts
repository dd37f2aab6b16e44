import type { EntryId, NewEntry } from '../../../reader/entry-store.ts';
import { hashed, type StoredEntry } from './documents.ts';
import { textStartOf } from './search.ts';

/** Bounds of what a document holds besides the text. */
const MAX_TITLE_LENGTH = 2_000;
const MAX_EXCERPT_LENGTH = 10_000;
const MAX_ADDRESS_LENGTH = 8_000;

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
  if (!Number.isSafeInteger(publishedAt))
    throw new RangeError(`Failed to add an entry: ${added.publishedAt} is not a time.`);
  return {
    ...added,
    publishedAt,
    url: cut(added.url, MAX_ADDRESS_LENGTH),
    title: cut(added.title, MAX_TITLE_LENGTH),
    author: added.author && cut(added.author, MAX_TITLE_LENGTH),
    excerpt: added.excerpt && cut(added.excerpt, MAX_EXCERPT_LENGTH),
    imageUrl: added.imageUrl && cut(added.imageUrl, MAX_ADDRESS_LENGTH),
  };
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

export interface Edit {
  readonly stored: StoredEntry;
  /** Title, text or picture. */
  readonly isVisible: boolean;
  /** The content of the feed, where it changed. */
  readonly content: string | null;
}

/** What the first source of an entry reports now. What it no longer gives is kept. `null`: the same as before. */
export function editOf(stored: StoredEntry, reported: NewEntry): Edit | null {
  const { entry } = stored;
  const contentHash = reported.content === null ? stored.contentHash : hashed(reported.content);
  const content = contentHash === stored.contentHash ? null : reported.content;
  const next = {
    ...entry,
    title: reported.title,
    excerpt: reported.excerpt ?? entry.excerpt,
    imageUrl: reported.imageUrl ?? entry.imageUrl,
    author: reported.author ?? entry.author,
    points: reported.points ?? entry.points,
  };
  const isVisible =
    content !== null ||
    next.title !== entry.title ||
    next.excerpt !== entry.excerpt ||
    next.imageUrl !== entry.imageUrl;
  if (!isVisible && next.author === entry.author && next.points === entry.points) return null;
  return { stored: { ...stored, entry: next, contentHash }, isVisible, content };
}

function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}
