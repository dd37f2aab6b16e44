import type { Visibility } from '../social/services.ts';
import type { TraceHeaders } from '../telemetry/tracing.ts';

/** The durable log of what happened to drops, read by consumer groups; the channels of C2 carry the same events. */
export interface EventLog extends AsyncDisposable {
  append(event: DropEvent): Promise<void>;
  /**
   * Every event at least once for this group, begun in order; several copies share a group's events. The new drops of one
   * author are handled one after the other in the order of the log, with their rests, over all copies. A handler that throws
   * gets the event again, later, and holds up no other; only where it says that a service is away, the author's later drops
   * wait for it. Ends with the signal.
   */
  consume(group: string, handle: EventHandler, signal: AbortSignal): Promise<void>;
  /** How many events wait for this group. */
  waiting(group: string): Promise<number>;
}

/**
 * Handles one event. May answer with the rest of the work where that takes long: it is done beside the others, so that
 * it cannot hold them up, and the event counts as handled only when the rest is done too.
 */
export type EventHandler = (
  event: DropEvent,
  about: EventAbout,
) => Promise<(() => Promise<void>) | undefined>;

export interface EventAbout {
  /** When it was appended. */
  readonly at: number;
  /** The trace that it was appended in; empty where there was none (C25). */
  readonly trace: TraceHeaders;
}

export type DropEvent =
  | {
      readonly type: 'drop_created';
      readonly drop_id: string;
      readonly user_id: string;
      readonly visibility: Visibility;
      readonly created_at: number;
    }
  | { readonly type: 'drop_deleted'; readonly drop_id: string; readonly user_id: string }
  | { readonly type: 'ap_drop_received'; readonly drop_id: string; readonly created_at: number }
  /** They bring an author's drops into a home timeline and take them out again (C13). */
  | { readonly type: 'followed'; readonly user_id: string; readonly author_id: string }
  | { readonly type: 'unfollowed'; readonly user_id: string; readonly author_id: string };
