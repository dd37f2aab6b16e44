/**
 * An item of Hacker News as far as it could be understood (E14). The API leaves out what it does not have, says `null`
 * for what it does not know yet, and keeps deleted and dead items in their places.
 */
export interface HackerNewsItem {
  readonly id: number;
  readonly type: 'story' | 'job' | 'poll' | 'comment' | 'pollopt' | 'unknown';
  readonly deleted: boolean;
  readonly dead: boolean;
  readonly by: string;
  /** Milliseconds; `null` where the item has none. */
  readonly time: number | null;
  readonly title: string;
  /** As posted; empty for a text of its own. */
  readonly url: string;
  /** HTML. */
  readonly text: string;
  readonly score: number;
  readonly descendants: number;
  readonly kids: readonly number[];
}

const TYPES = new Set(['story', 'job', 'poll', 'comment', 'pollopt']);

/** Reads one item; `null` for a gap and for what is no item at all. Never throws. */
export function readItem(json: unknown): HackerNewsItem | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
  const fields = json as Readonly<Record<string, unknown>>;
  const id = count(fields.id);
  if (id === null || id === 0) return null;
  const type = typeof fields.type === 'string' && TYPES.has(fields.type) ? fields.type : 'unknown';
  const seconds = count(fields.time);
  return {
    id,
    type: type as HackerNewsItem['type'],
    deleted: fields.deleted === true,
    dead: fields.dead === true,
    by: string(fields.by),
    time: seconds === null || seconds === 0 ? null : seconds * 1000,
    title: string(fields.title).replace(/\s+/g, ' ').trim(),
    url: address(fields.url),
    text: string(fields.text),
    score: count(fields.score) ?? 0,
    descendants: count(fields.descendants) ?? 0,
    kids: readIds(fields.kids),
  };
}

/** Whether it is something to show: a story, job or poll that lives and has a title and a time. */
export function isReadable(item: HackerNewsItem): item is HackerNewsItem & { readonly time: number } {
  const headline = item.type === 'story' || item.type === 'job' || item.type === 'poll';
  return headline && !item.deleted && !item.dead && item.title !== '' && item.time !== null;
}

/** Whether it will never be something to show, so that asking again is useless. */
export function isSettled(item: HackerNewsItem): boolean {
  return item.deleted || item.dead || item.type === 'comment' || item.type === 'pollopt';
}

/** The whole positive numbers of a list; nothing if it is no list. */
export function readIds(json: unknown): number[] {
  if (!Array.isArray(json)) return [];
  return json.filter((id): id is number => (count(id) ?? 0) > 0);
}

export function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function address(value: unknown): string {
  const url = URL.parse(string(value).trim());
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? string(value).trim() : '';
}
