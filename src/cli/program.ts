import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import type { CommandParts } from './command.ts';
import { configCommand } from './commands/config.ts';
import { initCommand } from './commands/init.ts';
import { EXIT_WORDS } from './exit-codes.ts';

const FIRST = 'First steps:';

/** The whole command line. */
export function buildProgram(parts: CommandParts): Command {
  const program = new Command('kawaraban')
    .description('A newsroom of your own: it follows sources, keeps what matters, and says it once.')
    .usage('<command> [options]')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain a command, as in: kawaraban run --help')
    .helpCommand(false)
    .showSuggestionAfterError()
    .showHelpAfterError('See kawaraban --help.')
    .addHelpText('after', `\n${AFTER}`);
  program.commandsGroup(FIRST);
  program.addCommand(initCommand(parts));
  program.addCommand(configCommand(parts));
  return program;
}

const AFTER = `Try this first, without any set-up:
  kawaraban start          without a kawaraban.yaml: a sample newsroom on a simulated internet

Then make your own:
  kawaraban init           writes a commented kawaraban.yaml from one of five recipes
  kawaraban config check   lists every problem in it, with what to write instead
  kawaraban start          runs it

Exit codes:
${Object.entries(EXIT_WORDS)
  .map(([code, words]) => `  ${code.padStart(3)}  ${words}`)
  .join('\n')}`;

function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { version: number } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return number;
}
