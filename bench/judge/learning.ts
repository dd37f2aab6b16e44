import { type BenchOptions, type Result, result } from '../bench.ts';
import { replay } from './simulated-readers.ts';

/** How much better the lists and verdicts of simulated readers become in 30 days of reactions. */
export async function learning({ quick, log }: BenchOptions): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const language of ['en', 'ja'] as const) {
    const { list, verdicts, firstDay } = await replay({ language, readers: quick ? 5 : 40, seed: 20_260 });
    log(`${language}: on the first day ${firstDay.untrained.toFixed(3)} and ${firstDay.learned.toFixed(3)}`);
    for (const [name, { untrained, learned }] of [
      ['the list "for you"', list],
      ['verdicts of the local judge', verdicts],
    ] as const)
      results.push(
        result({
          name: `learning, ${language}: nDCG@10 of ${name}, days 21–30`,
          ours: Number(learned.toFixed(3)),
          unit: 'nDCG@10',
          peer: { name: 'untrained', value: Number(untrained.toFixed(3)) },
          limit: { name: 'the ideal order', value: 1 },
          goal: 'at least 0.15 above untrained',
          met: learned - untrained >= 0.15,
        }),
      );
  }
  return results;
}
