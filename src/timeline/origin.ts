import pLimit from 'p-limit';
import type { DropRef, PostService, SocialStore, UserService } from '../social/services.ts';
import { newestFirst } from './cursor.ts';
import { ownerOf, type TimelineEntry, type TimelineName } from './timeline-store.ts';

/** Where the truth of a timeline is read when the store does not have it: the user and post services. */
export interface TimelineOrigin {
  /** Newest first, strictly below `before` where given. Fewer than `limit` only where nothing more is there. */
  read(timeline: TimelineName, page: OriginPage, signal?: AbortSignal): Promise<readonly TimelineEntry[]>;
  /** The drops of one author that this user may see. */
  readAuthor(
    userId: string,
    authorId: string,
    page: OriginPage,
    signal?: AbortSignal,
  ): Promise<readonly TimelineEntry[]>;
}

export interface OriginPage {
  readonly limit: number;
  readonly before?: TimelineEntry;
}

/** How many authors are asked at the same time. */
const PARALLEL = 16;

export function originOf(
  users: UserService,
  posts: PostService,
  publicDrops: Pick<SocialStore, 'recentPublic'>,
): TimelineOrigin {
  const origin: TimelineOrigin = {
    async read(timeline, page, signal) {
      const userId = ownerOf(timeline);
      if (userId === null)
        return (await publicDrops.recentPublic(page.limit, page.before, signal)).map(toEntry);
      const authors = new Set([userId, ...(await users.getFollowingList(userId, signal))]);
      const atOnce = pLimit(PARALLEL);
      const lists = await Promise.all(
        [...authors].map((author) => atOnce(() => origin.readAuthor(userId, author, page, signal))),
      );
      return lists.flat().sort(newestFirst).slice(0, page.limit);
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
  };
  return origin;
}

/** Whether a follower, or the author, may see it. Only asked of people who are one or the other. */
export function maySee(userId: string, drop: Pick<DropRef, 'userId' | 'visibility'>): boolean {
  return drop.userId === userId || drop.visibility !== 'private';
}

function toEntry(ref: DropRef): TimelineEntry {
  return { id: ref.id, createdAt: ref.createdAt };
}
