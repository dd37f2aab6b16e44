import type { OriginPage } from './origin.ts';
import type { TimelineEntry } from './timeline-store.ts';

/**
 * The drops that came by `ap_drop_received` (C9). No post service has them: what is not kept here is lost with the
 * window of the global timeline. Holds the newest `cap`, as that timeline does.
 */
export interface ReceivedDrops extends AsyncDisposable {
  /** Answers those that were not removed before: only these are taken (C8). Keeping twice changes nothing. */
  keep(entries: readonly TimelineEntry[]): Promise<readonly TimelineEntry[]>;
  /** Also where the drop has not come yet. */
  remove(dropIds: readonly string[]): Promise<void>;
  /** Newest first, strictly below `before` where given. */
  newest(page: OriginPage): Promise<readonly TimelineEntry[]>;
  /** The last ones that were removed, in no order. */
  removed(): Promise<readonly string[]>;
}

/** So many removed drops are remembered: more than can be deleted between two events of one drop. */
export const MAX_REMOVED = 10_000;
