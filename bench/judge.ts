import type { BenchOptions, Result } from './bench.ts';
import { byTopic } from './judge/by-topic.ts';
import { learning } from './judge/learning.ts';
import { local } from './judge/local.ts';
import { remote } from './judge/remote.ts';

export const about =
  'the local judge beside TF-IDF, the lead and bare word segmentation, and a remote judge beside its ideal';

/** Each part measures one promise of the judge. */
export async function run(options: BenchOptions): Promise<readonly Result[]> {
  return [
    ...(await byTopic(options)),
    ...(await local(options)),
    ...(await remote(options)),
    ...(await learning(options)),
  ];
}
