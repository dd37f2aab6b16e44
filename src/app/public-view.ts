import type { Item } from '../item/item.ts';
import type { Reason } from '../item/lifecycle.ts';
import type { HistoryEntry } from '../ledger/ledger.ts';
import type { Delivery } from '../press/outbox.ts';
import { redactUrl } from '../reading/redact-url.ts';
import type { PipelineStatus, SourceStatus } from '../server/newsroom.ts';

type Kind = PipelineStatus['kind'];

/** Notes that the page shows to everybody; others are for owners, such as what a processor printed. */
const PUBLIC_NOTES = ['source', 'destination', 'outcome'];

/**
 * Reasons and steps whose detail comes from a verdict or from the program itself. The detail of every other one may quote a judge's
 * server, a destination, a web server or a person.
 */
const PUBLIC_REASONS: readonly Reason[] = [
  'none',
  'low_relevance',
  'no_topic_match',
  'not_valuable',
  'not_ready',
  'not_chosen',
  'same_story',
  'first_contact',
];
const PUBLIC_STEPS = ['accept', 'publish', 'reject', 'defer', 'postpone'];

/** Steps of people, and the admission from a source; the others name a worker and its host. */
const PUBLIC_ACTORS = ['admit', 'requeue', 'markSent', 'drop'];

/** An item without the words of processors and servers. */
export function publicItem<T extends Pick<Item, 'detail' | 'reason'>>(item: T, kind: Kind): T {
  return kind !== 'process' && PUBLIC_REASONS.includes(item.reason) ? item : { ...item, detail: null };
}

export function publicEntry(entry: HistoryEntry, kind: Kind): HistoryEntry {
  const notes = Object.entries(entry.notes).filter(([name]) => PUBLIC_NOTES.includes(name));
  const { event, who } = entry;
  const { detail } = publicItem(entry, kind);
  return {
    ...entry,
    detail: PUBLIC_STEPS.includes(event) ? detail : null,
    who: PUBLIC_ACTORS.includes(event) ? who : null,
    notes: Object.fromEntries(notes),
  };
}

/** A delivery without what the destination answered. */
export function publicDelivery(delivery: Delivery): Delivery {
  return { ...delivery, detail: null };
}

/** A pipeline without the error of a run that failed. */
export function publicPipeline(status: PipelineStatus): PipelineStatus {
  const { lastRun } = status;
  return {
    ...status,
    detail: null,
    lastRun: lastRun?.outcome === 'failed' ? { ...lastRun, detail: null } : lastRun,
  };
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
