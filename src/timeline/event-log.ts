import type { Visibility } from '../social/services.ts';

/** The durable log of what happened to drops, read by consumer groups; the channels of C2 carry the same events. */
export interface EventLog extends AsyncDisposable {
  append(event: DropEvent): Promise<void>;
  /** Every event at least once, in order, for this group; a handler that throws gets the event again. */
  consume(group: string, handle: (event: DropEvent) => Promise<void>, signal: AbortSignal): Promise<void>;
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
  /** Not channels of C2: they bring an author's drops into a home timeline and take them out again (C13). */
  | { readonly type: 'followed'; readonly user_id: string; readonly author_id: string }
  | { readonly type: 'unfollowed'; readonly user_id: string; readonly author_id: string };
