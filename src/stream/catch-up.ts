import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import {
  BEGINNING,
  type Cursor,
  decodeCursor,
  type EventNumber,
  encodeCursor,
  isOlder,
  newestFirst,
} from '../timeline/cursor.ts';
import { ANNOUNCED_ONCE_MS, type NumberedEvent, type StreamLog } from '../timeline/stream-log.ts';
import type { TimelineReader } from '../timeline/timeline-reader.ts';
import type { TimelineEntry } from '../timeline/timeline-store.ts';
import { backfill } from './backfill.ts';
import type { Channel } from './channel.ts';
import { bookmark, frameOf } from './frame.ts';
import type { Subscriber } from './subscriber.ts';

export interface CatchUpParts {
  readonly streams: StreamLog;
  readonly reader: TimelineReader;
  readonly log: Logger;
  readonly clock: Clock;
  /** More missed drops than this are not sent one by one: the reader loads anew. */
  readonly most: number;
}

/**
 * Backfill and cutover: what a reader missed, then what came while that was read; from then on events go to it live.
 * Where what it missed is no longer known, it is told to load anew (C22).
 */
export async function catchUp(
  channel: Channel,
  subscriber: Subscriber,
  after: string | undefined,
  parts: CatchUpParts,
): Promise<void> {
  if (after === undefined) {
    // A reader without a position missed nothing: it begins where the channel is.
    subscriber.write(bookmark(channel.cursor));
    return subscriber.release({ upTo: channel.mark, resetFrame: null });
  }
  const cursor = decodeCursor(after);
  try {
    const { event } = cursor ?? {};
    const known =
      cursor && event && !cursor.partial
        ? await resume(channel, subscriber, cursor.position, event, parts)
        : await readMissed(channel, subscriber, after, cursor, parts);
    if (known) return;
  } catch (error) {
    parts.log.warn('a stream could not read what its reader missed', { timeline: channel.timeline, error });
  }
  reload(channel, subscriber);
}

/** Tells the reader to load the timeline again, and begins live events from there. */
function reload(channel: Channel, subscriber: Subscriber): void {
  subscriber.write(frameOf({ type: 'reset' }, channel.cursor));
  subscriber.release({ upTo: channel.mark, resetFrame: null });
}

/** Begins live events after a backfill. `before` is the channel's mark before the store was read. */
function release(
  channel: Channel,
  subscriber: Subscriber,
  marks: { readonly before: EventNumber; readonly upTo: EventNumber },
  sent: ReadonlySet<string>,
): void {
  const { before, upTo } = marks;
  subscriber.release({
    upTo,
    sent,
    ...(before.epoch !== upTo.epoch && { outdatedEpoch: before.epoch }),
    resetFrame: () => frameOf({ type: 'reset' }, channel.cursor),
  });
}

/** By number: exactly the events that came after, deletions among them. `false`: no longer known. */
async function resume(
  channel: Channel,
  subscriber: Subscriber,
  position: TimelineEntry,
  event: EventNumber,
  { streams, clock }: CatchUpParts,
): Promise<boolean> {
  const before = channel.mark;
  const missed = await streams.after(channel.timeline, event);
  if (missed === null) return false;
  let top = position;
  let upTo = event;
  const sent = new Set<string>();
  for (const { epoch, number, event: happened } of missed) {
    upTo = { epoch, number };
    if (happened.type === 'new_drop') {
      if (sent.has(happened.dropId)) continue;
      sent.add(happened.dropId);
      const place = { id: happened.dropId, createdAt: happened.createdAt };
      if (isOlder(top, place)) top = place;
    }
    const frame = frameOf(happened, encodeCursor(top, upTo));
    if (!(await subscriber.writeAndWait(frame, clock))) return true;
  }
  release(channel, subscriber, { before, upTo }, sent);
  return true;
}

/** By position: the drops above it, and what happened while they were read. `false`: too much, or no longer known. */
async function readMissed(
  channel: Channel,
  subscriber: Subscriber,
  after: string,
  cursor: Cursor | null,
  { streams, reader, most, clock }: CatchUpParts,
): Promise<boolean> {
  const { timeline } = channel;
  const before = channel.mark;
  const shown = await backfill(reader, timeline, after, most);
  channel.raise(shown.top);
  if (shown.entries === null) return false;
  // A page may show a drop whose event is not handled yet. It gets its number now: who resumes by number is not told again.
  const young = clock.now() - ANNOUNCED_ONCE_MS / 2;
  const recent = shown.entries.filter(({ createdAt }) => createdAt > young);
  if (recent.length > 0) await streams.announce(recent, [timeline]);
  const from = cursor?.event ?? shown.mark ?? before;
  const happened = await streams.after(timeline, from);
  if (happened === null || happened.some(({ event }) => event.type === 'reset')) return false;

  const { entries, deleted } = applied(shown.entries, happened);
  const upTo = { epoch: from.epoch, number: happened.at(-1)?.number ?? from.number };
  // Without a cursor of their own: a connection that breaks here goes on from the reader's old one.
  for (const dropId of deleted)
    if (!(await subscriber.writeAndWait(frameOf({ type: 'drop_deleted', dropId }, after), clock)))
      return true;
  let top = cursor?.position ?? BEGINNING;
  for (const entry of entries) {
    if (isOlder(top, entry)) top = entry;
    const event = { type: 'new_drop', dropId: entry.id, createdAt: entry.createdAt } as const;
    // A connection that breaks before the last entry goes on from this position and this number.
    const frame = frameOf(event, encodeCursor(top, upTo, entry !== entries.at(-1)));
    if (!(await subscriber.writeAndWait(frame, clock))) return true;
  }
  if (isOlder(top, shown.top)) top = shown.top;
  subscriber.write(bookmark(encodeCursor(top, upTo)));
  release(channel, subscriber, { before, upTo }, new Set(entries.map(({ id }) => id)));
  return true;
}

/** What a page shows once these events have happened to it, oldest first, and the drops that they deleted. */
function applied(
  shown: readonly TimelineEntry[],
  happened: readonly NumberedEvent[],
): { readonly entries: readonly TimelineEntry[]; readonly deleted: readonly string[] } {
  const entries = new Map(shown.map((entry) => [entry.id, entry]));
  const deleted = new Set<string>();
  for (const { event } of happened) {
    if (event.type === 'new_drop')
      entries.set(event.dropId, { id: event.dropId, createdAt: event.createdAt });
    else if (event.type === 'drop_deleted') {
      entries.delete(event.dropId);
      deleted.add(event.dropId);
    }
  }
  return { entries: [...entries.values()].sort((a, b) => newestFirst(b, a)), deleted: [...deleted] };
}
