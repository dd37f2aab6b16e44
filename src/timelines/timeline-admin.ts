import { isUnimplemented } from '../social/rules.ts';
import type { Drop, SocialStore, User } from '../social/social-store.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { TimelineReader } from './timeline-store.ts';
import { homeTimeline, type TimelineEntry, type TimelineName, type TimelineStore } from './timeline-store.ts';

/** Operators' access to timelines (C26). */
export interface TimelineAdmin {
  /** The user with this name or ID; if the user service has no lookup, the user with this ID. `null`: there is none. */
  user(idOrName: string): Promise<User | null>;
  /** `null`: there is no such user. */
  show(user: string, newest: number): Promise<TimelineState | null>;
  /**
   * Evicts timelines; they are rebuilt on the next read, or at once with `rebuild`. Returns how many, or `null` if they
   * are in the memory of another process that cannot be reached.
   */
  clear(which: TimelineChoice, rebuild: boolean, onProgress?: (done: number) => void): Promise<number | null>;
}

export type TimelineChoice = 'all' | 'local' | 'global' | { readonly homeOf: User };

/** The state of one user's home timeline. */
export interface TimelineState {
  readonly user: User;
  readonly followers: number;
  readonly following: number;
  readonly blocked: number;
  /** How many drops of the home are in the store; `null`: the home is not in the store. */
  readonly kept: number | null;
  /** Timelines are in the memory of the server process, which this process cannot read. */
  readonly elsewhere: boolean;
  /** The top of the home, newest first. */
  readonly newest: readonly ShownDrop[];
}

/** Only ID and time if the post service cannot return drops. */
export type ShownDrop = Drop | TimelineEntry;

export interface TimelineAdminDependencies {
  readonly social: SocialStore;
  readonly changes: ChangeFeed;
  readonly store: TimelineStore;
  readonly timelines: TimelineReader;
  /** Whether all processes share the timeline store. */
  readonly shared?: boolean;
}

const USER_BATCH_SIZE = 1000;

export function createTimelineAdmin({
  social,
  changes,
  store,
  timelines,
  shared = false,
}: TimelineAdminDependencies): TimelineAdmin {
  /** Timelines are in the memory of the server process, which is not this one. */
  const elsewhere = !shared && changes.betweenProcesses;
  /** In batches, so that a million users need not be in memory at once. */
  async function* timelinesOf(which: TimelineChoice): AsyncGenerator<readonly TimelineName[]> {
    if (typeof which === 'object') return yield [homeTimeline(which.homeOf.id)];
    if (which !== 'all') return yield [`timeline:${which}`];
    yield ['timeline:local', 'timeline:global'];
    for (let after = ''; ; ) {
      const users = await social.listUsers({ limit: USER_BATCH_SIZE, after });
      if (users.length > 0) yield users.map(({ id }) => homeTimeline(id));
      after = users.at(-1)?.name ?? '';
      if (users.length < USER_BATCH_SIZE) return;
    }
  }

  const find = (idOrName: string): Promise<User | null> =>
    ifSupported(social.findUser(idOrName), {
      id: idOrName,
      name: idOrName,
      displayName: idOrName,
      kind: 'person',
      createdAt: 0,
    });

  return {
    user: find,

    async show(idOrName, newest) {
      const user = await find(idOrName);
      if (user === null) return null;
      const kept = await store.size(homeTimeline(user.id));
      const [following, blocked, followers, page] = await Promise.all([
        social.getFollowingList(user.id),
        ifSupported(social.getBlockedList(user.id), []),
        countFollowers(social, user.id),
        timelines.page(homeTimeline(user.id), { limit: newest }),
      ]);
      const entries = page.ok ? page.page.entries : [];
      const drops = social.getDrops(entries.map(({ id }) => id));
      return {
        user,
        followers,
        following: following.length,
        blocked: blocked.length,
        kept,
        elsewhere,
        newest: await ifSupported<readonly ShownDrop[]>(drops, entries),
      };
    },

    async clear(which, rebuild, onProgress = () => {}) {
      let done = 0;
      for await (const batch of timelinesOf(which)) {
        for (const timeline of batch) {
          await store.evict(timeline);
          if (rebuild && !elsewhere) await timelines.page(timeline, { limit: 1 });
        }
        if (elsewhere) await changes.append({ type: 'clear_timelines', timelines: batch, rebuild });
        done += batch.length;
        onProgress(done);
      }
      return done;
    },
  };
}

/** Replaces the answer of a call that a remote service does not implement. */
async function ifSupported<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  return answer.catch((error: unknown) => {
    if (isUnimplemented(error)) return otherwise;
    throw error;
  });
}

async function countFollowers(social: SocialStore, userId: string): Promise<number> {
  const size = 10_000;
  let count = 0;
  for (let after = ''; ; ) {
    const page = await social.getFollowersPage(userId, { limit: size, after });
    count += page.length;
    after = page.at(-1) ?? '';
    if (page.length < size) return count;
  }
}
