import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { action, type CommandDependencies, defineCommand, type GlobalOptions } from '../command.ts';
import { CommandError, EXIT } from '../errors.ts';
import { configPath, writeFileAtomically } from '../files.ts';
import { formatCount } from '../format.ts';
import { RECIPES, type Recipe, recipeNamed, recipeText, secretsOf } from '../recipes.ts';
import { addSecrets, findSimulator, withSimulator } from '../simulated-recipe.ts';
import type { CliContext, Terminal } from '../terminal.ts';
import { withSources } from '../with-sources.ts';

interface InitOptions extends GlobalOptions {
  readonly recipe?: string;
  readonly force?: boolean;
  readonly opml?: string;
  readonly feed?: readonly string[];
  readonly simulator?: boolean;
}

/** `init`: writes a commented configuration from one of the recipes, and brings the sources of a reader. */
export function initCommand(deps: CommandDependencies): Command {
  return defineCommand('init', 'write a kawaraban.yaml from one of six recipes')
    .option('-r, --recipe <name>', `one of ${RECIPES.map((recipe) => recipe.name).join(', ')}`)
    .option('--opml <file>', 'reader: add the feeds of this OPML file, which every feed reader exports')
    .option('--feed <address...>', 'reader: add these feeds, sites or channels')
    .option('--simulator', 'for the running `kawaraban simulator`, with its addresses and keys')
    .option('-f, --force', 'replace an existing file; the old one is kept beside it as *.old')
    .action(
      action(deps, async (terminal, options: InitOptions) => {
        const { context } = deps;
        const path = configPath(context, options.config);
        if (existsSync(path) && options.force !== true)
          throw new CommandError(
            `${path} exists already and was not changed: name another with --config, or use --force, which keeps the old one beside it`,
            EXIT.cannotWrite,
          );
        const recipe = await chosen(terminal, options.recipe);
        const wanted = await wantedSources(terminal, recipe, options, context);
        const simulator = options.simulator ? await findSimulator(context) : null;
        const real = recipeText(recipe.name, dirname(path));
        const text = simulator === null ? real : withSimulator(real, simulator);
        const secrets = await secretsOf(text);
        const kept = existsSync(path) ? await setAside(path) : null;
        await writeFileAtomically(path, text).catch(async (error: unknown) => {
          if (kept !== null) await rename(kept, path);
          throw error;
        });
        if (simulator !== null) await addSecrets(join(dirname(path), '.env'), simulator.secrets);
        const sources = await addSources(context, options, wanted);
        if (options.json) terminal.json({ file: path, recipe: recipe.name, kept, secrets, ...sources });
        else {
          if (kept !== null) terminal.note(`The old file is now ${kept}.`);
          terminal.out(`${path} is written: ${recipe.words}.`);
          printSources(terminal, sources);
          printNextSteps(terminal, path, recipe, text, simulator === null ? secrets : []);
        }
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

/** The sources to begin with: those of the options, or else what a person answers. */
async function wantedSources(
  terminal: Terminal,
  { name }: Recipe,
  { opml, feed }: InitOptions,
  context: CliContext,
): Promise<WantedSources> {
  const given = opml !== undefined || feed !== undefined;
  if (name !== 'reader') {
    if (given) throw new CommandError('--opml and --feed are for the recipe reader', EXIT.usage);
    return { opml: null, addresses: [] };
  }
  if (given || !terminal.interactive)
    return { opml: opml === undefined ? null : await readOpml(context, opml), addresses: feed ?? [] };
  const file = await terminal.ask('\nOPML file with the feeds of your present reader (Enter for none): ');
  if (file !== '') return { opml: await readOpml(context, file), addresses: [] };
  const addresses = await terminal.ask(
    'Addresses of feeds, sites or channels, with spaces between (Enter for none): ',
  );
  return { opml: null, addresses: addresses.split(/\s+/).filter((word) => word !== '') };
}

/** Reads the file before anything is written. */
async function readOpml({ cwd }: CliContext, file: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (cause) {
    throw new CommandError(
      `${file} cannot be read: name an OPML file, as your present reader exports it`,
      EXIT.notFound,
      { cause },
    );
  }
}

interface WantedSources {
  /** Text of an OPML file. */
  readonly opml: string | null;
  readonly addresses: readonly string[];
}

interface AddedSources {
  readonly added: number;
  /** Addresses that were not added, with the reason. */
  readonly refused: readonly { readonly address: string; readonly reason: string }[];
}

async function addSources(
  context: CliContext,
  options: GlobalOptions,
  { opml, addresses }: WantedSources,
): Promise<AddedSources> {
  if (opml === null && addresses.length === 0) return { added: 0, refused: [] };
  return withSources(context, options, async ({ editing }) => {
    const refused: { address: string; reason: string }[] = [];
    const details = { folders: [], pipelines: [], anyway: false };
    let added = 0;
    if (opml !== null) {
      const result = await editing.importOpml(opml, { dryRun: false, folders: [] });
      if (result.ok) added += result.added.length;
      else refused.push({ address: 'the OPML file', reason: result.detail });
    }
    for (const address of addresses) {
      const result = await editing.add(address, details, new AbortController().signal);
      if (result.ok) added += 1;
      else refused.push({ address, reason: result.detail });
    }
    return { added, refused };
  });
}

function printSources(terminal: Terminal, { added, refused }: AddedSources): void {
  if (added > 0) terminal.out(`${formatCount(added, 'source')} added.`);
  for (const { address, reason } of refused)
    terminal.note(`Not added: ${address}: ${reason} (later: kawaraban sources add <address>)`);
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
  text: string,
  secrets: readonly string[],
): void {
  terminal.note('\nNext:');
  let step = 0;
  const noteStep = (words: string): void => terminal.note(`  ${++step}. ${words}`);
  const sources = /^sources:$/m.test(text) ? ' and add your own sources' : '';
  noteStep(`Open ${basename(path)}${sources}; every setting is explained there.`);
  if (secrets.length > 0)
    noteStep(
      `Set ${secrets.join(' and ')} in the environment, or in a file .env beside it (${secrets.map((name) => `${name}=…`).join(', ')}).`,
    );
  noteStep('kawaraban config check');
  if (recipe.trial !== 'start') noteStep(`kawaraban ${recipe.trial}   (posts nothing)`);
  noteStep('kawaraban start');
}
