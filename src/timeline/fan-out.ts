import type { UserService } from '../social/services.ts';
import type { TimelineAudience } from './audience.ts';
import type { DropEvent } from './event-log.ts';
import { maySee, type TimelineOrigin } from './origin.ts';
import { homeOf, type TimelineName, type TimelineStore } from './timeline-store.ts';

export interface FanOutParts {
  readonly store: TimelineStore;
  readonly users: UserService;
  readonly origin: TimelineOrigin;
  readonly audience: TimelineAudience;
  readonly cap: number;
}

const OF_EVERYBODY: readonly TimelineName[] = ['timeline:local', 'timeline:global'];

/** Carries one event to the timelines that it concerns. Handling an event twice changes nothing. */
export async function fanOut(event: DropEvent, parts: FanOutParts): Promise<void> {
  switch (event.type) {
    case 'drop_created':
      return created(event, parts);
    case 'drop_deleted':
      return deleted(event, parts);
    case 'ap_drop_received': {
      const entry = { id: event.drop_id, createdAt: event.created_at };
      parts.audience.newDrop(entry, await parts.store.add(entry, ['timeline:global']));
      return;
    }
    case 'followed':
      return followed(event, parts);
    case 'unfollowed': {
      // Entries do not say whose they are: the home is read anew without that author when it is next asked for.
      const home = homeOf(event.user_id);
      await parts.store.drop(home);
      parts.audience.reset(home);
      return;
    }
  }
}

async function created(
  event: Extract<DropEvent, { type: 'drop_created' }>,
  { store, users, audience }: FanOutParts,
): Promise<void> {
  const { drop_id: id, user_id: userId, visibility, created_at: createdAt } = event;
  const followers = await users.getFollowersList(userId);
  const readers = followers.filter((reader) => maySee(reader, { userId, visibility }));
  const homes = [userId, ...readers].map(homeOf);
  const timelines = visibility === 'public' ? [...OF_EVERYBODY, ...homes] : homes;
  const entry = { id, createdAt };
  audience.newDrop(entry, await store.add(entry, timelines));
}

async function deleted(
  event: Extract<DropEvent, { type: 'drop_deleted' }>,
  { store, users, audience }: FanOutParts,
): Promise<void> {
  const followers = await users.getFollowersList(event.user_id);
  const timelines = [...OF_EVERYBODY, ...[event.user_id, ...followers].map(homeOf)];
  await store.remove(event.drop_id, timelines);
  audience.dropDeleted(event.drop_id, timelines);
}

async function followed(
  event: Extract<DropEvent, { type: 'followed' }>,
  { store, origin, audience, cap }: FanOutParts,
): Promise<void> {
  const home = homeOf(event.user_id);
  if ((await store.size(home)) === null) return;
  const entries = await origin.readAuthor(event.user_id, event.author_id, { limit: cap });
  const floor = entries.length < cap ? null : (entries.at(-1) ?? null);
  if (await store.merge(home, { entries, floor })) audience.reset(home);
}
