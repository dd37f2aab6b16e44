import { isMissing, type SeenItem } from './seen-items.ts';

/**
 * What identifies a feed's items (X19). Decided once per feed, stored, and changed only when the feed itself
 * contradicts it.
 *
 * - `link`: nearly every item has its own address. Guid, title and dates may change. The few that share an address are
 *   distinguished by their guids, which changes nothing for the others (see `seen-items.ts`).
 * - `guid`: addresses are shared or change with every reading, guids do not.
 * - `both`: only guid and address together are unique.
 * - `title`: neither is unique; only the title is left.
 */
export type Identity = 'link' | 'guid' | 'both' | 'title';

export interface IdentityDecision {
  readonly identity: Identity;
  /** False while the feed has shown too few items to decide. */
  readonly certain: boolean;
  /** Guids move from item to item, so a known guid proves nothing. */
  readonly guidsWander: boolean;
  /** The reason, for people. */
  readonly why: string;
}

export interface StoredIdentity {
  readonly identity: Identity;
  readonly certain: boolean;
  readonly guidsWander: boolean;
}

/** Decides by what the feed lists now and listed before. */
export function decideIdentity(
  now: readonly SeenItem[],
  before: readonly SeenItem[],
  stored: StoredIdentity | null,
): IdentityDecision {
  const guidsWander = (stored?.guidsWander ?? false) || guidMoved(now, before);
  if (stored?.certain) {
    const proof = disproof(stored.identity, now, before, guidsWander);
    if (proof === null) return { ...stored, guidsWander, why: 'as before' };
    return {
      ...choose(now, guidsWander, linksChange(now, before, guidsWander)),
      guidsWander,
      certain: true,
      why: proof,
    };
  }
  const items = stored === null ? now : withEarlier(now, before);
  const chosen = choose(items, guidsWander, linksChange(now, before, guidsWander));
  return { ...chosen, guidsWander, certain: distinct(items).length > 1 };
}

function choose(
  items: readonly SeenItem[],
  guidsWander: boolean,
  linksUnstable: boolean,
): { identity: Identity; why: string } {
  const all = distinct(items);
  const links = mostlyUnique(all.map((item) => item.link));
  const guids = unique(all.map((item) => item.id));
  if (links && !linksUnstable) return { identity: 'link', why: 'every item has its own address' };
  if (guids && !guidsWander && !linksUnstable && fewShare(all.map((item) => item.link)))
    return { identity: 'link', why: 'most items have their own address, guids tell the others apart' };
  if (guids && !guidsWander) {
    const why = linksUnstable ? 'addresses change from reading to reading' : 'items share addresses';
    return { identity: 'guid', why: `${why}, guids are unique` };
  }
  if (links) return { identity: 'link', why: 'addresses are unique, guids are not' };
  const pairs = unique(
    all.map((item) => (isMissing(item.link) && isMissing(item.id) ? item.link : item.link + item.id)),
  );
  if (pairs && !guidsWander) return { identity: 'both', why: 'only guid and address together are unique' };
  return { identity: 'title', why: 'neither guid nor address tells items apart' };
}

/** How the feed contradicts the identity it was given, or null. */
function disproof(
  identity: Identity,
  now: readonly SeenItem[],
  before: readonly SeenItem[],
  guidsWander: boolean,
): string | null {
  const all = distinct(now);
  if (identity === 'link')
    return linksChange(now, before, guidsWander) ? 'addresses change from reading to reading' : null;
  if (identity === 'guid') {
    const broken = guidsWander || (all.length > 1 && repeated(all.map((item) => item.id)));
    return broken ? 'guids have stopped being unique' : null;
  }
  return null;
}

/**
 * A guid that moved to another item: the address it had is still there under a different guid. A position in the feed
 * used as a guid does that, and so does a counter that is reset.
 */
function guidMoved(now: readonly SeenItem[], before: readonly SeenItem[]): boolean {
  const linkOfGuid = new Map(
    before.filter((item) => !isMissing(item.id)).map((item) => [item.id, item.link]),
  );
  const guidOfLink = new Map(now.map((item) => [item.link, item.id]));
  return now.some((item) => {
    const earlier = linkOfGuid.get(item.id);
    if (earlier === undefined || isMissing(earlier) || earlier === item.link) return false;
    const heir = guidOfLink.get(earlier);
    return (
      heir !== undefined &&
      heir !== item.id &&
      !now.some((other) => other.id === item.id && other.link === earlier)
    );
  });
}

/** More than half of the known guids come with an unknown address: session numbers, counters. */
function linksChange(now: readonly SeenItem[], before: readonly SeenItem[], guidsWander: boolean): boolean {
  if (guidsWander || !unique(distinct(now).map((item) => item.id))) return false;
  const knownGuids = new Set(before.map((item) => item.id));
  const knownLinks = new Set(before.map((item) => item.link));
  const known = now.filter((item) => knownGuids.has(item.id));
  const changed = known.filter((item) => !knownLinks.has(item.link));
  return known.length >= 2 && changed.length * 2 > known.length;
}

/** With what a very short feed showed earlier: one item at a time still shows whether addresses are shared. */
function withEarlier(now: readonly SeenItem[], before: readonly SeenItem[]): readonly SeenItem[] {
  const rewritten = (old: SeenItem): boolean =>
    now.some((item) => item.link === old.link && (item.id === old.id || item.title === old.title));
  return [...now, ...before.filter((old) => !rewritten(old))];
}

/**
 * Without what a feed lists twice: the same address with the same title, or with the same guid. Where that would leave
 * less than half of the items, guid and address do not identify anything, and only titles do.
 */
function distinct(items: readonly SeenItem[]): SeenItem[] {
  const entries = by(items, (item) => item.id + item.link + item.title);
  const pairs = by(
    by(entries, (item) => item.id + item.link),
    (item) => (isMissing(item.link) ? item.id : item.link + item.title),
  );
  return pairs.length * 2 <= entries.length ? entries : pairs;
}

function by(items: readonly SeenItem[], key: (item: SeenItem) => string): SeenItem[] {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}

/** Present in every item and different in each. */
function unique(hashes: readonly string[]): boolean {
  return !hashes.some(isMissing) && new Set(hashes).size === hashes.length;
}

/** Different in each item that has it, which is nearly every one; the few others are identified by what they do have. */
function mostlyUnique(hashes: readonly string[]): boolean {
  const present = hashes.filter((hash) => !isMissing(hash));
  return present.length * 5 > hashes.length * 4 && new Set(present).size === present.length;
}

/** Nearly every item has one, and at least half have one of their own. */
function fewShare(hashes: readonly string[]): boolean {
  const present = hashes.filter((hash) => !isMissing(hash));
  const times = new Map<string, number>();
  for (const hash of present) times.set(hash, (times.get(hash) ?? 0) + 1);
  const own = [...times.values()].filter((n) => n === 1).length;
  return present.length * 5 > hashes.length * 4 && own * 2 >= hashes.length;
}

function repeated(hashes: readonly string[]): boolean {
  const present = hashes.filter((hash) => !isMissing(hash));
  return new Set(present).size < present.length;
}
