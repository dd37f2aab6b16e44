import type { EntryId, EntryListOptions } from '../../../reader/entry-store.ts';
import type { SearchTerm } from '../../../reader/search-text.ts';
import type { FirestoreConnection } from '../connection.ts';
import { READER_QUERIES, type StoredEntry, toStoredEntry } from './documents.ts';
import type { EntryDocuments } from './entry-documents.ts';
import type { EntryModel } from './entry-model.ts';
import { matchesSearch, rarestToken } from './search.ts';
import type { EntrySelection, Position } from './select-entries.ts';

/** Documents that are read for one page; a page may have fewer entries than asked for, and still a next one. */
export const MAX_SCANNED = 300;
const SCANNED_PER_STEP = 100;
/** Where the other conditions leave so few stories, their documents are read without the index of words. */
const MAX_READ_DIRECTLY = 100;

interface Parts {
  readonly connection: FirestoreConnection;
  readonly documents: EntryDocuments;
  readonly model: EntryModel;
}

interface Range {
  readonly order: EntryListOptions['order'];
  readonly limit: number;
  readonly after: Position | null;
}

interface Step {
  readonly scanned: readonly StoredEntry[];
  readonly isLast: boolean;
}

/** One page of a search: IDs of entries, and where the next page begins. */
export async function searchPage(
  parts: Parts,
  selection: EntrySelection,
  terms: readonly SearchTerm[],
  { order, limit, after }: Range,
): Promise<{ readonly entries: EntryId[]; readonly next: Position | null }> {
  const entries: EntryId[] = [];
  if (terms.length === 0) return { entries, next: null };
  let at = after;
  let isLast = false;
  const read = stepsOf(parts, selection, terms, order);
  for (let scanned = 0; scanned < MAX_SCANNED && !isLast; ) {
    const step = await read(at);
    const listed = await firstMatches(parts, selection, terms, step.scanned);
    for (const { entry } of step.scanned) {
      if (entries.length === limit) return { entries, next: at };
      if (listed.has(entry.id)) entries.push(entry.id);
      at = { publishedAt: entry.publishedAt, id: entry.id };
    }
    scanned += Math.max(1, step.scanned.length);
    isLast = step.isLast;
  }
  return { entries, next: isLast ? null : at };
}

/** Reads what may match, in the order of the list. */
function stepsOf(
  { connection, documents }: Parts,
  selection: EntrySelection,
  terms: readonly SearchTerm[],
  order: Range['order'],
): (after: Position | null) => Promise<Step> {
  const token = rarestToken(terms);
  const isSmall = selection.entries(order, MAX_READ_DIRECTLY + 1, null).length <= MAX_READ_DIRECTLY;
  if (token === null || isSmall)
    return async (after) => {
      const positions = selection.entries(order, SCANNED_PER_STEP, after);
      const found = (await documents.snapshots(positions.map(({ id }) => id))).flatMap(
        (document) => toStoredEntry(document) ?? [],
      );
      const storedOf = new Map(found.map((stored) => [stored.entry.id, stored]));
      return {
        scanned: positions.flatMap(({ id }) => storedOf.get(id) ?? []),
        isLast: positions.length < SCANNED_PER_STEP,
      };
    };
  const form = order === 'newest' ? READER_QUERIES.newestWithToken : READER_QUERIES.oldestWithToken;
  return async (after) => {
    const found = await connection.query(form, {
      where: [token],
      limit: SCANNED_PER_STEP,
      ...(after !== null && { startAfter: [after.publishedAt, after.id] }),
    });
    return {
      scanned: found.flatMap((document) => toStoredEntry(document) ?? []),
      isLast: found.length < SCANNED_PER_STEP,
    };
  };
}

/** The IDs of those that stand for their story: they match, and no earlier entry of the story does. */
async function firstMatches(
  { documents, model }: Parts,
  selection: EntrySelection,
  terms: readonly SearchTerm[],
  scanned: readonly StoredEntry[],
): Promise<Set<EntryId>> {
  const earlierOf = new Map<EntryId, EntryId[]>();
  for (const stored of scanned) {
    const { id } = stored.entry;
    const story = model.storyOf(id);
    const matching = story === undefined ? [] : selection.matchesIn(story);
    if (matching.includes(id) && matchesSearch(terms, stored))
      earlierOf.set(
        id,
        matching.filter((other) => other < id),
      );
  }
  const matches = new Set<EntryId>();
  for (const document of await documents.snapshots([...earlierOf.values()].flat())) {
    const stored = toStoredEntry(document);
    if (stored !== null && matchesSearch(terms, stored)) matches.add(stored.entry.id);
  }
  return new Set(
    [...earlierOf].filter(([, earlier]) => !earlier.some((id) => matches.has(id))).map(([id]) => id),
  );
}
