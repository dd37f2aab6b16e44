import type { FeedDocument, FeedEntry } from '../../feeds/feed.ts';
import type { ItemKey, Sighting } from '../../item/item.ts';
import type { SourceState } from '../source.ts';
import {
  decideIdentity,
  type Identity,
  type IdentityDecision,
  type StoredIdentity,
} from './feed-identity.ts';
import {
  apartMark,
  isMissing,
  mergeSeen,
  packMarks,
  packSeen,
  partHash,
  type SeenItem,
  sharingEntries,
  unpackMarks,
  unpackSeen,
  wasSeen,
} from './seen-items.ts';

/** The key of an address; with an ID of the feed where the address alone is ambiguous. */
export type KeyMaker = (url: string, foreignId?: string) => ItemKey | null;

export interface SightingContext {
  readonly sourceId: string;
  readonly sourceName: string;
  readonly feedUrl: string;
  readonly now: number;
  readonly keyOf: KeyMaker;
  /** Fingerprint of the rules of `keyOf`: other rules, other keys. */
  readonly rules: string;
  /** As configured, or `auto`. */
  readonly identity: 'auto' | Identity;
  /** The language if the feed specifies none. */
  readonly language: string | null;
}

export interface FeedSightings {
  readonly sightings: readonly Sighting[];
  /** Keys of items that were seen before under another key. */
  readonly known: ReadonlySet<ItemKey>;
  readonly identity: IdentityDecision;
  /** The next state of the source. */
  readonly memory: SourceState;
}

/** Converts a feed's entries to sightings, each with the key by this feed's identity (X19). */
export function toSightings(feed: FeedDocument, state: SourceState, context: SightingContext): FeedSightings {
  const entries = feed.entries.filter(
    (entry) => entry.link !== null || entry.id !== null || entry.title !== '',
  );
  const linkKeys = entries.map((entry) => (entry.link === null ? null : context.keyOf(entry.link)));
  const seen = entries.map((entry, index) => ({
    id: partHash(entry.id),
    link: partHash(linkKeys[index] ?? entry.link),
    title: partHash(entry.title),
  }));
  const newRules = typeof state.rules === 'string' && state.rules !== context.rules;
  const before = newRules ? rehashLinks(unpackSeen(state.seen), seen) : unpackSeen(state.seen);
  const stored = storedIdentity(state);
  const decision =
    context.identity === 'auto'
      ? decideIdentity(seen, before, stored)
      : configuredIdentity(context.identity, state);
  const base = typeof state.identityBase === 'string' ? state.identityBase : (feed.home ?? context.feedUrl);
  const changed = stored !== null && stored.identity !== decision.identity;
  const isKnown = knownUnderOtherKey(before, seen, decision, changed || newRules);
  const marks = unpackMarks(state.apart);
  const apart =
    decision.identity === 'link' && !decision.guidsWander && context.identity === 'auto'
      ? sharingEntries(
          seen.map((part, index) => ({ ...part, publishedAt: entries[index]?.publishedAt ?? null })),
          before,
          marks,
        )
      : new Set<number>();

  const sightings = new Map<ItemKey, Sighting>();
  const known = new Set<ItemKey>();
  entries.forEach((entry, index) => {
    const part = seen[index];
    const identity = apart.has(index) ? 'both' : decision.identity;
    const key = keyFor(entry, linkKeys[index] ?? null, identity, base, context.keyOf);
    if (key === null || part === undefined || sightings.has(key)) return;
    sightings.set(key, sighting(entry, key, feed, index, context, base));
    // Distinguished by guid from now on, or under a new guid: it was reported under another key.
    const renamed = apart.has(index) && !marks.has(apartMark(part)) && wasSeen(part, before);
    if (renamed || isKnown(part)) known.add(key);
  });
  return {
    sightings: [...sightings.values()],
    known,
    identity: decision,
    memory: {
      identity: decision.identity,
      identityCertain: decision.certain,
      identityWhy:
        changed || stored === null || !stored.certain ? decision.why : (state.identityWhy ?? decision.why),
      guidsWander: decision.guidsWander,
      identityBase: base,
      rules: context.rules,
      seen: packSeen(mergeSeen(seen, before)),
      apart: packMarks([...[...apart].flatMap((index) => seen[index] ?? []).map(apartMark), ...marks]),
    },
  };
}

/** The seen items, with addresses by the current rules for every item that is recognised by its guid or title. */
function rehashLinks(before: readonly SeenItem[], now: readonly SeenItem[]): SeenItem[] {
  const linkOfGuid = new Map(now.filter((item) => !isMissing(item.id)).map((item) => [item.id, item.link]));
  const linkOfTitle = new Map(now.map((item) => [item.title, item.link]));
  return before.map((item) => ({
    ...item,
    link: linkOfGuid.get(item.id) ?? linkOfTitle.get(item.title) ?? item.link,
  }));
}

function configuredIdentity(identity: Identity, state: SourceState): IdentityDecision {
  return { identity, certain: true, guidsWander: state.guidsWander === true, why: 'as configured' };
}

function storedIdentity(state: SourceState): StoredIdentity | null {
  const identity = state.identity;
  if (identity !== 'link' && identity !== 'guid' && identity !== 'both' && identity !== 'title') return null;
  return { identity, certain: state.identityCertain === true, guidsWander: state.guidsWander === true };
}

/**
 * Whether an item was seen before although its key is new: because the whole feed has changed its identity, or because
 * a single item has moved to another address under the same guid.
 */
function knownUnderOtherKey(
  before: readonly SeenItem[],
  now: readonly SeenItem[],
  decision: IdentityDecision,
  changed: boolean,
): (item: SeenItem) => boolean {
  const links = new Set(before.map((item) => item.link));
  const guids = new Set(before.map((item) => item.id));
  const guidTells = (item: SeenItem): boolean =>
    !decision.guidsWander && !isMissing(item.id) && guids.has(item.id);
  if (changed) {
    const titles = new Set(before.map((item) => item.link + item.title));
    return (item) =>
      decision.identity === 'link'
        ? links.has(item.link) || guidTells(item)
        : guidTells(item) || titles.has(item.link + item.title);
  }
  if (decision.identity !== 'link') return () => false;
  const ownGuids =
    new Set(now.map((item) => item.id)).size === new Set(now.map((item) => item.id + item.link)).size;
  return (item) => ownGuids && guidTells(item) && !links.has(item.link);
}

function keyFor(
  entry: FeedEntry,
  byLink: ItemKey | null,
  identity: Identity,
  base: string,
  keyOf: KeyMaker,
): ItemKey | null {
  const { id, link, title } = entry;
  const byGuid = (): ItemKey | null => (id === null ? null : keyOf(base, id));
  const byTitle = (): ItemKey | null => (title === '' ? null : keyOf(link ?? base, `${id ?? ''} ${title}`));
  switch (identity) {
    case 'link':
      return byLink ?? byGuid() ?? byTitle();
    case 'guid':
      return byGuid() ?? byLink ?? byTitle();
    case 'both':
      return (id === null ? byLink : keyOf(link ?? base, id)) ?? byTitle();
    case 'title':
      return byTitle() ?? byGuid() ?? byLink;
  }
}

function sighting(
  entry: FeedEntry,
  key: ItemKey,
  feed: FeedDocument,
  index: number,
  context: SightingContext,
  base: string,
): Sighting {
  const url = entry.link ?? feed.home ?? base;
  const language = entry.language ?? feed.language ?? context.language;
  return {
    key,
    url,
    title: entry.title || url,
    // A date in the future is an error. Without a date the order of the feed still shows which came last.
    publishedAt: entry.publishedAt === null ? context.now - index : Math.min(entry.publishedAt, context.now),
    sourceId: context.sourceId,
    sourceName: context.sourceName,
    ...(entry.id === null ? {} : { foreignId: entry.id }),
    ...(entry.author === null ? {} : { author: entry.author }),
    ...(entry.text === null ? {} : { excerpt: entry.text }),
    ...(language === null ? {} : { language }),
    ...(entry.image === null ? {} : { imageUrl: entry.image }),
    ...(entry.video === null ? {} : { video: entry.video }),
    ...(entry.content === null ? {} : { content: entry.content }),
    ...(entry.enclosures.length === 0 ? {} : { enclosures: entry.enclosures }),
  };
}
