import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Command } from 'commander';
import { suggestion } from '../../config/problems.ts';
import { action, type CommandDependencies, defineCommand, type GlobalOptions } from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { configPath, writeFileAtomically } from '../files.ts';
import { RECIPES, type Recipe, recipeText, secretsOf } from '../recipes.ts';
import type { Terminal } from '../terminal.ts';

interface InitOptions extends GlobalOptions {
  readonly recipe?: string;
  readonly force?: boolean;
}

/** `init`: writes a commented configuration from one of the five recipes. */
export function initCommand(deps: CommandDependencies): Command {
  return defineCommand('init', 'write a kawaraban.yaml from one of five recipes')
    .option('-r, --recipe <name>', `one of ${RECIPES.map((recipe) => recipe.name).join(', ')}`)
    .option('-f, --force', 'replace an existing file; the old one is kept beside it as *.old')
    .action(
      action(deps, async (terminal, options: InitOptions) => {
        const path = configPath(deps.context, options.config);
        if (existsSync(path) && options.force !== true)
          throw new CommandError(
            `${path} exists already and was not changed: name another with --config, or use --force, which keeps the old one beside it`,
            EXIT.cannotWrite,
          );
        const recipe = await chosen(terminal, options.recipe);
        const kept = existsSync(path) ? await setAside(path) : null;
        const text = recipeText(recipe.name, dirname(path));
        await writeFileAtomically(path, text).catch(async (error: unknown) => {
          if (kept !== null) await rename(kept, path);
          throw error;
        });
        if (options.json) terminal.json({ file: path, recipe: recipe.name, kept, secrets: secretsOf(text) });
        else printNextSteps(terminal, path, recipe, kept, text);
        return EXIT.ok;
      }),
    );
}

async function chosen(terminal: Terminal, named: string | undefined): Promise<Recipe> {
  if (named !== undefined) return recipeNamed(named);
  if (!terminal.interactive)
    throw new CommandError(
      `which recipe? Add --recipe and one of ${RECIPES.map((recipe) => recipe.name).join(', ')}`,
      EXIT.usage,
    );
  terminal.note('What should your newsroom do first? (You can add the others later.)\n');
  for (const [n, { name, words }] of RECIPES.entries())
    terminal.note(`  ${n + 1}  ${name.padEnd(12)} ${words}`);
  const answer = await terminal.ask('\nNumber or name [1]: ');
  return RECIPES[Number(answer === '' ? 1 : answer) - 1] ?? recipeNamed(answer);
}

function recipeNamed(name: string): Recipe {
  const names = RECIPES.map((recipe) => recipe.name);
  const recipe = RECIPES.find((each) => each.name === name);
  if (recipe === undefined)
    throw new CommandError(`there is no recipe "${name}": ${suggestion(name, names)}`, EXIT.usage);
  return recipe;
}

/** Renames the old file to an unused name. */
async function setAside(path: string): Promise<string> {
  for (let n = 1; ; n++) {
    const kept = n === 1 ? `${path}.old` : `${path}.${n}.old`;
    if (existsSync(kept)) continue;
    await rename(path, kept);
    return kept;
  }
}

function printNextSteps(
  terminal: Terminal,
  path: string,
  recipe: Recipe,
  kept: string | null,
  text: string,
): void {
  const secrets = secretsOf(text);
  if (kept !== null) terminal.note(`The old file is now ${kept}.`);
  terminal.out(`${path} is written: ${recipe.words}.`);
  terminal.note('\nNext:');
  let step = 0;
  const noteStep = (words: string): void => terminal.note(`  ${++step}. ${words}`);
  const sources = /^sources:/m.test(text) ? ' and add your own sources' : '';
  noteStep(`Open ${basename(path)}${sources}; every setting is explained there.`);
  if (secrets.length > 0)
    noteStep(
      `Set ${secrets.join(' and ')} in the environment, or in a file .env beside it (${secrets.map((name) => `${name}=…`).join(', ')}).`,
    );
  noteStep('kawaraban config check');
  if (recipe.trial !== 'start') noteStep(`kawaraban ${recipe.trial}   (posts nothing)`);
  noteStep('kawaraban start');
}
