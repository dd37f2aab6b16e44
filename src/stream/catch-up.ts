import type { Logger } from '../telemetry/logger.ts';
import type { Clock } from '../time/clock.ts';
import { type Cursor, decodeCursor, type EventNumber, encodeCursor, isOlder } from '../timeline/cursor.ts';
import type { StreamLog } from '../timeline/stream-log.ts';
import type { TimelineReader } from '../timeline/timeline-reader.ts';
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
    if (cursor?.event) return await resume(channel, subscriber, cursor, parts);
    return await readMissed(channel, subscriber, after, parts);
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

/** By number: exactly the events that came after, deletions among them. */
async function resume(
  channel: Channel,
  subscriber: Subscriber,
  { position, event }: Cursor,
  { streams, clock }: CatchUpParts,
): Promise<void> {
  const before = channel.mark;
  const missed = event === null ? null : await streams.after(channel.timeline, event);
  if (missed === null || event === null) return reload(channel, subscriber);
  let top = position;
  let last = event.number;
  const told = new Set<string>();
  for (const { epoch, number, event: happened } of missed) {
    last = number;
    if (happened.type === 'new_drop') {
      if (told.has(happened.dropId)) continue;
      told.add(happened.dropId);
      const place = { id: happened.dropId, createdAt: happened.createdAt };
      if (isOlder(top, place)) top = place;
    }
    const frame = frameOf(happened, encodeCursor(top, { epoch, number }));
    if (!(await subscriber.writeAndWait(frame, clock))) return;
  }
  release(channel, subscriber, { before, upTo: { epoch: event.epoch, number: last } }, told);
}

/** By cursor or by the ID of a drop: the drops above it. */
async function readMissed(
  channel: Channel,
  subscriber: Subscriber,
  after: string,
  { reader, most, clock }: CatchUpParts,
): Promise<void> {
  const before = channel.mark;
  const missed = await backfill(reader, channel.timeline, after, most);
  const mark = missed.mark ?? before;
  channel.raise(missed.top);
  const sent = new Set<string>();
  if (missed.entries === null) {
    subscriber.write(frameOf({ type: 'reset' }, encodeCursor(missed.top, mark)));
  } else {
    for (const { id, createdAt } of missed.entries) {
      sent.add(id);
      const frame = frameOf({ type: 'new_drop', dropId: id, createdAt }, encodeCursor({ id, createdAt }));
      if (!(await subscriber.writeAndWait(frame, clock))) return;
    }
    subscriber.write(bookmark(encodeCursor(missed.top, mark)));
  }
  release(channel, subscriber, { before, upTo: mark }, sent);
}
