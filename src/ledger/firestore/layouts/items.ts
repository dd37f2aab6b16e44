import { createHash } from 'node:crypto';
import { summaryView } from '../../../item/views.ts';
import { shown } from '../packing.ts';
import { timeOf } from '../times.ts';
import type { Layout } from './layout.ts';

/**
 * The summary bot's items: the fields of its table (B1), with its numbers for status and reason (B3, B4). The ID is the
 * SHA-256 of the item's key, which spreads the documents evenly, takes a key of any length, and never meets another's.
 */
export const ITEMS: Layout = {
  items: 'items',
  tombstones: 'items_tombstones',
  outbox: 'items_outbox',
  sources: 'items_sources',
  idOf: hashOf,
  fields({ item }) {
    const { status, reason } = summaryView(item);
    return {
      url: shown(item.url || item.key),
      title: shown(item.title),
      published_at: timeOf(item.publishedAt),
      status,
      reason,
      retry_count: item.attempts,
      created_at: timeOf(item.createdAt),
      last_checked_at: timeOf(item.checkedAt),
    };
  },
};

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
