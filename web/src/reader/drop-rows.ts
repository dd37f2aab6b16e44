import type { ShownDrop } from '../../../src/server/http/timeline-routes.ts';
import type { RowEntry } from '../parts/entry-row.tsx';
import { itemHref } from '../router.ts';

/** A row of a timeline: a post, or a story with all drops about it. */
export type TimelineRow =
  | { readonly kind: 'drop'; readonly id: string; readonly drop: ShownDrop }
  | { readonly kind: 'entry'; readonly id: string; readonly drop: ShownDrop; readonly entry: RowEntry };

/** A story that several pipelines and sources brought is one row, where its newest drop is (R9). */
export function toRows(drops: readonly ShownDrop[]): readonly TimelineRow[] {
  const rows: TimelineRow[] = [];
  const placeOf = new Map<number, number>();
  for (const drop of drops) {
    if (drop.entry === null) {
      rows.push({ kind: 'drop', id: drop.id, drop });
      continue;
    }
    const at = placeOf.get(drop.entry.storyId);
    const known = at === undefined ? undefined : rows[at];
    if (at === undefined || known?.kind !== 'entry') {
      placeOf.set(drop.entry.storyId, rows.length);
      rows.push({ kind: 'entry', id: drop.id, drop, entry: toEntry(drop, drop.entry) });
    } else rows[at] = { ...known, entry: merge(known.entry, toEntry(drop, drop.entry)) };
  }
  return rows;
}

function toEntry(drop: ShownDrop, entry: NonNullable<ShownDrop['entry']>): RowEntry {
  const why =
    drop.pipeline !== null && drop.itemKey !== null ? itemHref(drop.pipeline, drop.itemKey) : undefined;
  return {
    id: entry.id,
    storyId: entry.storyId,
    state: entry.state,
    sources: entry.sources,
    title: drop.title ?? drop.text,
    url: drop.url,
    excerpt: drop.title === null ? null : drop.text,
    image: null,
    at: drop.createdAt,
    points: null,
    others: [],
    by: drop.author.kind === 'source' ? [] : [drop.author.displayName || drop.author.name],
    whyHref: why,
  };
}

function merge(first: RowEntry, more: RowEntry): RowEntry {
  const sources = new Map([...first.sources, ...more.sources].map((source) => [source.id, source]));
  return {
    ...first,
    sources: [...sources.values()],
    by: [...new Set([...(first.by ?? []), ...(more.by ?? [])])],
    excerpt: first.excerpt || more.excerpt,
    whyHref: first.whyHref ?? more.whyHref,
  };
}
