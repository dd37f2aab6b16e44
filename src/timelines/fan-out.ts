import type { UserService } from '../social/social-store.ts';
import { errorMessage } from '../telemetry/errors.ts';
import type { Events } from '../telemetry/events.ts';
import { inSpan, underTrace } from '../telemetry/tracing.ts';
import type { Clock } from '../time/clock.ts';
import type { Change, ChangeHandler } from './change-feed.ts';
import { fingerprint, fingerprintWith } from './follow-checks.ts';
import type { TimelineOrigin } from './origin.ts';
import type { TimelineRebuilder } from './rebuild.ts';
import type { StreamLog } from './streams.ts';
import {
  type AddOptions,
  authorTimeline,
  type HomePullAuthors,
  homeTimeline,
  type PullAuthors,
  type ReceivedDrops,
  type TimelineEntry,
  type TimelineName,
  type TimelineStore,
} from './timeline-store.ts';

export interface FanOutDependencies {
  readonly store: TimelineStore;
  readonly users: UserService;
  readonly origin: TimelineOrigin;
  readonly rebuilds: Pick<TimelineRebuilder, 'pullAuthorsOf' | 'rebuild'>;
  readonly pullAuthors: PullAuthors;
  readonly streams: StreamLog;
  readonly received: ReceivedDrops;
  readonly clock: Clock;
  readonly cap: number;
  readonly thresholds: FanOutThresholds;
}

/** Limits of the fan-out on write, by the author's number of followers (C11). */
export interface FanOutThresholds {
  /** Above it only active readers are written to. */
  readonly activeOnlyAbove: number;
  /** Above it no follower is written to: the author's drops are merged in on reading. */
  readonly mergeAbove: number;
  /** A user who read within this time is an active reader. */
  readonly activeWithinMs: number;
}

/** Number of timelines written at once, and the long-running remainder, which must not block other events. */
export interface FanOutResult {
  readonly timelines: number;
  readonly deferred?: () => Promise<number>;
}

/** Followers of one batch, which blocks the event loop for a few milliseconds. */
export const FOLLOWER_BATCH_SIZE = 1000;

const SHARED_TIMELINES: readonly TimelineName[] = ['timeline:local', 'timeline:global'];
type DropCreated = Extract<Change, { type: 'drop_created' }>;
type DropDeleted = Extract<Change, { type: 'drop_deleted' }>;

/** Applies one event to the timelines that it concerns. Handling an event twice, or in another order, changes nothing. */
export async function fanOut(event: Change, deps: FanOutDependencies): Promise<FanOutResult> {
  switch (event.type) {
    case 'drop_created':
      return onDropCreated(event, deps);
    case 'drop_deleted':
      return onDropDeleted(event, deps);
    case 'ap_drop_received': {
      const entry = { id: event.drop_id, createdAt: event.created_at };
      if ((await deps.received.add([entry])).length === 0) return { timelines: 0 };
      return addToTimelines(entry, ['timeline:global'], deps, { onlyIfPresent: true });
    }
    case 'followed':
      return onFollowed(event.user_id, event.author_id, deps);
    case 'unfollowed':
      return onUnfollowed(event.user_id, event.author_id, deps);
    case 'clear_timelines':
      for (const timeline of event.timelines) {
        await deps.store.evict(timeline);
        if (event.rebuild) await deps.rebuilds.rebuild(timeline);
      }
      return { timelines: event.timelines.length };
  }
}

async function addToTimelines(
  entry: TimelineEntry,
  timelines: readonly TimelineName[],
  { store }: FanOutDependencies,
  options: AddOptions = {},
): Promise<FanOutResult> {
  return { timelines: (await store.add(entry, timelines, options)).length };
}

async function onDropCreated(event: DropCreated, deps: FanOutDependencies): Promise<FanOutResult> {
  const { user_id: author, visibility } = event;
  const entry = { id: event.drop_id, createdAt: event.created_at };
  const own = homeTimeline(author);
  const exists = () => deps.origin.has(author, entry);
  if (visibility === 'private') return addToTimelines(entry, [own], deps, { exists });
  const shared = visibility === 'public' ? SHARED_TIMELINES : [];
  const [first, { authors }] = await Promise.all([
    deps.users.getFollowersPage(author, { limit: FOLLOWER_BATCH_SIZE }),
    deps.pullAuthors.list(),
  ]);
  const few = first.length < FOLLOWER_BATCH_SIZE && first.length <= deps.thresholds.activeOnlyAbove;
  if (few && !authors.has(author))
    return addToTimelines(entry, [...shared, own, ...first.map(homeTimeline)], deps, { author, exists });
  const { timelines } = await addToTimelines(entry, [...shared, own], deps, { exists });
  return { timelines, deferred: () => fanOutToManyFollowers(entry, author, first, deps) };
}

/** Writes to the followers of an author who has many, or to none above `mergeAbove`. Returns the number of timelines written. */
async function fanOutToManyFollowers(
  entry: TimelineEntry,
  author: string,
  first: readonly string[],
  deps: FanOutDependencies,
): Promise<number> {
  const { store, pullAuthors, clock, thresholds, streams, origin } = deps;
  const exists = () => origin.has(author, entry);
  const followers = await followersUpTo(thresholds.mergeAbove, author, first, deps);
  const wasPulled = (await pullAuthors.list()).authors.has(author);
  const many = followers.length > thresholds.mergeAbove;
  if (many || (wasPulled && followers.length > thresholds.activeOnlyAbove)) {
    await pullAuthors.add(author);
    await store.add(entry, [authorTimeline(author)], { exists });
    const subscribed = await streams.subscribedHomes();
    for await (const batch of followerBatches(author, first, deps)) {
      const listening = batch.filter((follower) => subscribed.has(follower));
      if (listening.length > 0) await streams.announce([entry], listening.map(homeTimeline), author);
    }
    return 1;
  }
  if (wasPulled) await stopPullingAuthor(author, followers, deps);
  const activeOnly = followers.length > thresholds.activeOnlyAbove;
  const activeSince = activeOnly ? { activeSince: clock.now() - thresholds.activeWithinMs } : {};
  const options = { author, exists, ...activeSince };
  let written = 0;
  for (let n = 0; n < followers.length; n += FOLLOWER_BATCH_SIZE)
    written += (
      await store.add(entry, followers.slice(n, n + FOLLOWER_BATCH_SIZE).map(homeTimeline), options)
    ).length;
  return written;
}

/** Returns an author with fewer followers to fan-out on write. Homes lack the drops not written to them, so they are evicted. */
async function stopPullingAuthor(
  author: string,
  followers: readonly string[],
  { store, pullAuthors }: FanOutDependencies,
): Promise<void> {
  for (const follower of followers) await store.evict(homeTimeline(follower));
  await pullAuthors.remove(author);
}

/** All followers, or more than `limit` of them if there are more. */
async function followersUpTo(
  limit: number,
  author: string,
  first: readonly string[],
  deps: FanOutDependencies,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const batch of followerBatches(author, first, deps)) {
    found.push(...batch);
    if (found.length > limit) break;
  }
  return found;
}

async function* followerBatches(
  author: string,
  first: readonly string[],
  { users }: FanOutDependencies,
): AsyncGenerator<readonly string[]> {
  for (let batch = first; ; ) {
    yield batch;
    const after = batch.at(-1);
    if (batch.length < FOLLOWER_BATCH_SIZE || after === undefined) return;
    batch = await users.getFollowersPage(author, { limit: FOLLOWER_BATCH_SIZE, after });
  }
}

async function onDropDeleted(event: DropDeleted, deps: FanOutDependencies): Promise<FanOutResult> {
  const { drop_id: id, user_id: author } = event;
  const shared = [...SHARED_TIMELINES, homeTimeline(author), authorTimeline(author)];
  // Before the followers are read: the user service may be unavailable, and the tombstone rejects late events of the drop.
  await deps.store.remove(id, shared);
  await deps.received.remove([id]);
  const [first, { authors }] = await Promise.all([
    deps.users.getFollowersPage(author, { limit: FOLLOWER_BATCH_SIZE }),
    deps.pullAuthors.list(),
  ]);
  const options = { announced: authors.has(author) };
  if (first.length > 0) await deps.store.remove(id, first.map(homeTimeline), options);
  const timelines = shared.length + first.length;
  if (first.length < FOLLOWER_BATCH_SIZE) return { timelines };
  const deferred = async (): Promise<number> => {
    let removed = 0;
    for await (const batch of followerBatches(author, first, deps)) {
      if (batch !== first) await deps.store.remove(id, batch.map(homeTimeline), options);
      removed += batch.length;
    }
    return removed;
  };
  return { timelines, deferred };
}

/** Merges the author's recent drops in. Fenced: a concurrent or earlier unfollow wins. */
async function onFollowed(userId: string, author: string, deps: FanOutDependencies): Promise<FanOutResult> {
  const { store, origin, rebuilds, streams, cap } = deps;
  const home = homeTimeline(userId);
  await store.join(home, author);
  const known = (await store.page(home, { limit: 1 }))?.pullAuthors;
  const token = await store.beginUpdate(home);
  if (token !== null) {
    try {
      const following = await origin.following(userId);
      const entries = following.includes(author)
        ? await origin.readAuthor(userId, author, { limit: cap })
        : [];
      const floor = entries.length < cap ? null : (entries.at(-1) ?? null);
      const pullAuthors = {
        ...known,
        ...(await rebuilds.pullAuthorsOf(userId, following)),
        ...followsAfter(known, author, following),
      };
      await store.merge(home, { entries, floor, pullAuthors }, token);
    } catch (error) {
      await store.evict(home, token).catch(() => {});
      throw error;
    }
  }
  await streams.reset([home]);
  return { timelines: 1 };
}

/** Fingerprint of the follows that the home contains now: the next check still finds other changes. */
function followsAfter(
  known: HomePullAuthors | null | undefined,
  author: string,
  following: readonly string[],
): Pick<HomePullAuthors, 'follows'> {
  if (known?.follows === undefined || known.follows === fingerprint(following)) return {};
  return { follows: fingerprintWith(known.follows, author) };
}

/**
 * Removes the author's drops. Entries do not record their author, so the home is rebuilt without that author when it is
 * next read.
 */
async function onUnfollowed(userId: string, author: string, deps: FanOutDependencies): Promise<FanOutResult> {
  const { store, origin, streams } = deps;
  const home = homeTimeline(userId);
  await store.sever(home, author);
  // A later follow may have been handled before this unfollow.
  if ((await origin.following(userId)).includes(author)) await store.join(home, author);
  await streams.reset([home]);
  return { timelines: 1 };
}

/** Fans each event out and reports the outcome. */
export function createFanOutHandler(
  fan: FanOutDependencies,
  events: Pick<Events, 'dropEventHandled'>,
): ChangeHandler {
  const { clock } = fan;
  return async (event, { at, trace }) => {
    const began = clock.monotonic();
    const report = (timelines: number): void =>
      events.dropEventHandled({
        type: event.type,
        outcome: 'handled',
        timelines,
        ms: clock.monotonic() - began,
        lagMs: Math.max(0, clock.now() - at),
      });
    const traced = <T>(work: () => Promise<T>): Promise<T> =>
      underTrace(trace, () =>
        inSpan('event.handle', { type: event.type }, () => reportFailure(event, events, began, clock, work)),
      );
    return traced(async () => {
      const { timelines, deferred } = await fanOut(event, fan);
      if (deferred === undefined) {
        report(timelines);
        return undefined;
      }
      return () => traced(async () => report(timelines + (await deferred())));
    });
  };
}

async function reportFailure<T>(
  event: Change,
  events: Pick<Events, 'dropEventHandled'>,
  began: number,
  clock: Clock,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const detail = errorMessage(error);
    const ms = clock.monotonic() - began;
    events.dropEventHandled({ type: event.type, outcome: 'failed', timelines: 0, ms, detail });
    throw error;
  }
}
