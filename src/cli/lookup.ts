import type { App } from '../app/app.ts';
import { suggestion } from '../config/problems.ts';
import type { Item, ItemKey } from '../item/item.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import { DropError, ServiceUnavailableError, UserError } from '../social/rules.ts';
import type { User } from '../social/social-store.ts';
import { CommandError, EXIT } from './errors.ts';
import { sanitise } from './format.ts';

export interface FoundItem {
  readonly pipeline: Pipeline;
  readonly item: Item;
}

/** The pipeline with this ID; fails with the nearest ID otherwise. */
export function findPipeline(app: App, id: string): Pipeline {
  const pipeline = app.pipelines.get(id);
  if (pipeline === undefined)
    throw new CommandError(
      `there is no pipeline \`${id}\`: ${suggestion(id, [...app.pipelines.keys()])}`,
      EXIT.notFound,
    );
  return pipeline;
}

/** The named pipeline, or all. */
export function selectPipelines(app: App, named: string | undefined): Pipeline[] {
  return named === undefined ? [...app.pipelines.values()] : [findPipeline(app, named)];
}

/** The named pipeline, or the only one. */
export function selectOnePipeline(app: App, named: string | undefined): Pipeline {
  const [only, another] = selectPipelines(app, named);
  if (only === undefined) throw new CommandError('there are no pipelines', EXIT.notFound);
  if (another !== undefined)
    throw new CommandError(
      `which pipeline? Add --pipeline and one of ${[...app.pipelines.keys()].join(', ')}`,
      EXIT.usage,
    );
  return only;
}

/** The one item that matches a URL, or a part of a URL or title. */
export async function findItem(app: App, words: string, named: string | undefined): Promise<FoundItem> {
  const found: FoundItem[] = [];
  for (const pipeline of selectPipelines(app, named)) {
    const exact = await pipeline.ledger.find(words as ItemKey);
    if (exact !== null) found.push({ pipeline, item: exact });
  }
  if (found.length === 0)
    for (const pipeline of selectPipelines(app, named)) {
      const { items } = await pipeline.ledger.list({ text: words, limit: 6 });
      found.push(...items.map((item) => ({ pipeline, item })));
    }
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only === undefined)
    throw new CommandError(
      `there is no item "${words}": give its address, or a part of its title`,
      EXIT.notFound,
    );
  const candidates = found
    .slice(0, 6)
    .map(({ pipeline, item }) => `  ${sanitise(item.key)}  ${sanitise(item.title)} (${pipeline.id})`);
  throw new CommandError(
    `"${words}" matches ${found.length > 5 ? 'many' : found.length} items: give the whole address, and --pipeline where several have it\n${candidates.join('\n')}`,
    EXIT.notFound,
  );
}

/** The user with this name or ID; fails otherwise. */
export async function findUser({ timelineAdmin: timelines }: App, idOrName: string): Promise<User> {
  const user = await timelines.user(idOrName);
  if (user === null)
    throw new CommandError(
      `there is no user "${idOrName}": \`kawaraban users list\` lists all users`,
      EXIT.notFound,
    );
  return user;
}

/** Converts errors of the social store, whose messages can be printed as they are. */
export async function orCommandError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UserError || error instanceof DropError)
      throw new CommandError(error.message, EXIT.usage);
    if (error instanceof ServiceUnavailableError) throw new CommandError(error.message, EXIT.unavailable);
    throw error;
  }
}
