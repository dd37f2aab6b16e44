import type { App } from '../app.ts';
import { suggestion } from '../config/nearest.ts';
import type { Item, ItemKey } from '../item/item.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { EXIT } from './exit-codes.ts';
import { RefusalError } from './refusal.ts';
import { harmless } from './width.ts';

export interface FoundItem {
  readonly pipeline: Pipeline;
  readonly item: Item;
}

/** The pipeline with this ID, or a refusal that names the nearest one. */
export function pipelineNamed(app: App, id: string): Pipeline {
  const pipeline = app.pipelines.get(id);
  if (pipeline === undefined)
    throw new RefusalError(
      `there is no pipeline \`${id}\`: ${suggestion(id, [...app.pipelines.keys()])}`,
      EXIT.notFound,
    );
  return pipeline;
}

/** The pipelines a command is about: the one named, or all. */
export function pipelinesOf(app: App, named: string | undefined): Pipeline[] {
  return named === undefined ? [...app.pipelines.values()] : [pipelineNamed(app, named)];
}

/** The one named, or the only one there is. */
export function onePipeline(app: App, named: string | undefined): Pipeline {
  const [only, another] = pipelinesOf(app, named);
  if (only === undefined) throw new RefusalError('there are no pipelines', EXIT.notFound);
  if (another !== undefined)
    throw new RefusalError(
      `which pipeline? Add --pipeline and one of ${[...app.pipelines.keys()].join(', ')}`,
      EXIT.usage,
    );
  return only;
}

/** The one item that a person means by its address, or by a part of its address or title. */
export async function findItem(app: App, words: string, named: string | undefined): Promise<FoundItem> {
  const found: FoundItem[] = [];
  for (const pipeline of pipelinesOf(app, named)) {
    const exact = await pipeline.ledger.find(words as ItemKey);
    if (exact !== null) found.push({ pipeline, item: exact });
  }
  if (found.length === 0)
    for (const pipeline of pipelinesOf(app, named)) {
      const { items } = await pipeline.ledger.list({ text: words, limit: 6 });
      found.push(...items.map((item) => ({ pipeline, item })));
    }
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only === undefined)
    throw new RefusalError(
      `there is no item "${words}": give its address, or a part of its title`,
      EXIT.notFound,
    );
  const candidates = found
    .slice(0, 6)
    .map(({ pipeline, item }) => `  ${harmless(item.key)}  ${harmless(item.title)} (${pipeline.id})`);
  throw new RefusalError(
    `"${words}" fits ${found.length > 5 ? 'many' : found.length} items: give the whole address, and --pipeline where several have it\n${candidates.join('\n')}`,
    EXIT.notFound,
  );
}
