import { readFileSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Recipe {
  readonly name: string;
  /** What it sets up, for people. */
  readonly words: string;
  /** What to try after `config check`. */
  readonly trial: string;
}

export const RECIPES: readonly Recipe[] = [
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

/** The recipe's text, with the path of the editor's schema relative to the target folder. */
export function recipeText(name: string, folder: string): string {
  const text = readFileSync(new URL(`../../recipes/${name}.yaml`, import.meta.url), 'utf8');
  const schema = fileURLToPath(new URL('../../docs/kawaraban.schema.json', import.meta.url));
  const near = relative(folder, schema);
  const found = near.startsWith('..') || isAbsolute(near) ? schema : `./${near.replaceAll('\\', '/')}`;
  return text.replace(/(\$schema=)\S+/, `$1${found}`);
}

/** Names of the environment variables that the recipe takes secrets from. */
export function secretsOf(text: string): string[] {
  const used = text.split('\n').filter((line) => !line.trimStart().startsWith('#'));
  return [...new Set([...used.join('\n').matchAll(/\{ env: ([A-Z_]+) \}/g)].map(([, name = '']) => name))];
}
