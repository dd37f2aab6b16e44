import { createHash } from 'node:crypto';
import type { Connection } from '../../sqlite/connection.ts';

/** A longer URL than this is no address. */
const LONGEST_URL = 65_536;

/**
 * What the column `url` holds for an item: the feed's own URL. It is unique there, so of several items with one link the
 * first has the link itself, and each other one the link followed by `#item=` and what tells the items apart. An item whose
 * URL cannot be stored as text has its key instead.
 */
export function urlColumn(
  { key, url }: { readonly key: string; readonly url: string },
  isTaken: (url: string) => boolean,
): string {
  const own = isStorable(url) ? url : key;
  if (!isTaken(own)) return own;
  const [, id] = key.split('#item=');
  if (id !== undefined && !isTaken(`${own}#item=${id}`)) return `${own}#item=${id}`;
  return `${own}#item=sha256:${createHash('sha256').update(key).digest('hex')}`;
}

export function isStorable(url: string): boolean {
  return url !== '' && url.length <= LONGEST_URL && url.isWellFormed() && !url.includes('\0');
}

export function hasUrl(db: Connection, url: string): boolean {
  return db.get('SELECT 1 AS there FROM items WHERE url = ?', url) !== undefined;
}
