import type { Reply } from '../../redis/connection.ts';
import type { Aside, TimelineEntry, TimelineWindow } from '../timeline-store.ts';

/** What the script `page` answers for one timeline, a line each: floor, epoch, number, whether events are kept for longer now, the authors aside, then IDs and times. */
export function windowOf(reply: Reply | undefined, marked: boolean): TimelineWindow | null {
  if (typeof reply !== 'string') return null;
  const lines = reply.split('\n');
  const [floor = '', epoch = '', number = '0', , aside = ''] = lines;
  return {
    entries: entriesOf(lines, 5),
    floor: floorOf(floor),
    aside: aside === '' ? null : (JSON.parse(aside) as Aside),
    ...(marked && { mark: { epoch, number: Number(number) } }),
  };
}

/** Whether events of the timeline were not kept before this page was read, or not for much longer. */
export function beganToKeepEvents(reply: Reply | undefined): boolean {
  return typeof reply === 'string' && reply.split('\n', 4)[3] === '1';
}

/** IDs and times in turn. */
export function entriesOf(reply: readonly string[], from = 0): readonly TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  for (let n = from; n + 1 < reply.length; n += 2)
    entries.push({ id: reply[n] ?? '', createdAt: Number(reply[n + 1]) });
  return entries;
}

function floorOf(text: string): TimelineEntry | null {
  const at = text.indexOf(' ');
  return at < 0 ? null : { createdAt: Number(text.slice(0, at)), id: text.slice(at + 1) };
}
