import type { Reply } from '../../redis/connection.ts';
import type { Aside, TimelineEntry, TimelineWindow } from '../timeline-store.ts';

/** A page as it was last read, and what tells whether it is still the same. */
export interface KnownPage {
  readonly window: TimelineWindow;
  readonly version: string;
}

export interface PageReply {
  /** `null`: there is no such timeline. */
  readonly page: KnownPage | null;
  /** Whether events of the timeline were not kept before this page was read, or not for much longer. */
  readonly keepsEvents: boolean;
}

/** What the script `page` answers for one timeline. */
export function readPage(reply: Reply | undefined, marked: boolean, known: KnownPage | undefined): PageReply {
  if (typeof reply !== 'string') return { page: null, keepsEvents: false };
  if (reply.startsWith('=')) return { page: known ?? null, keepsEvents: reply === '=1' };
  const lines = reply.split('\n');
  const [floor = '', epoch = '', number = '0', keepsEvents, aside = '', version = ''] = lines;
  const window = {
    entries: entriesOf(lines, 6),
    floor: floorOf(floor),
    aside: aside === '' ? null : (JSON.parse(aside) as Aside),
    ...(marked && { mark: { epoch, number: Number(number) } }),
  };
  return { page: { window, version }, keepsEvents: keepsEvents === '1' };
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
