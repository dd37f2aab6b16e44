import { dropIdTime } from '../social/drop-id.ts';
import type { TimelineEntry } from './timeline-store.ts';

/**
 * A position in a timeline: (time, ID), whether or not a drop with that ID still exists (C15). Cursors of streams also
 * contain the number of the last event, so that one value serves both as `Last-Event-ID` and as `since_id` (C22); pages
 * use the position only.
 */
export interface Cursor {
  readonly position: TimelineEntry;
  readonly event: EventNumber | null;
  /**
   * The backfill was not complete: the reader has the drops up to the position that existed at the event, and lacks the
   * later ones.
   */
  readonly partial?: boolean;
}

/** The `number`-th event of the sequence named `epoch`. */
export interface EventNumber {
  readonly epoch: string;
  readonly number: number;
}

/** Before every drop. */
export const BEGINNING: TimelineEntry = { createdAt: 0, id: '' };

const CURSOR_PATTERN = /^(\d{1,16})_([\w.:@-]{0,128})(?:~([\w-]{1,32})\.(\d{1,15})(~)?)?$/;

export function encodeCursor(
  position: TimelineEntry,
  event: EventNumber | null = null,
  partial = false,
): string {
  const text = `${position.createdAt}_${position.id}`;
  return event === null ? text : `${text}~${event.epoch}.${event.number}${partial ? '~' : ''}`;
}

/**
 * Parses a cursor, or the ID of a drop of our own, which contains the drop's time; other services' IDs may contain another.
 * `null` if it is neither.
 */
export function decodeCursor(text: string): Cursor | null {
  const time = dropIdTime(text);
  if (time !== null) return { position: { createdAt: time, id: text }, event: null };
  return readCursor(text);
}

/** Parses a cursor made by `encodeCursor`. */
export function readCursor(text: string): Cursor | null {
  const parts = CURSOR_PATTERN.exec(text);
  if (!parts) return null;
  const createdAt = Number(parts[1]);
  if (!Number.isSafeInteger(createdAt)) return null;
  const event =
    parts[3] === undefined || parts[4] === undefined ? null : { epoch: parts[3], number: Number(parts[4]) };
  return {
    position: { createdAt, id: parts[2] ?? '' },
    event,
    ...(parts[5] !== undefined && { partial: true }),
  };
}

/** Newest first: negative where `a` comes before `b` in a timeline. */
export function newestFirst(a: TimelineEntry, b: TimelineEntry): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);
}

export function isOlder(a: TimelineEntry, b: TimelineEntry): boolean {
  return newestFirst(a, b) > 0;
}

/** Each drop once, newest first. */
export function mergeNewestFirst(
  lists: readonly (readonly TimelineEntry[])[],
  limit: number,
): readonly TimelineEntry[] {
  const all = new Map(lists.flat().map((entry) => [entry.id, entry]));
  return [...all.values()].sort(newestFirst).slice(0, limit);
}
