import { isMissing, type SeenItem } from './seen-items.ts';

/** One entry of a feed that is told apart by its link. */
export interface LinkedEntry extends SeenItem {
  /** The older one of two entries with one link keeps it. */
  readonly publishedAt: number | null;
}

/**
 * Which entries of a feed need their guid to be told apart, because another item has the same link (X19): the places of these
 * entries. The feed's other items keep their keys, and so does the item that had the link first; where two come at once, the
 * older one. `apart` are the entries that were told apart before, as `apartMark` writes them.
 */
export function sharingEntries(
  now: readonly LinkedEntry[],
  before: readonly SeenItem[],
  apart: ReadonlySet<string>,
): ReadonlySet<number> {
  const sharing = new Set<number>();
  const sharedBefore = new Set([...apart].map((mark) => mark.slice(MARK_ID)));
  const seenLinks = new Set(before.map(({ link }) => link));
  for (const [link, places] of byLink(now)) {
    const groups = itemsAmong(places, now);
    if (groups.length < 2 && !sharedBefore.has(link)) continue;
    if (places.some((place) => isMissing(at(now, place).id))) continue;
    const free = groups.filter((group) => !group.some((place) => apart.has(apartMark(at(now, place)))));
    const owners = seenLinks.has(link)
      ? free.filter((group) => group.some((p) => wasSeen(at(now, p), before)))
      : free;
    const owner = oldest(owners, now);
    for (const group of groups) if (group !== owner) for (const place of group) sharing.add(place);
  }
  return sharing;
}

/** Whether the same item was there before: its link under the same guid or title. */
export function wasSeen({ id, link, title }: SeenItem, before: readonly SeenItem[]): boolean {
  return before.some(
    (old) =>
      old.link === link && ((!isMissing(id) && old.id === id) || (!isMissing(title) && old.title === title)),
  );
}

const MARK_ID = 8;
const MARK = 16;
const MAX_MARKS = 2_000;

/** What is remembered of an entry that is told apart by its guid. */
export function apartMark({ id, link }: Pick<SeenItem, 'id' | 'link'>): string {
  return id + link;
}

/** The newest first; the oldest are dropped when there are too many. */
export function packMarks(marks: Iterable<string>): string {
  return [...new Set(marks)].slice(0, MAX_MARKS).join('');
}

/** Reads what `packMarks` wrote; anything else is an empty memory. */
export function unpackMarks(packed: unknown): Set<string> {
  if (typeof packed !== 'string' || packed.length % MARK !== 0) return new Set();
  return new Set(packed.match(new RegExp(`.{${MARK}}`, 'g')) ?? []);
}

function byLink(now: readonly LinkedEntry[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  now.forEach(({ link }, place) => {
    if (!isMissing(link)) groups.set(link, [...(groups.get(link) ?? []), place]);
  });
  return groups;
}

/** Entries with one guid, or with one title, are one item that the feed lists twice. */
function itemsAmong(places: readonly number[], now: readonly LinkedEntry[]): number[][] {
  const groups: number[][] = [];
  for (const place of places) {
    const { id, title } = at(now, place);
    const same = groups.find((group) =>
      group.some((other) => at(now, other).id === id || at(now, other).title === title),
    );
    if (same === undefined) groups.push([place]);
    else same.push(place);
  }
  return groups;
}

/** Feeds list the newest first, so that of two without a date the last is the oldest. */
function oldest(groups: readonly number[][], now: readonly LinkedEntry[]): number[] | undefined {
  const age = (group: readonly number[]): number =>
    Math.min(...group.map((place) => at(now, place).publishedAt ?? Number.POSITIVE_INFINITY));
  return groups.toReversed().toSorted((a, b) => (age(a) === age(b) ? 0 : age(a) - age(b)))[0];
}

function at(now: readonly LinkedEntry[], place: number): LinkedEntry {
  const entry = now[place];
  if (entry === undefined) throw new RangeError(`There is no entry ${place}.`);
  return entry;
}
