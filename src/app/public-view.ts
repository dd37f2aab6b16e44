import type { Item } from '../item/item.ts';
import type { HistoryEntry } from '../ledger/ledger.ts';
import { redactUrl } from '../reading/redact-url.ts';
import type { PipelineStatus, SourceStatus } from '../server/newsroom.ts';

type Kind = PipelineStatus['kind'];

/** Notes that the page shows to everybody; others are for owners, such as what a processor printed. */
const PUBLIC_NOTES = ['source', 'destination', 'outcome'];

/** An item without what a processor printed: the reason in words may quote its last line. */
export function publicItem<T extends Pick<Item, 'detail'>>(item: T, kind: Kind): T {
  return kind === 'process' ? { ...item, detail: null } : item;
}

export function publicEntry(entry: HistoryEntry, kind: Kind): HistoryEntry {
  const notes = Object.entries(entry.notes).filter(([name]) => PUBLIC_NOTES.includes(name));
  return { ...publicItem(entry, kind), notes: Object.fromEntries(notes) };
}

/** A source without anything of its address that may be a secret. What it remembers holds that address as well. */
export function publicSource(source: SourceStatus): SourceStatus {
  const { url, record } = source;
  return {
    ...source,
    url: url === null ? null : publicAddress(url),
    record: record && {
      ...record,
      memory: {},
      movedTo: record.movedTo === null ? null : publicAddress(record.movedTo),
      lastTrouble: record.lastTrouble && {
        ...record.lastTrouble,
        detail: record.lastTrouble.detail.replaceAll(/https?:\/\/[^\s"'<>)]+/g, redactUrl),
      },
    },
  };
}

/** The address itself where nothing in it can be a secret; only its site otherwise, which is still good for a link. */
function publicAddress(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null) return null;
  return redactUrl(url) === parsed.href ? url : `${parsed.origin}/`;
}
