import type { BenchOptions, Result } from './bench.ts';
import { extraction } from './reading/extraction.ts';
import { feedAgreement } from './reading/feed-agreement.ts';
import { polling } from './reading/polling.ts';
import { quality } from './reading/quality.ts';

export const about = 'extracting articles and polling feeds, beside the bare libraries';

/** Each part measures one promise of reading. */
export async function run(options: BenchOptions): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const part of [quality, extraction, polling, feedAgreement]) results.push(...(await part(options)));
  return results;
}
