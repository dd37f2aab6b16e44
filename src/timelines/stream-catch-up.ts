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
} from './cursor.ts';
import type { StreamChannel } from './stream-channel.ts';
import type { StreamConnection } from './stream-connection.ts';
import {
  ANNOUNCE_DEDUPE_MS,
  cursorFrame,
  eventFrame,
  type NumberedEvent,
  type StreamLog,
} from './streams.ts';
import { MAX_LIMIT, type TimelineEntry, type TimelineName, type TimelineReader } from './timeline-store.ts';

export interface CatchUpDependencies {
  readonly streams: StreamLog;
  readonly reader: TimelineReader;
  readonly log: Logger;
  readonly clock: Clock;
  /** More missed drops than this are not sent one by one: the reader reloads. */
  readonly maxMissed: number;
}

/**
 * Backfill and cutover: sends what a reader missed, then what was published meanwhile, and begins live events. If the
 * missed events are no longer known, a `reset` makes the reader reload (C22).
 */
export async function catchUp(
  channel: StreamChannel,
  connection: StreamConnection,
  after: string | undefined,
  deps: CatchUpDependencies,
): Promise<void> {
  if (after === undefined) {
    // A reader without a position missed nothing: it begins at the channel's position.
    connection.write(cursorFrame(channel.cursor));
    return connection.startLive({ upTo: channel.mark, resetFrame: null });
  }
  const cursor = decodeCursor(after);
  try {
    const { event } = cursor ?? {};
    const known =
      cursor && event && !cursor.partial
        ? await resumeFromEvent(channel, connection, cursor.position, event, deps)
        : await sendMissed(channel, connection, after, cursor, deps);
    if (known) return;
  } catch (error) {
    deps.log.warn('Failed to read the missed events of a stream, sending a reset', {
      timeline: channel.timeline,
      error,
    });
  }
  sendReset(channel, connection);
}

/** Makes the reader reload the timeline, and begins live events from there. */
function sendReset(channel: StreamChannel, connection: StreamConnection): void {
  connection.write(eventFrame({ type: 'reset' }, channel.cursor));
  connection.startLive({ upTo: channel.mark, resetFrame: null });
}

/** Begins live events after a backfill. `before` is the channel's mark before the store was read. */
function startLiveEvents(
  channel: StreamChannel,
  connection: StreamConnection,
  marks: { readonly before: EventNumber; readonly upTo: EventNumber },
  sent: ReadonlySet<string>,
): void {
  const { before, upTo } = marks;
  connection.startLive({
    upTo,
    sent,
    ...(before.epoch !== upTo.epoch && { outdatedEpoch: before.epoch }),
    resetFrame: () => eventFrame({ type: 'reset' }, channel.cursor),
  });
}

/** Resumes by number: sends exactly the later events, deletions included. `false`: they are no longer known. */
async function resumeFromEvent(
  channel: StreamChannel,
  connection: StreamConnection,
  position: TimelineEntry,
  event: EventNumber,
  { streams, clock }: CatchUpDependencies,
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
    const frame = eventFrame(happened, encodeCursor(top, upTo));
    if (!(await connection.writeAndWait(frame, clock))) return true;
  }
  startLiveEvents(channel, connection, { before, upTo }, sent);
  return true;
}

/** Resumes by position: sends the drops above it and the events since they were read. `false`: too many, or no longer known. */
async function sendMissed(
  channel: StreamChannel,
  connection: StreamConnection,
  after: string,
  cursor: Cursor | null,
  { streams, reader, maxMissed, clock }: CatchUpDependencies,
): Promise<boolean> {
  const { timeline } = channel;
  const before = channel.mark;
  const shown = await readMissedEntries(reader, timeline, after, maxMissed);
  channel.raiseTop(shown.top);
  if (shown.entries === null) return false;
  // A page may show a drop whose event is not handled yet. Number it now: a reader that resumes by number does not get it twice.
  const young = clock.now() - ANNOUNCE_DEDUPE_MS / 2;
  const recent = shown.entries.filter(({ createdAt }) => createdAt > young);
  if (recent.length > 0) await streams.announce(recent, [timeline]);
  const from = cursor?.event ?? shown.mark ?? before;
  const happened = await streams.after(timeline, from);
  if (happened === null || happened.some(({ event }) => event.type === 'reset')) return false;

  const { entries, deleted } = applyEvents(shown.entries, happened);
  const upTo = { epoch: from.epoch, number: happened.at(-1)?.number ?? from.number };
  // Deletions carry the reader's old cursor: a connection that breaks here resumes from it.
  for (const dropId of deleted)
    if (!(await connection.writeAndWait(eventFrame({ type: 'drop_deleted', dropId }, after), clock)))
      return true;
  let top = cursor?.position ?? BEGINNING;
  for (const entry of entries) {
    if (isOlder(top, entry)) top = entry;
    const event = { type: 'new_drop', dropId: entry.id, createdAt: entry.createdAt } as const;
    // A connection that breaks before the last entry resumes from this position and this number.
    const frame = eventFrame(event, encodeCursor(top, upTo, entry !== entries.at(-1)));
    if (!(await connection.writeAndWait(frame, clock))) return true;
  }
  if (isOlder(top, shown.top)) top = shown.top;
  connection.write(cursorFrame(encodeCursor(top, upTo)));
  startLiveEvents(channel, connection, { before, upTo }, new Set(entries.map(({ id }) => id)));
  return true;
}

/** Applies events to the entries of a page. Returns the entries, oldest first, and the deleted drops. */
function applyEvents(
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

export interface MissedEntries {
  /** Oldest first; `null`: more than the limit, or no longer known. */
  readonly entries: readonly TimelineEntry[] | null;
  /** The newest entry of the timeline as it was read. */
  readonly top: TimelineEntry;
  /** The last event that the newest page contains; `null` if the page has no event number. */
  readonly mark: EventNumber | null;
}

/** Reads the entries above a cursor or a drop. Without one, reads only the top and the mark of the timeline. */
export async function readMissedEntries(
  reader: TimelineReader,
  timeline: TimelineName,
  after: string | undefined,
  limit: number,
): Promise<MissedEntries> {
  const since = after === undefined ? {} : { sinceId: after };
  const found: TimelineEntry[] = [];
  let mark: EventNumber | null = null;
  for (let maxId: string | undefined; ; ) {
    const size = after === undefined ? 1 : MAX_LIMIT;
    const answer = await reader.page(timeline, { limit: size, ...since, ...(maxId ? { maxId } : {}) });
    if (!answer.ok) throw new Error(`Failed to read a page of ${timeline}: ${answer.field} ${answer.why}`);
    found.push(...answer.page.entries);
    if (maxId === undefined) mark = decodeCursor(answer.page.newer)?.event ?? null;
    const top = found[0] ?? decodeCursor(answer.page.newer)?.position ?? BEGINNING;
    if (after === undefined) return { entries: [], top, mark };
    if (found.length > limit) return { entries: null, top, mark };
    if (answer.page.older === null) return { entries: found.reverse(), top, mark };
    maxId = answer.page.older;
  }
}
