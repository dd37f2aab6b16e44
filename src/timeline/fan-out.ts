import type { UserService } from '../social/services.ts';
import type { Clock } from '../time/clock.ts';
import type { Change } from '../timelines/change-feed.ts';
import type { AsideAuthors } from './aside-authors.ts';
import { fingerprint, withOne } from './follow-checks.ts';
import type { TimelineOrigin } from './origin.ts';
import type { Rebuilds } from './rebuild.ts';
import type { ReceivedDrops } from './received-drops.ts';
import type { StreamLog } from './stream-log.ts';
import {
  type AddOptions,
  type Aside,
  authorTimeline,
  homeOf,
  type TimelineEntry,
  type TimelineName,
  type TimelineStore,
} from './timeline-store.ts';

export interface FanOutParts {
  readonly store: TimelineStore;
  readonly users: UserService;
  readonly origin: TimelineOrigin;
  readonly rebuilds: Pick<Rebuilds, 'asideOf' | 'rebuild'>;
  readonly aside: AsideAuthors;
  readonly streams: StreamLog;
  readonly received: ReceivedDrops;
  readonly clock: Clock;
  readonly cap: number;
  readonly thresholds: Thresholds;
}

/** How far an author's drops are carried, by the number of followers (C11). */
export interface Thresholds {
  /** Above it only active readers are written to. */
  readonly activeOnlyAbove: number;
  /** Above it nobody is: what they write is merged in on reading. */
  readonly mergeAbove: number;
  /** Who read within this time is an active reader. */
  readonly activeWithinMs: number;
}

/** What was done at once, and what is left: it takes long and must not hold up others. */
export interface FannedOut {
  readonly timelines: number;
  readonly rest?: () => Promise<number>;
}

/** So many followers are one piece: a few milliseconds, in which nobody else is served. */
export const PIECE = 1000;

const OF_EVERYBODY: readonly TimelineName[] = ['timeline:local', 'timeline:global'];
type Created = Extract<Change, { type: 'drop_created' }>;
type Deleted = Extract<Change, { type: 'drop_deleted' }>;

/** Carries one event to the timelines that it concerns. Handling an event twice, or in another order, changes nothing. */
export async function fanOut(event: Change, parts: FanOutParts): Promise<FannedOut> {
  switch (event.type) {
    case 'drop_created':
      return created(event, parts);
    case 'drop_deleted':
      return deleted(event, parts);
    case 'ap_drop_received': {
      const entry = { id: event.drop_id, createdAt: event.created_at };
      if ((await parts.received.keep([entry])).length === 0) return { timelines: 0 };
      return add(entry, ['timeline:global'], parts, { onlyIfThere: true });
    }
    case 'followed':
      return followed(event.user_id, event.author_id, parts);
    case 'unfollowed':
      return unfollowed(event.user_id, event.author_id, parts);
    case 'clear_timelines':
      for (const timeline of event.timelines) {
        await parts.store.drop(timeline);
        if (event.rebuild) await parts.rebuilds.rebuild(timeline);
      }
      return { timelines: event.timelines.length };
  }
}

async function add(
  entry: TimelineEntry,
  timelines: readonly TimelineName[],
  { store }: FanOutParts,
  options: AddOptions = {},
): Promise<FannedOut> {
  return { timelines: (await store.add(entry, timelines, options)).length };
}

async function created(event: Created, parts: FanOutParts): Promise<FannedOut> {
  const { user_id: author, visibility } = event;
  const entry = { id: event.drop_id, createdAt: event.created_at };
  const own = homeOf(author);
  const exists = () => parts.origin.has(author, entry);
  if (visibility === 'private') return add(entry, [own], parts, { exists });
  const shared = visibility === 'public' ? OF_EVERYBODY : [];
  const [first, { authors }] = await Promise.all([
    parts.users.getFollowersPage(author, { limit: PIECE }),
    parts.aside.list(),
  ]);
  const few = first.length < PIECE && first.length <= parts.thresholds.activeOnlyAbove;
  if (few && !authors.has(author))
    return add(entry, [...shared, own, ...first.map(homeOf)], parts, { author, exists });
  const { timelines } = await add(entry, [...shared, own], parts, { exists });
  return { timelines, rest: () => createdByMany(entry, author, first, parts) };
}

/** The followers of an author who has many of them, as far as they are written to. */
async function createdByMany(
  entry: TimelineEntry,
  author: string,
  first: readonly string[],
  parts: FanOutParts,
): Promise<number> {
  const { store, aside, clock, thresholds, streams, origin } = parts;
  const exists = () => origin.has(author, entry);
  const followers = await followersUpTo(thresholds.mergeAbove, author, first, parts);
  const wasAside = (await aside.list()).authors.has(author);
  const many = followers.length > thresholds.mergeAbove;
  if (many || (wasAside && followers.length > thresholds.activeOnlyAbove)) {
    await aside.add(author);
    await store.add(entry, [authorTimeline(author)], { exists });
    const watched = await streams.watchedHomes();
    for await (const piece of pieces(author, first, parts)) {
      const watching = piece.filter((follower) => watched.has(follower));
      if (watching.length > 0) await streams.announce([entry], watching.map(homeOf), author);
    }
    return 1;
  }
  if (wasAside) await nobodyAside(author, followers, parts);
  const activeOnly = followers.length > thresholds.activeOnlyAbove;
  const activeSince = activeOnly ? { activeSince: clock.now() - thresholds.activeWithinMs } : {};
  const options = { author, exists, ...activeSince };
  let written = 0;
  for (let n = 0; n < followers.length; n += PIECE)
    written += (await store.add(entry, followers.slice(n, n + PIECE).map(homeOf), options)).length;
  return written;
}

/** An author whose followers have become few: homes lack what was not written to them, so they are read anew. */
async function nobodyAside(
  author: string,
  followers: readonly string[],
  { store, aside }: FanOutParts,
): Promise<void> {
  for (const follower of followers) await store.drop(homeOf(follower));
  await aside.remove(author);
}

/** All of them, or one more than `most`. */
async function followersUpTo(
  most: number,
  author: string,
  first: readonly string[],
  parts: FanOutParts,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const piece of pieces(author, first, parts)) {
    found.push(...piece);
    if (found.length > most) break;
  }
  return found;
}

async function* pieces(
  author: string,
  first: readonly string[],
  { users }: FanOutParts,
): AsyncGenerator<readonly string[]> {
  for (let piece = first; ; ) {
    yield piece;
    const after = piece.at(-1);
    if (piece.length < PIECE || after === undefined) return;
    piece = await users.getFollowersPage(author, { limit: PIECE, after });
  }
}

async function deleted(event: Deleted, parts: FanOutParts): Promise<FannedOut> {
  const { drop_id: id, user_id: author } = event;
  const shared = [...OF_EVERYBODY, homeOf(author), authorTimeline(author)];
  // Before the followers are asked for: their service may be away, and the tombstone keeps late copies out.
  await parts.store.remove(id, shared);
  await parts.received.remove([id]);
  const [first, { authors }] = await Promise.all([
    parts.users.getFollowersPage(author, { limit: PIECE }),
    parts.aside.list(),
  ]);
  const options = { announced: authors.has(author) };
  if (first.length > 0) await parts.store.remove(id, first.map(homeOf), options);
  const timelines = shared.length + first.length;
  if (first.length < PIECE) return { timelines };
  const rest = async (): Promise<number> => {
    let removed = 0;
    for await (const piece of pieces(author, first, parts)) {
      if (piece !== first) await parts.store.remove(id, piece.map(homeOf), options);
      removed += piece.length;
    }
    return removed;
  };
  return { timelines, rest };
}

/** Brings the author's recent drops in. Fenced: an unfollow that comes in between, or came before, wins. */
async function followed(userId: string, author: string, parts: FanOutParts): Promise<FannedOut> {
  const { store, origin, rebuilds, streams, cap } = parts;
  const home = homeOf(userId);
  await store.join(home, author);
  const known = (await store.page(home, { limit: 1 }))?.aside;
  const token = await store.reopen(home);
  if (token !== null) {
    try {
      const following = await origin.following(userId);
      const entries = following.includes(author)
        ? await origin.readAuthor(userId, author, { limit: cap })
        : [];
      const floor = entries.length < cap ? null : (entries.at(-1) ?? null);
      const aside = {
        ...known,
        ...(await rebuilds.asideOf(userId, following)),
        ...followsAfter(known, author, following),
      };
      await store.merge(home, { entries, floor, aside }, token);
    } catch (error) {
      await store.drop(home, token).catch(() => {});
      throw error;
    }
  }
  await streams.reset([home]);
  return { timelines: 1 };
}

/** What the home holds now: other changes that it has not got are still found by the next check. */
function followsAfter(
  known: Aside | null | undefined,
  author: string,
  following: readonly string[],
): Pick<Aside, 'follows'> {
  if (known?.follows === undefined || known.follows === fingerprint(following)) return {};
  return { follows: withOne(known.follows, author) };
}

/**
 * Takes the author's drops out. Entries do not say whose they are: the home is rebuilt without that author when it is next
 * asked for.
 */
async function unfollowed(userId: string, author: string, parts: FanOutParts): Promise<FannedOut> {
  const { store, origin, streams } = parts;
  const home = homeOf(userId);
  await store.sever(home, author);
  // A follow that came after it may have been handled before it.
  if ((await origin.following(userId)).includes(author)) await store.join(home, author);
  await streams.reset([home]);
  return { timelines: 1 };
}
