import { isAbsolute, relative } from 'node:path';
import { isSea } from 'node:sea';
import { assetPath, readAsset } from '../assets/assets.ts';
import { suggestion } from '../config/problems.ts';
import { CommandError, EXIT } from './errors.ts';

export interface Recipe {
  readonly name: string;
  /** What it sets up, for people. */
  readonly words: string;
  /** What to try after `config check`. */
  readonly trial: string;
}

export const RECIPES: readonly Recipe[] = [
  {
    name: 'reader',
    words: 'read your feeds on one page; no key is needed',
    trial: 'start',
  },
  {
    name: 'curator',
    words: 'read feeds, score articles by your interests, post the best to Discord',
    trial: 'run morning --dry-run',
  },
  {
    name: 'summary-bot',
    words: 'follow a feed, summarise each item with its PDFs, post to Mastodon',
    trial: 'run ministry --dry-run',
  },
  {
    name: 'timeline',
    words: 'serve home, local and global timelines over HTTP, SSE and gRPC',
    trial: 'start',
  },
  {
    name: 'videos',
    words: 'watch YouTube channels and run a program for each new video',
    trial: 'run videos --dry-run',
  },
  { name: 'stories', words: 'rank Hacker News by day, week, month, year and all time', trial: 'start' },
];

export function recipeNamed(name: string): Recipe {
  const names = RECIPES.map((recipe) => recipe.name);
  const recipe = RECIPES.find((each) => each.name === name);
  if (recipe === undefined)
    throw new CommandError(`there is no recipe "${name}": ${suggestion(name, names)}`, EXIT.usage);
  return recipe;
}

/**
 * The recipe's text, with this machine's time zone, and the path of the editor's schema relative to the target folder. An
 * editor cannot open the schema that is inside the single executable.
 */
export function recipeText(name: string, folder: string): string {
  const text = readAsset(`recipes/${name}.yaml`).replace(isSea() ? /^#.*\$schema=.*\n/ : '', '');
  const schema = assetPath('docs/kawaraban.schema.json');
  const near = relative(folder, schema);
  const found = near.startsWith('..') || isAbsolute(near) ? schema : `./${near.replaceAll('\\', '/')}`;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return text
    .replace(/(\$schema=)\S+/, `$1${found}`)
    .replaceAll(/time_zone: UTC(?: # `init`.*)?$/gm, `time_zone: ${timeZone}`);
}

/** Names of the environment variables that the recipe needs secrets from. */
export async function secretsOf(text: string): Promise<string[]> {
  const [{ parse }, { neededSecrets }] = await Promise.all([import('yaml'), import('../config/secrets.ts')]);
  const names = neededSecrets(parse(text)).flatMap(({ place }) => ('env' in place ? [place.env] : []));
  return [...new Set(names)];
}
