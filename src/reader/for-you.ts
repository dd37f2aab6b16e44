import type { Movement } from '../item/learned.ts';
import { RaisedArticles, type Taste } from '../learning/taste.ts';
import { BadCursorError } from '../ledger/filter.ts';
import { DAY } from '../time/duration.ts';
import {
  type EntryFilter,
  type EntryPage,
  type EntryStore,
  type ListedEntry,
  MAX_ENTRY_PAGE,
} from './entry-store.ts';

/** A story of the list, and what moved it. */
export interface RankedStory extends ListedEntry {
  readonly learned: Movement;
}

export interface RankedPage extends Omit<EntryPage, 'entries'> {
  readonly entries: readonly RankedStory[];
}

export interface ForYouRequest {
  readonly person: string;
  readonly filter: EntryFilter;
  readonly taste: Taste;
  readonly limit: number;
  readonly cursor?: string;
  readonly now: number;
}

/** The newest stories of the list, which are ranked; older ones follow in the order of time. */
const RANKED_STORIES = 2 * MAX_ENTRY_PAGE;
/** A story may be new while the list is read. */
const MAX_PAGES = 5;
/** What a story of this moment is worth, in points of what was learned; half of it after a day. */
const FRESH_POINTS = 20;
const FRESH_HALF_LIFE_MS = DAY;

/** Where a page of the ranked part ends. */
interface Position {
  /** When the first page was read: ages count from then. */
  readonly at: number;
  /** The ranked part is newer than this; `null`: it is the whole list. */
  readonly low: number | null;
  readonly score: number;
  readonly publishedAt: number;
  readonly id: number;
}

/** A page of a list, the stories first that the person probably wants (Q20). Without reactions it is the order of time. */
export async function forYouPage(
  entries: Pick<EntryStore, 'list'>,
  request: ForYouRequest,
): Promise<RankedPage> {
  const { cursor, filter, limit, now } = request;
  const place = cursor === undefined ? null : readCursor(cursor);
  if (place !== null && 'rest' in place) return olderPage(entries, request, place);
  const { stories, low } =
    place === null
      ? await newestStories(entries, request)
      : { stories: await storiesAfter(entries, request, place.low), low: place.low };
  const at = place?.at ?? now;
  const ranked = rank(stories, request.taste, at);
  const start = place === null ? 0 : ranked.findIndex((story) => comesAfter(story, place));
  const page = start === -1 ? [] : ranked.slice(start, start + limit);
  const last = page.at(-1);
  if (start !== -1 && last !== undefined && start + limit < ranked.length) {
    const { score, entry } = last;
    const next: Position = { at, low, score, publishedAt: entry.publishedAt, id: entry.id };
    return { entries: page, next: writeCursor(next) };
  }
  const hasOlder = low !== null && (filter.since === undefined || filter.since <= low);
  return { entries: page, next: hasOlder ? writeCursor({ rest: '', low }) : null };
}

async function newestStories(
  entries: Pick<EntryStore, 'list'>,
  { person, filter }: ForYouRequest,
): Promise<{ readonly stories: readonly ListedEntry[]; readonly low: number | null }> {
  const stories: ListedEntry[] = [];
  let cursor: string | null = null;
  do {
    const options = { order: 'newest', limit: MAX_ENTRY_PAGE, ...(cursor !== null && { cursor }) } as const;
    const page: EntryPage = await entries.list(person, filter, options);
    stories.push(...page.entries);
    cursor = page.next;
  } while (cursor !== null && stories.length < RANKED_STORIES);
  const low = cursor === null ? null : (stories.at(-1)?.entry.publishedAt ?? null);
  // Others may have the same time as the last one: all of them belong to the older part.
  return { stories: stories.filter(({ entry }) => low === null || entry.publishedAt > low), low };
}

async function storiesAfter(
  entries: Pick<EntryStore, 'list'>,
  { person, filter }: ForYouRequest,
  low: number | null,
): Promise<readonly ListedEntry[]> {
  const since = low === null ? filter.since : Math.max(low + 1, filter.since ?? 0);
  const stories: ListedEntry[] = [];
  let cursor: string | null = null;
  for (let n = 0; n < MAX_PAGES; n++) {
    const options = { order: 'newest', limit: MAX_ENTRY_PAGE, ...(cursor !== null && { cursor }) } as const;
    const page: EntryPage = await entries.list(
      person,
      { ...filter, ...(since !== undefined && { since }) },
      options,
    );
    stories.push(...page.entries);
    cursor = page.next;
    if (cursor === null) break;
  }
  return stories;
}

async function olderPage(
  entries: Pick<EntryStore, 'list'>,
  { person, filter, limit, taste }: ForYouRequest,
  { rest, low }: OlderPart,
): Promise<RankedPage> {
  const before = Math.min(filter.before ?? Number.MAX_SAFE_INTEGER, low + 1);
  const options = { order: 'newest', limit, ...(rest !== '' && { cursor: rest }) } as const;
  const page = await entries.list(person, { ...filter, before }, options);
  return {
    entries: page.entries.map((story) => ({ ...story, learned: taste.move(story.entry, namesOf(story)) })),
    next: page.next === null ? null : writeCursor({ rest: page.next, low }),
  };
}

type Scored = RankedStory & { readonly score: number };

function rank(stories: readonly ListedEntry[], taste: Taste, at: number): readonly Scored[] {
  const raised = new RaisedArticles();
  return stories
    .map((story) => ({ story, learned: taste.move(story.entry, namesOf(story)) }))
    .toSorted((a, b) => b.learned.points - a.learned.points || b.story.entry.id - a.story.entry.id)
    .map(({ story, learned: wanted }) => {
      const learned = raised.limit(wanted, story.entry, story.entry.arrivedAt);
      return { ...story, learned, score: learned.points + freshness(at - story.entry.publishedAt) };
    })
    .toSorted(compare);
}

/** The key and the addresses of a story: a star is one of the whole story. */
export function namesOf({ entry, others }: Pick<ListedEntry, 'entry' | 'others'>): readonly string[] {
  return [entry.key, ...others.map(({ url }) => url)];
}

function freshness(age: number): number {
  return FRESH_POINTS * 0.5 ** (Math.max(0, age) / FRESH_HALF_LIFE_MS);
}

function compare(a: Scored, b: Scored): number {
  return b.score - a.score || b.entry.publishedAt - a.entry.publishedAt || b.entry.id - a.entry.id;
}

function comesAfter({ score, entry }: Scored, place: Position): boolean {
  if (score !== place.score) return score < place.score;
  if (entry.publishedAt !== place.publishedAt) return entry.publishedAt < place.publishedAt;
  return entry.id < place.id;
}

interface OlderPart {
  /** Cursor of the store; empty at the beginning. */
  readonly rest: string;
  readonly low: number;
}

function writeCursor(place: Position | OlderPart): string {
  const values =
    'rest' in place
      ? [place.low, place.rest]
      : [place.at, place.low, place.score, place.publishedAt, place.id];
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

function readCursor(cursor: string): Position | OlderPart {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw new BadCursorError(cursor);
  }
  const values: readonly unknown[] = Array.isArray(read) ? read : [];
  const [one, other, score, publishedAt, id] = values;
  if (values.length === 2 && isNumber(one) && typeof other === 'string') return { low: one, rest: other };
  if (
    values.length === 5 &&
    isNumber(one) &&
    (other === null || isNumber(other)) &&
    isNumber(score) &&
    isNumber(publishedAt) &&
    isNumber(id)
  )
    return { at: one, low: other, score, publishedAt, id };
  throw new BadCursorError(cursor);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
