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

export const HEARTBEAT = ': still here\n\n';
