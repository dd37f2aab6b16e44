import type { ItemKey } from '../../src/item/item.ts';
import { StoryGroups } from '../../src/same-story/same-story.ts';
import { type Collection, type Half, inAnyOrder, type LabelledItem, labelledItems } from './corpus.ts';
import { type Quality, qualityOf } from './measures.ts';
import { groupByOverlap, groupByTfIdf } from './peers.ts';

/** Numbers of the arrival orders: what arrives first decides some groups, so one order says little. */
const ORDERS = [1, 2, 3, 4, 5];

/** How items arrive; another way for each number. */
export type Arrival = (items: readonly LabelledItem[], order: number) => readonly LabelledItem[];

/** Average quality of a way to group items, over several arrival orders. */
export function averageQuality(
  items: readonly LabelledItem[],
  group: (arrived: readonly LabelledItem[]) => readonly number[],
  arrive: Arrival = inAnyOrder,
): Quality {
  const all = ORDERS.map((order) => {
    const arrived = arrive(items, order);
    return qualityOf(
      group(arrived),
      arrived.map(({ event }) => event),
    );
  });
  const average = (of: (quality: Quality) => number): number =>
    all.reduce((sum, quality) => sum + of(quality), 0) / all.length;
  return {
    pairPrecision: average(({ pairPrecision }) => pairPrecision),
    pairRecall: average(({ pairRecall }) => pairRecall),
    precision: average(({ precision }) => precision),
    recall: average(({ recall }) => recall),
    f1: average(({ f1 }) => f1),
  };
}

export function groupsOf(items: readonly Pick<LabelledItem, 'title' | 'lead' | 'publishedAt'>[]): number[] {
  const groups = new StoryGroups();
  for (const [n, { title, lead, publishedAt = n }] of items.entries())
    groups.add({ key: `${n}` as ItemKey, title, publishedAt, ...(lead !== undefined && { text: lead }) });
  return items.map((_, n) => Number(groups.find(`${n}` as ItemKey)?.group));
}

export interface Measured {
  readonly ours: Quality;
  readonly overlap: Quality;
  readonly tfIdf: Quality;
}

export function measure(half: Half, collection: Collection, withLeads: boolean, arrive?: Arrival): Measured {
  const tuning = itemsOf('development', collection, withLeads);
  return measureItems(itemsOf(half, collection, withLeads), tuning, arrive);
}

/** `tuning`: the items that the threshold of TF-IDF is chosen on. */
export function measureItems(
  items: readonly LabelledItem[],
  tuning: readonly LabelledItem[],
  arrive?: Arrival,
): Measured {
  const cosine = tunedCosine(tuning);
  return {
    ours: averageQuality(items, groupsOf, arrive),
    overlap: averageQuality(items, (arrived) => groupByOverlap(textsOf(arrived)), arrive),
    tfIdf: averageQuality(items, (arrived) => groupByTfIdf(textsOf(arrived), cosine), arrive),
  };
}

/** The best one by F1 on these items. */
function tunedCosine(tuning: readonly LabelledItem[]): number {
  const items = inAnyOrder(tuning, 1);
  const events = items.map(({ event }) => event);
  const f1 = (cosine: number): number => qualityOf(groupByTfIdf(textsOf(items), cosine), events).f1;
  return Array.from({ length: 18 }, (_, n) => 0.05 * (n + 1)).reduce((best, cosine) =>
    f1(cosine) > f1(best) ? cosine : best,
  );
}

export function itemsOf(half: Half, collection: Collection, withLeads: boolean): readonly LabelledItem[] {
  const items = labelledItems(half, collection);
  return withLeads ? items : items.map((item) => ({ ...item, lead: undefined }));
}

function textsOf(items: readonly LabelledItem[]): string[] {
  return items.map(({ title, lead }) => (lead === undefined ? title : `${title} ${lead}`));
}
