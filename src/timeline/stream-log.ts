import { MINUTE } from '../time/duration.ts';
import type { EventNumber } from './cursor.ts';
import type { TimelineEntry, TimelineName } from './timeline-store.ts';

/** For at least so long it is known which timelines were told of a new drop. */
export const ANNOUNCED_ONCE_MS = 10 * MINUTE;

/**
 * The numbered events of timelines that somebody watches, shared by all copies (C21, C22). A timeline nobody watches
 * has none: that costs nothing. Numbers have no gap; an epoch names one run of them, and where the numbers were lost
 * another epoch begins. The store records what it does by itself; what it does not do is recorded here.
 */
export interface StreamLog extends AsyncDisposable {
  /** What came after this event, oldest first; `null` where that is no longer known. */
  after(timeline: TimelineName, mark: EventNumber): Promise<readonly NumberedEvent[] | null>;
  /**
   * Tells every event, in order and without a gap, from the returned mark on. Where a gap cannot be closed, `lost` is
   * called with the place where it goes on.
   */
  watch(timeline: TimelineName, watcher: Watcher): Promise<Watch>;
  /** So much changed at once that these timelines have to be read anew. */
  reset(timelines: readonly TimelineName[]): Promise<void>;
  /**
   * Drops that these timelines show, though the store does not write them (C11) or has not yet: oldest first. Each is told
   * once to each timeline, not where it was deleted, nor to homes that were severed from its author.
   */
  announce(
    entries: readonly TimelineEntry[],
    timelines: readonly TimelineName[],
    author?: string,
  ): Promise<void>;
  /** The homes that were watched lately. */
  watchedHomes(): Promise<ReadonlySet<string>>;
}

export interface Watcher {
  happened(event: NumberedEvent): void;
  lost(mark: EventNumber): void;
}

export interface Watch {
  readonly mark: EventNumber;
  stop(): Promise<void>;
}

export interface NumberedEvent extends EventNumber {
  readonly event: StreamEvent;
}

export type StreamEvent =
  | { readonly type: 'new_drop'; readonly dropId: string; readonly createdAt: number }
  | { readonly type: 'drop_deleted'; readonly dropId: string }
  | { readonly type: 'reset' };
