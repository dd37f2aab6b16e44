import { BEGINNING, decodeCursor, type EventNumber } from '../timeline/cursor.ts';
import { LARGEST_LIMIT, type TimelineReader } from '../timeline/timeline-reader.ts';
import type { TimelineEntry, TimelineName } from '../timeline/timeline-store.ts';

export interface Missed {
  /** Oldest first; `null`: more than the limit, or no longer known. */
  readonly entries: readonly TimelineEntry[] | null;
  /** The newest entry of the timeline as it was read. */
  readonly top: TimelineEntry;
  /** The last event that the newest page contains; `null` where the page does not say. */
  readonly mark: EventNumber | null;
}

/** What a timeline has above a cursor or a drop. Without one only where the timeline stands is read. */
export async function backfill(
  reader: TimelineReader,
  timeline: TimelineName,
  after: string | undefined,
  limit: number,
): Promise<Missed> {
  const since = after === undefined ? {} : { sinceId: after };
  const found: TimelineEntry[] = [];
  let mark: EventNumber | null = null;
  for (let maxId: string | undefined; ; ) {
    const size = after === undefined ? 1 : LARGEST_LIMIT;
    const answer = await reader.page(timeline, { limit: size, ...since, ...(maxId ? { maxId } : {}) });
    if (!answer.ok) throw new Error(`A page of ${timeline} was refused: ${answer.field} ${answer.why}`);
    found.push(...answer.page.entries);
    if (maxId === undefined) mark = decodeCursor(answer.page.newer)?.event ?? null;
    const top = found[0] ?? decodeCursor(answer.page.newer)?.position ?? BEGINNING;
    if (after === undefined) return { entries: [], top, mark };
    if (found.length > limit) return { entries: null, top, mark };
    if (answer.page.older === null) return { entries: found.reverse(), top, mark };
    maxId = answer.page.older;
  }
}
