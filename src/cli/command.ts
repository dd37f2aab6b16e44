import { Command, Option } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import { EXIT } from './exit-codes.ts';
import { type House, Terminal } from './terminal.ts';

/** Options that every command has. */
export interface EveryOption {
  readonly config?: string;
  readonly json?: boolean;
  readonly color?: boolean;
}

/** How the last command ended. The program reads it when all is written. */
export interface Ending {
  exitCode: ExitCode;
}

/** What each command is made with. */
export interface CommandParts {
  readonly house: House;
  readonly ending: Ending;
}

/** A command; `words` is its line in the list of commands, and the first sentence of its own help. */
export function commandNamed(name: string, words: string): Command {
  return new Command(name)
    .summary(words)
    .description(`${words.charAt(0).toUpperCase()}${words.slice(1)}.`)
    .helpOption('-h, --help', 'explain this command');
}

/** The options that every command has, listed after its own. */
export function withEveryOption(command: Command): Command {
  for (const below of command.commands) withEveryOption(below);
  if (command.commands.length > 0) return command;
  return command
    .addOption(new Option('-c, --config <file>', 'the configuration (default: ./kawaraban.yaml)'))
    .addOption(new Option('--json', 'answer in JSON, for programs'))
    .addOption(new Option('--no-color', 'no colours (also: NO_COLOR=1)'));
}

/** Runs a command's work and keeps how it ended. */
export function action<Arguments extends unknown[], Options extends EveryOption>(
  parts: CommandParts,
  work: (terminal: Terminal, options: Options, ...args: Arguments) => Promise<ExitCode | undefined>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const options = command.optsWithGlobals<Options>();
    const terminal = new Terminal(parts.house, options.color === undefined ? {} : { colour: options.color });
    parts.ending.exitCode = (await work(terminal, options, ...(given.slice(0, -2) as Arguments))) ?? EXIT.ok;
  };
}
