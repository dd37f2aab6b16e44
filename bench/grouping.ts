import type { BenchOptions, Result } from './bench.ts';
import { result } from './bench.ts';
import {
  type Collection,
  headlinesIn,
  inAnyOrder,
  type LabelledItem,
  mixed,
  withTimes,
} from './grouping/corpus.ts';
import { type Arrival, itemsOf, type Measured, measure, measureItems } from './grouping/quality.ts';
import { groupingTime } from './grouping/time.ts';

export const about =
  'grouping of items by story: quality beside two other ways, and the time for 100,000 titles';

const COLLECTIONS: readonly Collection[] = ['english', 'outlets', 'japanese'];

/**
 * Quality is measured on the held-out half of the labelled events (`bench/grouping/events`), as if all arrived at once and with
 * times that are drawn (see `withTimes`), and on the headlines in the files
 * that `GROUPING_CORPUS` names (see `headlinesIn`), separated by commas: each file alone, and all with the development events.
 * The threshold of TF-IDF is chosen on the first file.
 */
export async function run({ log }: BenchOptions): Promise<readonly Result[]> {
  const results = COLLECTIONS.flatMap((collection) =>
    [false, true].flatMap((withLeads) => [
      ...quality(collection, withLeads, '', inAnyOrder, log),
      ...quality(collection, withLeads, ', with times', withTimes, log),
    ]),
  );
  return [...results, ...headlines(log), ...groupingTime()];
}

function headlines(log: (line: string) => void): Result[] {
  const files = (process.env.GROUPING_CORPUS ?? '').split(',').filter((name) => name !== '');
  if (files.length === 0) return [];
  const corpora = files.map(headlinesIn);
  const events = COLLECTIONS.map((collection) => itemsOf('development', collection, false));
  const compareWith = (name: string, items: readonly LabelledItem[]): Result[] =>
    compare(name, measureItems(items, corpora[0] ?? []), false, log);
  return [
    ...files.flatMap((file, n) => compareWith(file, corpora[n] ?? [])),
    ...compareWith('all headlines and development events', mixed([...corpora, ...events])),
  ];
}

function quality(
  collection: Collection,
  withLeads: boolean,
  suffix: string,
  arrive: Arrival,
  log: (line: string) => void,
): Result[] {
  const what = `${collection}, ${withLeads ? 'titles and leads' : 'titles alone'}${suffix}`;
  return compare(what, measure('held-out', collection, withLeads, arrive), withLeads, log);
}

function compare(
  what: string,
  { ours, overlap, tfIdf }: Measured,
  withLeads: boolean,
  log: (line: string) => void,
): Result[] {
  for (const [name, found] of Object.entries({ ours, 'NewsBlur rule': overlap, 'TF-IDF': tfIdf })) {
    const { pairPrecision, pairRecall, precision, recall, f1 } = found;
    const [pairs, items] = [
      [pairPrecision, pairRecall],
      [precision, recall, f1],
    ].map((figures) => figures.map((figure) => figure.toFixed(3)).join(' / '));
    log(`${what}, ${name}: pairs P / R ${pairs}; B³ P / R / F1 ${items}`);
  }
  const peer = (name: string, figure: number) => ({ name, value: round(figure) });
  const minPrecision = withLeads ? 0.97 : 0.95;
  return [
    result({
      name: `${what}: B³ precision`,
      ours: round(ours.precision),
      unit: '',
      peer: peer('NewsBlur rule', overlap.precision),
      goal: `at least ${minPrecision}`,
      met: ours.precision >= minPrecision,
    }),
    withLeads
      ? result({
          name: `${what}: B³ recall`,
          ours: round(ours.recall),
          unit: '',
          peer: peer('NewsBlur rule', overlap.recall),
          goal: 'at least 0.7',
          met: ours.recall >= 0.7,
        })
      : result({
          name: `${what}: B³ F1`,
          ours: round(ours.f1),
          unit: '',
          peer: peer('TF-IDF', tfIdf.f1),
          goal: 'at least 0.8',
          met: ours.f1 >= 0.8,
        }),
  ];
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
