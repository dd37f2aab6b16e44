import { dropIdTime } from '../social/drop-id.ts';
import { isNotOffered } from '../social/refusals.ts';
import type { SocialStore } from '../social/services.ts';
import { MINUTE } from '../time/duration.ts';
import type { TimelineOrigin } from './origin.ts';
import type { TimelineEntry, TimelineName, TimelineStore } from './timeline-store.ts';
import { TimelinesUnavailableError } from './unavailable.ts';

export interface LocateParts {
  readonly store: Pick<TimelineStore, 'find'>;
  readonly posts: Pick<SocialStore, 'getDrops'>;
  readonly origin: Pick<TimelineOrigin, 'read'>;
}

const ID = /^[\w.:@-]{1,128}$/;
const PIECE = 1000;
/** So many drops of a timeline are searched for an ID that nothing else knows. */
const MAX_SEARCHED = 10 * PIECE;
/** By so much the time in a UUIDv7 may differ from that of its drop. */
const MAX_SKEW = MINUTE;

/**
 * The position of a drop in a timeline, by its ID alone. What is not known to the store is asked of the post service; one without
 * GetDrops is read downwards until the drop comes. A UUIDv7 of which nothing is known any more counts by its own time. `null`:
 * there is no such drop.
 */
export async function locate(
  timeline: TimelineName,
  id: string,
  parts: LocateParts,
  signal?: AbortSignal,
): Promise<TimelineEntry | null> {
  if (!ID.test(id)) return null;
  const stored = await findStored(timeline, id, parts);
  if (stored !== null) return stored;
  const time = dropIdTime(id);
  const found = await findPosted(timeline, id, time, parts, signal);
  return found ?? (time === null ? null : { id, createdAt: time });
}

/** Redis may be away: then the services say it (C18). */
async function findStored(
  timeline: TimelineName,
  id: string,
  { store }: LocateParts,
): Promise<TimelineEntry | null> {
  try {
    const createdAt = await store.find(timeline, id);
    return createdAt === null ? null : { id, createdAt };
  } catch (error) {
    if (error instanceof TimelinesUnavailableError) return null;
    throw error;
  }
}

async function findPosted(
  timeline: TimelineName,
  id: string,
  time: number | null,
  { posts, origin }: LocateParts,
  signal: AbortSignal | undefined,
): Promise<TimelineEntry | null> {
  try {
    const [drop] = await posts.getDrops([id], signal);
    return drop === undefined ? null : { id, createdAt: drop.createdAt };
  } catch (error) {
    if (!isNotOffered(error)) throw error;
  }
  let before = time === null ? undefined : { createdAt: time + MAX_SKEW, id: '' };
  for (let searched = 0; searched < MAX_SEARCHED; searched += PIECE) {
    const entries = await origin.read(timeline, { limit: PIECE, ...(before && { before }) }, signal);
    const found = entries.find((entry) => entry.id === id);
    if (found !== undefined) return found;
    before = entries.at(-1);
    const isPast = time !== null && before !== undefined && before.createdAt < time - MAX_SKEW;
    if (entries.length < PIECE || isPast) return null;
  }
  return null;
}
