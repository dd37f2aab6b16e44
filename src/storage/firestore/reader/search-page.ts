import type { EntryId, EntryListOptions } from '../../../reader/entry-store.ts';
import type { FirestoreConnection } from '../connection.ts';
import { READER_QUERIES, type StoredEntry, toStoredEntry } from './documents.ts';
import type { EntryDocuments } from './entry-documents.ts';
import type { EntryModel } from './entry-model.ts';
import type { EntrySearch } from './search.ts';
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
  search: EntrySearch,
  { order, limit, after }: Range,
): Promise<{ readonly entries: EntryId[]; readonly next: Position | null }> {
  const entries: EntryId[] = [];
  if (search.terms.length === 0) return { entries, next: null };
  let at = after;
  let isLast = false;
  const read = stepsOf(parts, selection, search, order);
  for (let scanned = 0; scanned < MAX_SCANNED && !isLast; ) {
    const step = await read(at);
    const listed = await firstMatches(parts, selection, search, step.scanned);
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

type ReadStep = (after: Position | null) => Promise<Step>;

/** Reads what may match, in the order of the list. */
function stepsOf(
  parts: Parts,
  selection: EntrySelection,
  search: EntrySearch,
  order: Range['order'],
): ReadStep {
  const key = search.key();
  const isSmall = selection.entries(order, MAX_READ_DIRECTLY + 1, null).length <= MAX_READ_DIRECTLY;
  if (key === null || isSmall) return (after) => readSelected(parts, selection, order, after, []);
  const { token, sourceIds } = key;
  if (sourceIds.length === 0) return (after) => readByToken(parts, token, order, after);
  const named = selection.within(sourceIds);
  return async (after) => {
    const byToken = await readByToken(parts, token, order, after);
    // Most entries came with the name that their source has now, so that they are among these.
    const byName = await readSelected(parts, named, order, after, byToken.scanned);
    return mergeSteps(byToken, byName, order);
  };
}

/** `known`: documents that were read already. */
async function readSelected(
  { documents }: Parts,
  selection: EntrySelection,
  order: Range['order'],
  after: Position | null,
  known: readonly StoredEntry[],
): Promise<Step> {
  const positions = selection.entries(order, SCANNED_PER_STEP, after);
  const storedOf = new Map(known.map((stored) => [stored.entry.id, stored]));
  const missing = positions.map(({ id }) => id).filter((id) => !storedOf.has(id));
  for (const document of await documents.snapshots(missing)) {
    const stored = toStoredEntry(document);
    if (stored !== null) storedOf.set(stored.entry.id, stored);
  }
  return {
    scanned: positions.flatMap(({ id }) => storedOf.get(id) ?? []),
    isLast: positions.length < SCANNED_PER_STEP,
  };
}

async function readByToken(
  { connection }: Parts,
  token: string,
  order: Range['order'],
  after: Position | null,
): Promise<Step> {
  const form = order === 'newest' ? READER_QUERIES.newestWithToken : READER_QUERIES.oldestWithToken;
  const found = await connection.query(form, {
    where: [token],
    limit: SCANNED_PER_STEP,
    ...(after !== null && { startAfter: [after.publishedAt, after.id] }),
  });
  return {
    scanned: found.flatMap((document) => toStoredEntry(document) ?? []),
    isLast: found.length < SCANNED_PER_STEP,
  };
}

/** Both in order, as far as both were read. */
function mergeSteps(a: Step, b: Step, order: Range['order']): Step {
  const sign = order === 'oldest' ? 1 : -1;
  const compare = (one: StoredEntry, other: StoredEntry): number =>
    sign * (one.entry.publishedAt - other.entry.publishedAt || one.entry.id - other.entry.id);
  const ends = [a, b].flatMap(({ isLast, scanned }) => (isLast ? [] : (scanned.at(-1) ?? [])));
  const byId = new Map([...a.scanned, ...b.scanned].map((stored) => [stored.entry.id, stored]));
  const scanned = [...byId.values()]
    .filter((stored) => ends.every((end) => compare(stored, end) <= 0))
    .sort(compare);
  return { scanned, isLast: a.isLast && b.isLast };
}

/** The IDs of those that stand for their story: they match, and no earlier entry of the story does. */
async function firstMatches(
  { documents, model }: Parts,
  selection: EntrySelection,
  search: EntrySearch,
  scanned: readonly StoredEntry[],
): Promise<Set<EntryId>> {
  const earlierOf = new Map<EntryId, EntryId[]>();
  for (const stored of scanned) {
    const { id } = stored.entry;
    const story = model.storyOf(id);
    const matching = story === undefined ? [] : selection.matchesIn(story);
    if (matching.includes(id) && search.matches(stored))
      earlierOf.set(
        id,
        matching.filter((other) => other < id),
      );
  }
  const matches = new Set<EntryId>();
  for (const document of await documents.snapshots([...earlierOf.values()].flat())) {
    const stored = toStoredEntry(document);
    if (stored !== null && search.matches(stored)) matches.add(stored.entry.id);
  }
  return new Set(
    [...earlierOf].filter(([, earlier]) => !earlier.some((id) => matches.has(id))).map(([id]) => id),
  );
}
