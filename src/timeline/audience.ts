import type { TimelineEntry, TimelineName } from './timeline-store.ts';

/** Those who watch timelines live. Told only after the store has changed, so that reading never lags behind. */
export interface TimelineAudience {
  newDrop(entry: TimelineEntry, timelines: readonly TimelineName[]): void;
  dropDeleted(dropId: string, timelines: readonly TimelineName[]): void;
  /** So much changed at once that this timeline has to be read anew. */
  reset(timeline: TimelineName): void;
}
