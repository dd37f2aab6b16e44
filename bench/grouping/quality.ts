import type { ItemKey } from '../../src/item/item.ts';
import { StoryGroups } from '../../src/same-story/same-story.ts';
import { type Half, type LabelledItem, type Language, labelledItems } from './corpus.ts';
import { type Quality, qualityOf } from './measures.ts';
import { groupByOverlap, groupByTfIdf } from './peers.ts';

/** In an order that keeps no event together, as items of several sources arrive. */
export function inArrivalOrder(items: readonly LabelledItem[]): readonly LabelledItem[] {
  return items
    .map((item, index) => ({ item, at: (index * 7919) % items.length }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

export function groupsOf(items: readonly Pick<LabelledItem, 'title' | 'lead'>[]): number[] {
  const groups = new StoryGroups();
  for (const [n, { title, lead }] of items.entries())
    groups.add({ key: `${n}` as ItemKey, title, publishedAt: n, ...(lead !== undefined && { text: lead }) });
  return items.map((_, n) => Number(groups.find(`${n}` as ItemKey)?.group));
}

export interface Measured {
  readonly ours: Quality;
  readonly overlap: Quality;
  readonly tfIdf: Quality;
}

export function measure(half: Half, language: Language, withLeads: boolean): Measured {
  const items = arrived(half, language, withLeads);
  const events = items.map(({ event }) => event);
  return {
    ours: qualityOf(groupsOf(items), events),
    overlap: qualityOf(groupByOverlap(textsOf(items)), events),
    tfIdf: qualityOf(groupByTfIdf(textsOf(items), tunedCosine(language, withLeads)), events),
  };
}

/** The best one by F1 on the development half. */
function tunedCosine(language: Language, withLeads: boolean): number {
  const items = arrived('development', language, withLeads);
  const events = items.map(({ event }) => event);
  const f1 = (cosine: number): number => qualityOf(groupByTfIdf(textsOf(items), cosine), events).f1;
  return Array.from({ length: 18 }, (_, n) => 0.05 * (n + 1)).reduce((best, cosine) =>
    f1(cosine) > f1(best) ? cosine : best,
  );
}

function arrived(half: Half, language: Language, withLeads: boolean): readonly LabelledItem[] {
  const items = inArrivalOrder(labelledItems(half, language));
  return withLeads ? items : items.map((item) => ({ ...item, lead: undefined }));
}

function textsOf(items: readonly LabelledItem[]): string[] {
  return items.map(({ title, lead }) => (lead === undefined ? title : `${title} ${lead}`));
}
