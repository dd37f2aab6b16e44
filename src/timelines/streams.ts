import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { MINUTE } from '../time/duration.ts';
import type { EventNumber } from './cursor.ts';
import type { TimelineEntry, TimelineName } from './timeline-store.ts';

/** For at least so long it is known which timelines were told of a new drop. */
export const ANNOUNCE_DEDUPE_MS = 10 * MINUTE;

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
  subscribe(timeline: TimelineName, watcher: StreamListener): Promise<StreamSubscription>;
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
  subscribedHomes(): Promise<ReadonlySet<string>>;
}

export interface StreamListener {
  onEvent(event: NumberedEvent): void;
  onGap(mark: EventNumber): void;
}

export interface StreamSubscription {
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

/** Live timelines for readers that stay connected (C20–C23). */
export interface TimelineStreams extends AsyncDisposable {
  /**
   * Takes over a response whose head is not written yet and keeps it until the reader goes, falls behind, or the
   * program stops. Refused with a value before anything is written.
   */
  connect(ask: StreamRequest, response: ServerResponse): Promise<StreamResult>;
  /** Takes nobody new and sends everybody away, over the time that is set for it, so that they can go elsewhere. */
  drain(): Promise<void>;
  /** How many readers are connected. */
  readonly openCount: number;
}

export interface StreamRequest {
  readonly timeline: TimelineName;
  /** Sent with the answer, beside those of every stream. */
  readonly headers?: OutgoingHttpHeaders;
  /** Who reads: the cap counts by it. A user's ID, or the address of a guest. */
  readonly reader: string;
  /** How many streams this reader may have; the hub's own cap where absent. */
  readonly maxStreams?: number;
  /** `Last-Event-ID`, or the `newer` cursor of a page. */
  readonly after?: string;
  /** Until when the reader's token counts, in milliseconds since the epoch: the stream ends then. */
  readonly endsAt?: number;
  /** Calls the listener when the token is revoked, which ends the stream. What comes back takes the listener away. */
  readonly onRevoked?: (listener: () => void) => () => void;
}

export type StreamResult =
  | { readonly connected: true }
  | { readonly connected: false; readonly why: 'too_many' | 'stopping' };

/** How long a browser waits before it reconnects: `ms` and up to as much again at random (jitter), so that readers do not reconnect together. */
export function reconnectField(ms: number, random: () => number = Math.random): string {
  return `retry: ${Math.round(ms * (1 + random()))}\n\n`;
}

export const STREAM_HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};

/**
 * Which streams are open, over all copies (C3). A copy that dies leaves its entries behind; they go by themselves after
 * their time to live, which `keep` prolongs.
 */
export interface ConnectionRegistry extends AsyncDisposable {
  /** Enters a stream unless this user has `atMost` already. */
  register(userId: string, connectionId: string, atMost: number): Promise<boolean>;
  unregister(userId: string, connectionId: string): Promise<void>;
  /** These are still open. */
  renew(connections: readonly OpenConnection[]): Promise<void>;
}

export interface OpenConnection {
  readonly userId: string;
  readonly connectionId: string;
}

/** Server-Sent Events as bytes. One frame serves all readers of a timeline. */
export function eventFrame(event: StreamEvent, cursor: string): string {
  const data = event.type === 'reset' ? {} : { drop_id: event.dropId };
  return `event: ${event.type}\nid: ${cursor}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Sets the reader's `Last-Event-ID` without an event, so that a reader that has seen none yet can resume too. */
export function cursorFrame(cursor: string): string {
  return `id: ${cursor}\n\n`;
}

export const HEARTBEAT_FRAME = ': still here\n\n';
