import type { TimelineEntry, TimelineName } from './timeline-store.ts';

/** Reads timelines in pages. */
export interface TimelineReader {
  /**
   * Refused with a value where the cursor or the limit makes no sense; the field is named. The signal ends the waiting
   * of this reader alone: what others wait for too goes on.
   */
  page(timeline: TimelineName, ask?: PageAsk, signal?: AbortSignal): Promise<PageAnswer>;
}

export interface PageAsk {
  /** 1 to 100; 20 where absent (C14). */
  readonly limit?: number;
  /** Only newer than this cursor or drop, exclusive. Where more is newer than fits, it is the newest that is shown. */
  readonly sinceId?: string;
  /** Only older than this cursor or drop, exclusive. */
  readonly maxId?: string;
}

export type PageAnswer =
  | { readonly ok: true; readonly page: TimelinePage }
  | { readonly ok: false; readonly field: 'limit' | 'since_id' | 'max_id'; readonly why: string };

export interface TimelinePage {
  /** Newest first. */
  readonly entries: readonly TimelineEntry[];
  /** As `maxId` of the next page down; `null` at the end. Keep the same `sinceId` with it. */
  readonly older: string | null;
  /** As `sinceId` when asking later, and as `Last-Event-ID` of a stream. */
  readonly newer: string;
}

export const DEFAULT_LIMIT = 20;
export const LARGEST_LIMIT = 100;
