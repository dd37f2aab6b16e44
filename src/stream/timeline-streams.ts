import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { TimelineName } from '../timeline/timeline-store.ts';

/** Live timelines for readers that stay connected (C20–C23). */
export interface TimelineStreams extends AsyncDisposable {
  /**
   * Takes over a response whose head is not written yet and keeps it until the reader goes, falls behind, or the
   * program stops. Refused with a value before anything is written.
   */
  connect(ask: StreamAsk, response: ServerResponse): Promise<StreamAnswer>;
  /** Takes nobody new and sends everybody away, over the time that is set for it, so that they can go elsewhere. */
  drain(): Promise<void>;
  /** How many readers are connected. */
  readonly open: number;
}

export interface StreamAsk {
  readonly timeline: TimelineName;
  /** Sent with the answer, beside those of every stream. */
  readonly headers?: OutgoingHttpHeaders;
  /** Who reads: the cap counts by it. A user's ID, or the address of a guest. */
  readonly reader: string;
  /** How many streams this reader may have; the hub's own cap where absent. */
  readonly atMost?: number;
  /** `Last-Event-ID`, or the `newer` cursor of a page. */
  readonly after?: string;
  /** Until when the reader's token counts, in milliseconds since the epoch: the stream ends then. */
  readonly endsAt?: number;
  /** Calls the listener when the token is revoked, which ends the stream. What comes back takes the listener away. */
  readonly onRevoked?: (listener: () => void) => () => void;
}

export type StreamAnswer =
  | { readonly connected: true }
  | { readonly connected: false; readonly why: 'too_many' | 'stopping' };

/** How long a browser waits before it reconnects: `ms` and up to as much again at random (jitter), so that readers do not reconnect together. */
export function reconnectAfter(ms: number, random: () => number = Math.random): string {
  return `retry: ${Math.round(ms * (1 + random()))}\n\n`;
}

export const STREAM_HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};
