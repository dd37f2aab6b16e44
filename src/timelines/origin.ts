import pLimit from 'p-limit';
import { isUnimplemented } from '../social/rules.ts';
import type { DropRef, PostService, SocialStore, UserService } from '../social/social-store.ts';
import type { Logger } from '../telemetry/logger.ts';
import { SECOND } from '../time/duration.ts';
import { isOlder, mergeNewestFirst, newestFirst } from './cursor.ts';
import {
  ownerOf,
  type ReceivedDrops,
  type TimelineEntry,
  type TimelineName,
  type TimelineStore,
} from './timeline-store.ts';

/** The source of truth of a timeline that is not in the store: the services, and the received drops. */
export interface TimelineOrigin {
  /** Newest first, strictly below `before` if given. Fewer than `limit` only at the end. */
  read(timeline: TimelineName, page: OriginPage, signal?: AbortSignal): Promise<readonly TimelineEntry[]>;
  /** The drops of one author that this user may see. */
  readAuthor(
    userId: string,
    authorId: string,
    page: OriginPage,
    signal?: AbortSignal,
  ): Promise<readonly TimelineEntry[]>;
  /** Whether the author still has this drop. */
  has(authorId: string, entry: TimelineEntry): Promise<boolean>;
  /** Whom this user follows. */
  following(userId: string, signal?: AbortSignal): Promise<readonly string[]>;
}

export interface OriginPage {
  readonly limit: number;
  readonly before?: TimelineEntry;
  /** The follows of a home's owner, if already read. */
  readonly following?: readonly string[];
}

/** Enough that a home of a thousand authors waits only once for the slowest. */
const AUTHOR_CONCURRENCY = 1024;
const MIN_BATCH_SIZE = 20;
const AUTHOR_PREFIX = 'timeline:author:';
/** Maximum difference between the time in a drop's event and that in its author's list. */
const MAX_TIME_DIFFERENCE_MS = SECOND;

export function createTimelineOrigin(
  users: UserService,
  posts: PostService,
  publicDrops: Pick<SocialStore, 'recentPublic'>,
  received: Pick<ReceivedDrops, 'newest'>,
): TimelineOrigin {
  const origin: TimelineOrigin = {
    async read(timeline, page, signal) {
      const userId = ownerOf(timeline);
      if (userId !== null) {
        const following = page.following ?? (await users.getFollowingList(userId, signal));
        const authors = new Set([userId, ...following]);
        return readHome(userId, [...authors], page, origin.readAuthor, signal);
      }
      // As any follower sees it.
      if (timeline.startsWith(AUTHOR_PREFIX))
        return origin.readAuthor('', timeline.slice(AUTHOR_PREFIX.length), page, signal);
      const [drops, others] = await Promise.all([
        publicDrops.recentPublic(page.limit, page.before, signal),
        timeline === 'timeline:global' ? received.newest(page) : [],
      ]);
      return mergeNewestFirst([drops.map(toEntry), others], page.limit);
    },

    async readAuthor(userId, authorId, page, signal) {
      const visible: TimelineEntry[] = [];
      for (let before = page.before; ; ) {
        const ask = { limit: page.limit, ...(before ? { before } : {}) };
        const refs = await posts.getDropsByUserId(authorId, ask, signal);
        visible.push(...refs.filter((ref) => maySee(userId, ref)).map(toEntry));
        before = refs.at(-1);
        if (refs.length < page.limit || visible.length >= page.limit) return visible.slice(0, page.limit);
      }
    },

    async has(authorId, { id, createdAt }) {
      for (let before = { createdAt: createdAt + MAX_TIME_DIFFERENCE_MS, id: '' }; ; ) {
        const refs = await posts.getDropsByUserId(authorId, { limit: MIN_BATCH_SIZE, before });
        if (refs.some((ref) => ref.id === id)) return true;
        const last = refs.at(-1);
        if (last === undefined || refs.length < MIN_BATCH_SIZE) return false;
        if (last.createdAt < createdAt - MAX_TIME_DIFFERENCE_MS) return false;
        before = last;
      }
    },

    following: (userId, signal) => users.getFollowingList(userId, signal),
  };
  return origin;
}

interface AuthorEntries {
  readonly author: string;
  readonly entries: TimelineEntry[];
  complete: boolean;
}

/**
 * Requests a few drops of every author, then more of those whose next ones may still be among the newest. So a home of a
 * thousand authors takes about as long as the slowest of them, without a thousand full lists being transferred.
 */
async function readHome(
  userId: string,
  authors: readonly string[],
  { limit, before }: OriginPage,
  readAuthor: TimelineOrigin['readAuthor'],
  signal: AbortSignal | undefined,
): Promise<readonly TimelineEntry[]> {
  const limited = pLimit(AUTHOR_CONCURRENCY);
  const ask = Math.min(limit, Math.max(MIN_BATCH_SIZE, Math.ceil((2 * limit) / authors.length)));
  const parts = authors.map((author): AuthorEntries => ({ author, entries: [], complete: false }));
  for (let open = parts; open.length > 0; ) {
    await Promise.all(
      open.map((part) =>
        limited(async () => {
          const from = part.entries.at(-1) ?? before;
          const page = { limit: ask, ...(from ? { before: from } : {}) };
          const found = await readAuthor(userId, part.author, page, signal);
          part.entries.push(...found);
          part.complete = found.length < ask;
        }),
      ),
    );
    const newest = newestOf(parts, limit);
    const lowest = newest.at(-1);
    open = parts.filter(
      ({ complete, entries }) => !complete && (newest.length < limit || mayContainNewest(entries, lowest)),
    );
    if (open.length === 0) return newest;
  }
  return newestOf(parts, limit);
}

/** Whether drops below these may still be among the newest. */
function mayContainNewest(entries: readonly TimelineEntry[], lowest: TimelineEntry | undefined): boolean {
  const last = entries.at(-1);
  return last !== undefined && lowest !== undefined && isOlder(lowest, last);
}

function newestOf(parts: readonly AuthorEntries[], limit: number): TimelineEntry[] {
  return parts
    .flatMap(({ entries }) => entries)
    .sort(newestFirst)
    .slice(0, limit);
}

/** Whether a user may see the drop, provided that the user is its author or a follower. */
export function maySee(userId: string, drop: Pick<DropRef, 'userId' | 'visibility'>): boolean {
  return drop.userId === userId || drop.visibility !== 'private';
}

function toEntry(ref: DropRef): TimelineEntry {
  return { id: ref.id, createdAt: ref.createdAt };
}

/**
 * The newest public drops: from the post service, or, if it does not list them (C4), those that the timeline store has
 * kept.
 */
export function createPublicDrops(
  social: Pick<SocialStore, 'recentPublic'>,
  store: Pick<TimelineStore, 'evictedEntries'>,
  log: Logger,
): Pick<SocialStore, 'recentPublic'> {
  let warned = false;
  return {
    async recentPublic(limit, before, signal) {
      try {
        return await social.recentPublic(limit, before, signal);
      } catch (error) {
        if (!isUnimplemented(error)) throw error;
        if (!warned)
          log.warn(
            'The post service does not offer GetRecentPublicDrops: local and global timelines have only the drops that were announced, as far as the timeline store has kept them',
          );
        warned = true;
        const left = await store.evictedEntries('timeline:local', { limit, ...(before && { before }) });
        return left.map((entry) => ({ ...entry, userId: '', visibility: 'public' }));
      }
    },
  };
}
