/** An item that a feed has listed: hashes of its guid, link and title. */
export interface SeenItem {
  readonly id: string;
  readonly link: string;
  readonly title: string;
}

const BASE64_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * 48 bits in 8 characters: enough to distinguish a feed's few hundred items, small enough to store them all. Two
 * multiplicative hashes side by side, mixed at the end; fast rather than secure, since a feed that makes its own items
 * collide harms only itself.
 */
export function shortHash(text: string): string {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 0x9e3779b1);
    b = Math.imul(b ^ c, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return fourLetters(a) + fourLetters(b);
}

function fourLetters(bits: number): string {
  const at = (shift: number): string => BASE64_ALPHABET.charAt((bits >>> shift) & 63);
  return at(0) + at(6) + at(12) + at(18);
}

const EMPTY_HASH = '........';

/** An empty text has no hash: a missing value equals no other. */
export function partHash(text: string | null): string {
  return text === null || text === '' ? EMPTY_HASH : shortHash(text);
}

export function isMissing(hash: string): boolean {
  return hash === EMPTY_HASH;
}

const PACKED_WIDTH = 24;

export function packSeen(items: readonly SeenItem[]): string {
  return items.map((item) => item.id + item.link + item.title).join('');
}

/** Reverses `packSeen`; anything else is an empty list. */
export function unpackSeen(packed: unknown): SeenItem[] {
  if (typeof packed !== 'string' || packed.length % PACKED_WIDTH !== 0) return [];
  const items: SeenItem[] = [];
  for (let at = 0; at < packed.length; at += PACKED_WIDTH) {
    items.push({
      id: packed.slice(at, at + 8),
      link: packed.slice(at + 8, at + 16),
      title: packed.slice(at + 16, at + 24),
    });
  }
  return items;
}

const MAX_SEEN = 2_000;
const MIN_SEEN = 200;

/** The items just seen, then those seen before; several times the length of the feed, so that reordering loses nothing. */
export function mergeSeen(now: readonly SeenItem[], before: readonly SeenItem[]): SeenItem[] {
  const limit = Math.min(MAX_SEEN, Math.max(MIN_SEEN, now.length * 3));
  const kept: SeenItem[] = [];
  const packed = new Set<string>();
  for (const item of [...now, ...before]) {
    const key = item.id + item.link + item.title;
    if (packed.has(key)) continue;
    packed.add(key);
    kept.push(item);
    if (kept.length >= limit) break;
  }
  return kept;
}

/** One entry of a feed whose identity is `link`. */
export interface LinkedEntry extends SeenItem {
  /** The older one of two entries with one link keeps it. */
  readonly publishedAt: number | null;
}

/**
 * Indexes of the entries that are identified by their guid because another item has the same link (X19). The
 * feed's other items keep their keys, and so does the item that had the link first; where two come at once, the
 * older one. `apart` are the entries that were distinguished before, as written by `apartMark`.
 */
export function sharingEntries(
  now: readonly LinkedEntry[],
  before: readonly SeenItem[],
  apart: ReadonlySet<string>,
): ReadonlySet<number> {
  const sharing = new Set<number>();
  const sharedBefore = new Set([...apart].map((mark) => mark.slice(MARK_ID_WIDTH)));
  const seenLinks = new Set(before.map(({ link }) => link));
  for (const [link, places] of byLink(now)) {
    const groups = itemsAmong(places, now);
    if (groups.length < 2 && !sharedBefore.has(link)) continue;
    if (places.some((place) => isMissing(entryAt(now, place).id))) continue;
    const free = groups.filter((group) => !group.some((place) => apart.has(apartMark(entryAt(now, place)))));
    const owners = seenLinks.has(link)
      ? free.filter((group) => group.some((p) => wasSeen(entryAt(now, p), before)))
      : free;
    const owner = oldest(owners, now);
    for (const group of groups) if (group !== owner) for (const place of group) sharing.add(place);
  }
  return sharing;
}

/** Whether the same item was seen before: its link under the same guid or title. */
export function wasSeen({ id, link, title }: SeenItem, before: readonly SeenItem[]): boolean {
  return before.some(
    (old) =>
      old.link === link && ((!isMissing(id) && old.id === id) || (!isMissing(title) && old.title === title)),
  );
}

const MARK_ID_WIDTH = 8;
const MARK_WIDTH = 16;
const MAX_MARKS = 2_000;

/** Stored mark of an entry that is identified by its guid. */
export function apartMark({ id, link }: Pick<SeenItem, 'id' | 'link'>): string {
  return id + link;
}

/** The newest first; the oldest are dropped when there are too many. */
export function packMarks(marks: Iterable<string>): string {
  return [...new Set(marks)].slice(0, MAX_MARKS).join('');
}

/** Reverses `packMarks`; anything else is an empty list. */
export function unpackMarks(packed: unknown): Set<string> {
  if (typeof packed !== 'string' || packed.length % MARK_WIDTH !== 0) return new Set();
  return new Set(packed.match(new RegExp(`.{${MARK_WIDTH}}`, 'g')) ?? []);
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
    const { id, title } = entryAt(now, place);
    const same = groups.find((group) =>
      group.some((other) => entryAt(now, other).id === id || entryAt(now, other).title === title),
    );
    if (same === undefined) groups.push([place]);
    else same.push(place);
  }
  return groups;
}

/** Feeds list the newest first, so that of two without a date the last is the oldest. */
function oldest(groups: readonly number[][], now: readonly LinkedEntry[]): number[] | undefined {
  const age = (group: readonly number[]): number =>
    Math.min(...group.map((place) => entryAt(now, place).publishedAt ?? Number.POSITIVE_INFINITY));
  return groups.toReversed().toSorted((a, b) => (age(a) === age(b) ? 0 : age(a) - age(b)))[0];
}

function entryAt(now: readonly LinkedEntry[], place: number): LinkedEntry {
  const entry = now[place];
  if (entry === undefined) throw new RangeError(`No entry at index ${place}.`);
  return entry;
}
