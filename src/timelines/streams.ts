import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { MINUTE } from '../time/duration.ts';
import type { EventNumber } from './cursor.ts';
import type { TimelineEntry, TimelineName } from './timeline-store.ts';

/** Minimum time for which it is recorded that a new drop was announced to a timeline. */
export const ANNOUNCE_DEDUPE_MS = 10 * MINUTE;

/**
 * The numbered events of timelines that have subscribers, shared by all replicas (C21, C22). A timeline without
 * subscribers has no events and no cost. Numbers have no gap; an epoch names one sequence, and if the numbers are lost
 * another epoch begins. The store records its own changes; all others are recorded here.
 */
export interface StreamLog extends AsyncDisposable {
  /** The events after this one, oldest first; `null` if they are no longer known. */
  after(timeline: TimelineName, mark: EventNumber): Promise<readonly NumberedEvent[] | null>;
  /**
   * Delivers every event, in order and without a gap, from the returned mark on. If a gap cannot be closed, `onGap` is
   * called with the mark where it continues.
   */
  subscribe(timeline: TimelineName, watcher: StreamListener): Promise<StreamSubscription>;
  /** Tells the readers of these timelines to reload: too much changed for single events. */
  reset(timelines: readonly TimelineName[]): Promise<void>;
  /**
   * Publishes drops that these timelines show although the store does not write them (C11) or has not yet: oldest first.
   * Each goes once to each timeline, but not if it was deleted, nor to homes that were severed from its author.
   */
  announce(
    entries: readonly TimelineEntry[],
    timelines: readonly TimelineName[],
    author?: string,
  ): Promise<void>;
  /** The owners of homes that had subscribers recently. */
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
   * Takes over a response whose head is not written yet and keeps it open until the reader disconnects, falls behind, or
   * the program stops. A refusal is returned before anything is written.
   */
  connect(ask: StreamRequest, response: ServerResponse): Promise<StreamResult>;
  /** Refuses new streams and ends all open ones; very many over the configured time, so that their readers do not reconnect at once. */
  drain(): Promise<void>;
  /** How many readers are connected. */
  readonly openCount: number;
}

export interface StreamRequest {
  readonly timeline: TimelineName;
  /** Sent with the response, beside those of every stream. */
  readonly headers?: OutgoingHttpHeaders;
  /** A user's ID, or the address of a guest: the cap is per reader. */
  readonly reader: string;
  /** How many streams this reader may have; defaults to the hub's cap. */
  readonly maxStreams?: number;
  /** `Last-Event-ID`, or the `newer` cursor of a page. */
  readonly after?: string;
  /** When the reader's token expires, in milliseconds since the epoch: the stream ends then. */
  readonly endsAt?: number;
  /** Calls the listener when the token is revoked, which ends the stream. Returns a function that removes the listener. */
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
 * The open streams of all replicas (C3). Entries of a replica that dies expire after their time to live, which `renew`
 * prolongs.
 */
export interface ConnectionRegistry extends AsyncDisposable {
  /** Adds a stream unless this user has `atMost` already. */
  register(userId: string, connectionId: string, atMost: number): Promise<boolean>;
  unregister(userId: string, connectionId: string): Promise<void>;
  /** Prolongs the time to live of streams that are still open. */
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
