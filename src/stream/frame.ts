import type { StreamEvent } from '../timeline/stream-log.ts';

/** Server-Sent Events as bytes. One frame serves all readers of a timeline. */
export function frameOf(event: StreamEvent, cursor: string): string {
  const data = event.type === 'reset' ? {} : { drop_id: event.dropId };
  return `event: ${event.type}\nid: ${cursor}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Sets the reader's `Last-Event-ID` without an event, so that a reader that has seen none yet can resume too. */
export function bookmark(cursor: string): string {
  return `id: ${cursor}\n\n`;
}

/** How long a browser waits before it connects again: up to twice `ms`, so that readers do not all come back at once. */
export function reconnectAfter(ms: number, random: () => number = Math.random): string {
  return `retry: ${Math.round(ms * (1 + random()))}\n\n`;
}

export const STREAM_HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
};

export const HEARTBEAT = ': still here\n\n';
