import type { BenchOptions, Result } from './bench.ts';
import { result } from './bench.ts';
import type { Language } from './grouping/corpus.ts';
import { measure } from './grouping/quality.ts';
import { groupingTime } from './grouping/time.ts';

export const about =
  'grouping of items by story: quality beside two other ways, and the time for 100,000 titles';

const LANGUAGES: readonly Language[] = ['english', 'japanese'];

/** Quality is measured on the held-out half of the labelled events (`bench/grouping/events`). */
export async function run({ log }: BenchOptions): Promise<readonly Result[]> {
  const results = LANGUAGES.flatMap((language) =>
    [false, true].flatMap((withLeads) => quality(language, withLeads, log)),
  );
  return [...results, ...groupingTime()];
}

function quality(language: Language, withLeads: boolean, log: (line: string) => void): Result[] {
  const { ours, overlap, tfIdf } = measure('held-out', language, withLeads);
  const what = `${language}, ${withLeads ? 'titles and leads' : 'titles alone'}`;
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
