import type { Logger } from '../telemetry/logger.ts';
import { type Cursor, decodeCursor, encodeCursor, isOlder } from '../timeline/cursor.ts';
import type { StreamLog } from '../timeline/stream-log.ts';
import type { TimelineReader } from '../timeline/timeline-reader.ts';
import { backfill } from './backfill.ts';
import type { Channel } from './channel.ts';
import { bookmark, frameOf } from './frame.ts';
import type { Subscriber } from './subscriber.ts';

const NONE: ReadonlySet<string> = new Set();

export interface CatchUpParts {
  readonly streams: StreamLog;
  readonly reader: TimelineReader;
  readonly log: Logger;
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
  const mark = channel.mark;
  if (after === undefined) {
    // Who comes without a place missed nothing: it begins where the channel stands.
    subscriber.write(bookmark(channel.cursor));
    return subscriber.release(mark.number, NONE);
  }
  const cursor = decodeCursor(after);
  try {
    if (cursor?.event) return await resume(channel, subscriber, cursor, parts);
    if (cursor !== null) return await readMissed(channel, subscriber, cursor, parts);
  } catch (error) {
    parts.log.warn('a stream could not read what its reader missed', { timeline: channel.timeline, error });
  }
  subscriber.write(frameOf({ type: 'reset' }, channel.cursor));
  subscriber.release(mark.number, NONE);
}

/** By number: exactly the events that came after, deletions among them. */
async function resume(
  channel: Channel,
  subscriber: Subscriber,
  { position, event }: Cursor,
  { streams }: CatchUpParts,
): Promise<void> {
  const before = channel.mark;
  const missed = event === null ? null : await streams.after(channel.timeline, event);
  if (missed === null || event === null) {
    subscriber.write(frameOf({ type: 'reset' }, channel.cursor));
    return subscriber.release(before.number, NONE);
  }
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
    subscriber.write(frameOf(happened, encodeCursor(top, { epoch, number })));
  }
  subscriber.release(last, told);
}

/** By place: the drops above it. */
async function readMissed(
  channel: Channel,
  subscriber: Subscriber,
  { position }: Cursor,
  { reader, most }: CatchUpParts,
): Promise<void> {
  const mark = channel.mark;
  const missed = await backfill(reader, channel.timeline, position, most);
  channel.raise(missed.top);
  const sent = new Set<string>();
  if (missed.entries === null) {
    subscriber.write(frameOf({ type: 'reset' }, encodeCursor(missed.top, mark)));
  } else {
    for (const { id, createdAt } of missed.entries) {
      sent.add(id);
      const frame = frameOf({ type: 'new_drop', dropId: id, createdAt }, encodeCursor({ id, createdAt }));
      subscriber.write(frame);
    }
    subscriber.write(bookmark(encodeCursor(missed.top, mark)));
  }
  subscriber.release(mark.number, sent);
}
